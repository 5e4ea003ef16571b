// The page without a server: without its engine it says what is missing; with it (TOILE_WASM, the compiled file), a
// scene runs in the browser, to the numbers that the program has.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, openPage, picture, startBrowser, until } from "../support/browser.ts";
import { hanging } from "../support/scenes.ts";
import { startServer } from "../support/server.ts";
import { WASM, serveStatic, type StaticPage } from "../support/static.ts";

let site: StaticPage;
let browser: Browser;

beforeAll(async () => {
  site = await serveStatic();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  site?.stop();
});

test("without the engine the page says what is missing", async () => {
  const page = await browser.newPage();
  await page.goto(site.address);
  await page.waitForSelector("[role=alert]");
  expect(await page.textContent("[role=alert]")).toMatch(/cargo xtask studio --static/);
  await page.close();
});

test.skipIf(!WASM)("with the engine a scene runs in the browser", async () => {
  site.bringEngine();
  const { page, errors } = await openPage(browser, site.address);
  expect(await page.textContent("#title")).toBe("Hanging sheet");
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.2, 60_000);
  await page.click('[aria-label="Pause"]');
  const lowest = await ask(page, (studio) => Math.min(...studio.app.a.value!.actor.positions.filter((_, k) => k % 3 === 2)));
  expect(Number.isFinite(lowest)).toBe(true);
  expect(await picture(page, "static")).toBeGreaterThan(200);
  await page.keyboard.press("1");
  await page.waitForSelector(".cm-content");
  expect(await page.locator(".rail-button:has-text('Shelf')").count()).toBe(0); // there is no folder
  expect(errors).toEqual([]);
  await page.close();
});

interface Told { columns: string[]; rows: (number | null)[][]; positions: number[] }

/** The table of a scene's first steps, without the times that they took, and where its nodes are then. */
async function told(page: Page, text: string, steps: number): Promise<Told> {
  await page.evaluate(async ([scene, count]) => {
    interface Inner {
      app: {
        openScene(draft: object): Promise<boolean>;
        a: { value: { session: { step(count: number): Promise<unknown> } } };
      };
    }
    const { app } = (window as never as { studio: Inner }).studio;
    if (!(await app.openScene({ text: scene, path: null, name: "bits" }))) throw new Error("the scene does not open");
    await app.a.value.session.step(count as number);
  }, [text, steps] as const);
  await page.waitForFunction((count) => {
    interface Inner { app: { a: { value: { frame: { frame: number } | null; table: { rows: number } } } } }
    const show = (window as never as { studio: Inner }).studio.app.a.value;
    return show.table.rows >= count && show.frame?.frame === count;
  }, steps, { timeout: 120_000 });
  return page.evaluate(() => {
    interface Inner { app: { a: { value: { actor: { positions: Float32Array }; table: { columns: string[]; values: number[][] } } } } }
    const { actor, table } = (window as never as { studio: Inner }).studio.app.a.value;
    const kept = table.columns.map((_, k) => k).filter((k) => !table.columns[k]!.startsWith("ms"));
    return {
      columns: kept.map((k) => table.columns[k]!), positions: [...actor.positions],
      rows: table.values[0]!.map((_, row) => kept.map((k) => table.values[k]![row]!)),
    };
  });
}

const EXPLICIT = hanging(10).replace("duration = 3.0", 'duration = 3.0\nintegrator = "symplectic-euler"\nstep = 2e-5')
  .replace("damping = 0.6", 'model = "mass-spring"\nbending = "model"');
const IMPLICIT = hanging(10, '\n[body.ball]\nshape.sphere = { radius = 0.2 }\nplace = { at = [0.0, -0.1, 0.6] }\n')
  .replace("duration = 3.0", "duration = 3.0\nstep = 0.01\nnewton_steps = 1").replace("damping = 0.6", 'damping = 0.6\nmodel = "mass-spring"\nbending = "model"');

// Springs need no functions of the system's own library, which angles do.
//
// Browsers have no fused multiply–add. What does without it has the same bits; implicit steps, whose solver uses it where
// the processor has it, have other last digits, which grow slowly until cloth touches something.
test.skipIf(!WASM)("the engine in WebAssembly has the numbers of the program", async () => {
  site.bringEngine();
  const server = await startServer({ "scene.toml": hanging(10) }, "scene.toml");
  const [native, web] = [await openPage(browser, server.address), await openPage(browser, site.address)];
  const both = async (text: string, steps: number): Promise<[Told, Told]> =>
    [await told(native.page, text, steps), await told(web.page, text, steps)];
  const [ours, theirs] = await both(EXPLICIT, 300);
  expect(theirs.columns).toEqual(ours.columns);
  expect(theirs.positions).toEqual(ours.positions);
  // Not all columns: strains are read off with functions of the system's own library.
  for (const name of ["energyKinetic", "energyGravity", "energyElastic"]) {
    const at = ours.columns.indexOf(name);
    expect(theirs.rows.map((row) => row[at])).toEqual(ours.rows.map((row) => row[at]));
  }
  const [before, after] = await both(IMPLICIT, 20);
  expect(after.columns).toEqual(before.columns);
  for (const name of ["energyKinetic", "energyGravity", "energyElastic"]) {
    const at = before.columns.indexOf(name);
    before.rows.forEach((row, k) => expect(Math.abs(row[at]! - after.rows[k]![at]!)).toBeLessThan(1e-6));
  }
  before.positions.forEach((x, k) => expect(Math.abs(x - after.positions[k]!)).toBeLessThan(1e-5));
  await server.stop();
  await native.page.close();
  await web.page.close();
});
