// A simulation in a real browser: it runs, is pulled at, changed, looked back on and compared. What is tested are
// numbers of the engine; pictures are only looked at for not being blank.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, nodeOnScreen, openPage, picture, startBrowser, until } from "../support/browser.ts";
import { hanging } from "../support/scenes.ts";
import { startServer, type Server } from "../support/server.ts";

let browser: Browser;
let server: Server;
let page: Page;
let errors: string[];

beforeAll(async () => {
  server = await startServer({ "hanging.toml": hanging(16) }, "hanging.toml");
  browser = await startBrowser();
  ({ page, errors } = await openPage(browser, server.address));
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const lowest = (): Promise<number> => ask(page, (studio) => {
  const { positions } = studio.app.a.value!.actor;
  let low = Infinity;
  for (let k = 2; k < positions.length; k += 3) low = Math.min(low, positions[k]!);
  return low;
});

describe("a simulation", () => {
  test("opens with its title, its cloth and a picture that is not blank", async () => {
    expect(await page.textContent("#title")).toBe("Hanging sheet");
    expect(await ask(page, (studio) => studio.app.a.value!.model.nodeCount)).toBe(17 * 17);
    expect(await picture(page, "opened")).toBeGreaterThan(200);
  });

  test("runs: the sheet falls, and pauses where it is", async () => {
    const before = await lowest();
    await page.click('[aria-label="Play"]');
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.4);
    await page.click('[aria-label="Pause"]');
    await until(page, (studio) => !studio.app.a.value!.clock.playing);
    expect(await lowest()).toBeLessThan(before - 0.2);
    const time = await ask(page, (studio) => studio.app.a.value!.clock.time);
    await page.waitForTimeout(400);
    expect(await ask(page, (studio) => studio.app.a.value!.clock.time)).toBeLessThanOrEqual(time + 0.05);
    expect(await picture(page, "running")).toBeGreaterThan(200);
  });

  test("steps one step, and goes back to the start", async () => {
    const frame = await ask(page, (studio) => studio.app.a.value!.clock.last);
    await page.keyboard.press("Home");
    await until(page, (studio) => studio.app.a.value!.frame!.frame === 0);
    await page.keyboard.press(".");
    await until(page, (studio) => studio.app.a.value!.frame!.frame === 1);
    expect(frame).toBeGreaterThan(10);
  });

  test("a corner that is dragged follows", async () => {
    await page.keyboard.press("0");
    const start = await nodeOnScreen(page, 0);
    // A little inside of the corner, so that the cloth is met.
    const inside = await nodeOnScreen(page, 18);
    const from = { x: 0.4 * start.x + 0.6 * inside.x, y: 0.4 * start.y + 0.6 * inside.y };
    const corner = () => ask(page, (studio) => [...studio.app.a.value!.actor.positions.subarray(0, 3)]);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 60, from.y - 80, { steps: 6 });
    await until(page, (studio) => (studio.app.a.value!.frame?.grasps.length ?? 0) > 0);
    await page.waitForTimeout(1500);
    const [grasp] = await ask(page, (studio) => studio.app.a.value!.frame!.grasps);
    const now = await corner();
    const off = Math.hypot(...grasp!.to.map((x, k) => x - grasp!.at[k]!));
    expect(off).toBeLessThan(0.12);
    expect(Math.hypot(...now.map((x, k) => x - grasp!.to[k]!))).toBeLessThan(0.2);
    expect(Math.hypot(...grasp!.force)).toBeGreaterThan(0.01);
    expect(await page.textContent(".label")).toMatch(/N$/);
    await picture(page, "pulling");
    await page.mouse.up();
    await until(page, (studio) => studio.app.a.value!.frame!.grasps.length === 0);
  });

  test("a pin holds a place and lets it go by the same key", async () => {
    await page.keyboard.press("Home");
    await until(page, (studio) => studio.app.a.value!.frame!.frame === 0);
    await page.keyboard.press("0");
    const from = await nodeOnScreen(page, 18);
    await page.mouse.move(from.x, from.y);
    await page.keyboard.press("p");
    await until(page, (studio) => (studio.app.a.value as never as { status: { grasps: unknown[] } }).status.grasps.length === 1);
    const height = () => ask(page, (studio) => studio.app.a.value!.actor.positions[3 * 18 + 2]!);
    const before = await height();
    await page.keyboard.press("Space");
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.5);
    await page.keyboard.press("Space");
    expect(Math.abs((await height()) - before)).toBeLessThan(0.1);
    await page.keyboard.press("u");
    await until(page, (studio) => (studio.app.a.value as never as { status: { grasps: unknown[] } }).status.grasps.length === 0);
  });

  test("the scrubber goes back in time and forward again", async () => {
    await page.click('[aria-label="Play"]');
    const start = await ask(page, (studio) => studio.app.a.value!.clock.last);
    await page.waitForTimeout(300);
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.3);
    await page.click('[aria-label="Pause"]');
    expect(await ask(page, (studio) => studio.app.a.value!.clock.last)).toBeGreaterThan(start);
    await until(page, (studio) => !studio.app.a.value!.clock.playing);
    // Frames that were on their way may still come, so that this moment need not be the last.
    const end = await ask(page, (studio) => {
      const { time } = studio.app.a.value!.clock;
      Object.assign(window, { end: time });
      return time;
    });
    const low = await lowest();
    await page.fill("#scrub", "0.1");
    await until(page, (studio) => Math.abs(studio.app.a.value!.clock.time - 0.1) < 0.03);
    expect(await lowest()).toBeGreaterThan(low);
    await page.fill("#scrub", String(end));
    await until(page, (studio) => Math.abs(studio.app.a.value!.clock.time - (window as never as { end: number }).end) < 1e-6);
    expect(await lowest()).toBeCloseTo(low, 4);
  });

  test("colours by a field of the engine", async () => {
    await page.selectOption("#colour", "speed");
    await page.keyboard.press("Space");
    await until(page, (studio) => studio.colourist.seen[1] > 0.01);
    await page.keyboard.press("Space");
    expect(await page.textContent(".legend")).toMatch(/m\/s/);
    expect(await picture(page, "speed")).toBeGreaterThan(200);
    await page.selectOption("#colour", "cloth");
  });

  test("nothing went wrong meanwhile", () => {
    expect(errors).toEqual([]);
  });
});

