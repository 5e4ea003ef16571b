// Bodies that are moved by hand, wind, and what is drawn over the cloth.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, openPage, picture, startBrowser, until } from "../support/browser.ts";
import { hanging } from "../support/scenes.ts";
import { startServer, type Server } from "../support/server.ts";

const SCENE = hanging(14, `
[body.ball]
shape.sphere = { radius = 0.2 }
place = { at = [0.0, -0.1, 0.6] }

[environment.air]
wind = [0.0, 0.0, 0.0]
`);

let browser: Browser;
let server: Server;
let page: Page;
let errors: string[];

beforeAll(async () => {
  server = await startServer({ "ball.toml": SCENE }, "ball.toml");
  browser = await startBrowser();
  ({ page, errors } = await openPage(browser, server.address));
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

interface Deep { app: { a: { value: { actor: { poses: Float32Array }; status: { wind: number[]; gravity: number[] } } } } }

async function ballOnScreen(): Promise<{ x: number; y: number }> {
  const at = await ask(page, (studio) => {
    const { actor } = studio.app.a.value as never as { actor: { poses: Float32Array } };
    return studio.stage.project(actor, actor.poses.subarray(0, 3));
  });
  const box = (await page.locator("#canvas").boundingBox())!;
  return { x: box.x + at.x, y: box.y + at.y };
}

test("a body is taken with a click and led by its handles", async () => {
  const at = await ballOnScreen();
  await page.mouse.click(at.x, at.y + 20);
  await page.waitForSelector(".body-card:not([hidden])");
  expect(await page.textContent(".body-card h2")).toBe("ball");
  const before = await ask(page, (studio) => [...(studio as never as Deep).app.a.value.actor.poses.subarray(0, 3)]);
  await page.waitForTimeout(400);
  await page.mouse.move(at.x + 2, at.y);
  await page.waitForTimeout(200);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y - 30, { steps: 6 });
  await page.mouse.up();
  await page.click('[aria-label="Step"]');
  await page.waitForTimeout(300);
  await page.click('[aria-label="Step"]');
  await page.waitForTimeout(600);
  const after = await ask(page, (studio) => [...(studio as never as Deep).app.a.value.actor.poses.subarray(0, 3)]);
  await picture(page, "body");
  expect(Math.hypot(...after.map((x, k) => x - before[k]!))).toBeGreaterThan(0.02);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".body-card", { state: "hidden" });
});

test("wind blows while its slider moves", async () => {
  await page.keyboard.press("2");
  const slider = page.locator('[data-knob="Wind along y"]');
  await slider.fill("6");
  await until(page, (studio) => (studio as never as Deep).app.a.value.status.wind[1] === 6);
  await until(page, (studio) => /wind = \[0\.0, 6\.0, 0\.0\]/.test(studio.app.draft.value.text));
  await page.click(".rail-button:has-text('Knobs')");
});

test("contacts, what was not met, threads and the mesh are drawn when asked for", async () => {
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.5);
  await page.click('[aria-label="Pause"]');
  await page.click(".rail-button:has-text('View')");
  for (const label of ["Wireframe", "Warp and weft", "Contacts", "Not met"]) await page.click(`.toggle:has-text("${label}")`);
  await page.click('[aria-label="Step"]');
  await page.waitForFunction(() => /contacts/.test(document.querySelector(".rows")?.textContent ?? ""));
  expect(await picture(page, "drawn-over")).toBeGreaterThan(200);
});

test("nothing went wrong meanwhile", () => {
  expect(errors).toEqual([]);
});