describe("A against B", () => {
  test("another model runs beside it in one clock, and the difference is shown", async () => {
    await page.keyboard.press("5");
    await page.selectOption("#variant-field", { label: "cloth.sheet.material.density" }).catch(() => undefined);
    await page.selectOption("#variant-field", { label: "cloth.sheet.damping" });
    await page.fill("#variant-value", "8.0");
    await page.click("#compare");
    await until(page, (studio) => Boolean(studio.app.b.value?.frame) && !studio.app.opening.value);
    await page.keyboard.press("Space");
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.5 && studio.app.b.value!.clock.time > 0.4);
    await page.keyboard.press("Space");
    await page.waitForTimeout(500);
    const times = await ask(page, (studio) => [studio.app.a.value!.clock.time, studio.app.b.value!.clock.time]);
    expect(Math.abs(times[0]! - times[1]!)).toBeLessThanOrEqual(0.025);
    await page.click("#difference");
    await until(page, (studio) => studio.app.colour.value === "difference" && studio.colourist.seen[1] > 0.005);
    expect(await picture(page, "compared")).toBeGreaterThan(200);
    await page.click("text=End");
    await until(page, (studio) => studio.app.b.value === null);
    await page.keyboard.press("5");
  });
});

describe("numbers and pattern", () => {
  test("plots follow, and a click goes to the moment", async () => {
    await page.keyboard.press("n");
    await page.waitForSelector(".u-over");
    const before = await ask(page, (studio) => studio.app.a.value!.clock.time);
    const box = (await page.locator(".u-over").first().boundingBox())!;
    await page.mouse.click(box.x + 0.4 * box.width, box.y + 0.5 * box.height);
    await until(page, (studio) => studio.app.a.value!.clock.frame < studio.app.a.value!.clock.last);
    expect(await ask(page, (studio) => studio.app.a.value!.clock.time)).toBeLessThan(before);
    await page.keyboard.press("d");
    await page.waitForSelector(".pattern-canvas");
    await page.waitForTimeout(400);
    const flat = (await page.locator(".pattern-canvas").boundingBox())!;
    await page.mouse.move(flat.x + 0.5 * flat.width, flat.y + 0.55 * flat.height);
    await page.waitForFunction(() => (window as never as { studio: { app: { hover: { value: unknown } } } }).studio.app.hover.value !== null);
    await picture(page, "numbers-and-pattern");
    await page.keyboard.press("d");
    await page.keyboard.press("n");
  });
});
