// The page as a page: tabs, restarts, phones, keyboards, accessibility, pictures and videos.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { PHONE, ask, faults, openPage, picture, ready, startBrowser, until, type Studio } from "../support/browser.ts";
import { hanging } from "../support/scenes.ts";
import { startServer, type Server } from "../support/server.ts";

let browser: Browser;
let server: Server;

beforeAll(async () => {
  server = await startServer({ "hanging.toml": hanging(10) }, "hanging.toml");
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test("no serious fault of accessibility, by day and by night, in any panel", async () => {
  const { page } = await openPage(browser, server.address);
  for (const theme of ["day", "night"]) {
    for (const panel of ["", "1", "2", "3", "4", "5"]) {
      if (panel) await page.keyboard.press(panel);
      await page.waitForTimeout(500);
      expect(await faults(page), `${theme}, panel ${panel}`).toEqual([]);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      if (panel) await page.click('.rail-button[aria-expanded="true"]');
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
    await page.keyboard.press("n");
    await page.keyboard.press("d");
    await page.waitForTimeout(400);
    expect(await faults(page), `${theme}, numbers and pattern`).toEqual([]);
    await page.keyboard.press("n");
    await page.keyboard.press("d");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog");
    expect(await faults(page), `${theme}, help`).toEqual([]);
    await page.keyboard.press("Escape");
    await picture(page, theme);
    await page.click('[aria-label="Day or night"]');
  }
  await page.close();
});

test("two tabs each have their own simulation", async () => {
  const [one, two] = [await openPage(browser, server.address), await openPage(browser, server.address)];
  await one.page.click('[aria-label="Play"]');
  await until(one.page, (studio) => studio.app.a.value!.clock.time > 0.2);
  expect(await ask(two.page, (studio) => studio.app.a.value!.clock.time)).toBe(0);
  await one.page.click('[aria-label="Pause"]');
  expect([...one.errors, ...two.errors]).toEqual([]);
  await one.page.close();
  await two.page.close();
});

test("on a phone everything is within reach and nothing sticks out", async () => {
  const { page, errors } = await openPage(browser, server.address, PHONE);
  expect(await picture(page, "phone")).toBeGreaterThan(150);
  for (const panel of ["Scene", "Knobs", "View", "Shelf", "A | B"]) {
    await page.click(`.rail-button:has-text("${panel}")`);
    await page.waitForTimeout(350);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, panel).toBeLessThanOrEqual(PHONE.width);
    const canvas = (await page.locator("#canvas").boundingBox())!;
    expect(canvas.height, panel).toBeGreaterThan(180);
    await picture(page, `phone-${panel.replace(/\W+/g, "")}`);
  }
  await page.click('.rail-button[aria-expanded="true"]');
  const sizes = await page.locator("button:visible").evaluateAll((all) => all.map((b) => b.getBoundingClientRect().height));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(26);
  expect(errors).toEqual([]);
  await page.close();
});

test("the keyboard alone runs, pulls, pins and finds its way", async () => {
  const { page } = await openPage(browser, server.address);
  // From the beginning of the page to the picture, by the link that skips the rest.
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.className)).toBe("skip");
  await page.keyboard.press("Enter");
  await page.keyboard.press("g");
  // The cursor begins on cloth.
  await until(page, (studio) => (studio.app as never as { hover: { value: unknown } }).hover.value !== null);
  await page.keyboard.press("Enter");
  await until(page, (studio) => (studio.app.a.value!.frame?.grasps.length ?? 0) === 1);
  for (let k = 0; k < 8; k++) await page.keyboard.press("ArrowUp");
  await until(page, (studio) => Math.hypot(...studio.app.a.value!.frame!.grasps[0]!.force) > 0.001);
  await picture(page, "keyboard");
  await page.keyboard.press("Enter");
  await until(page, (studio) => studio.app.a.value!.frame!.grasps.length === 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Space");
  await until(page, (studio) => !studio.app.a.value!.clock.playing);
  // Every control can be reached with Tab, and shows that it has been.
  const reached = new Set<string>();
  for (let k = 0; k < 40; k++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
  }
  for (const name of ["Save a picture", "Play", "Time", "Pace"]) expect([...reached]).toContain(name);
  await page.close();
});

test("a picture and a video are saved", async () => {
  const { page } = await openPage(browser, server.address);
  const [still] = await Promise.all([page.waitForEvent("download"), page.click('[aria-label="Save a picture"]')]);
  expect(still.suggestedFilename()).toMatch(/^hanging-sheet-0\.000s\.png$/);
  await page.click('[aria-label="Record a video"]');
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.6);
  const [film] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("v")]);
  expect(film.suggestedFilename()).toBe("hanging-sheet.webm");
  const bytes = readFileSync((await film.path())!);
  expect(bytes.length).toBeGreaterThan(2000);
  expect(bytes.subarray(0, 4).toString("hex")).toBe("1a45dfa3"); // what every WebM begins with
  await page.close();
});

test("a page that is opened again starts again", async () => {
  const { page } = await openPage(browser, server.address);
  await page.reload();
  await ready(page);
  expect(await page.textContent("#title")).toBe("Hanging sheet");
  await page.close();
});

// Last: it takes the server away.
test("after the server is started anew, the page connects again and goes on", async () => {
  const { page } = await openPage(browser, server.address);
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.2);
  await server.kill();
  await until(page, (studio) => studio.app.connection.value === "lost" || studio.app.connection.value === "connecting");
  await page.waitForFunction(() => /connect|connection/i.test(document.getElementById("state")!.textContent ?? ""));
  await picture(page, "lost");
  await server.restart();
  await until(page, (studio) => studio.app.connection.value === "open", 25_000);
  await until(page, (studio) => studio.app.a.value?.frame?.frame === 0 && !studio.app.opening.value, 25_000);
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.2);
  await page.close();
});

test("after a new start of the server, B stands beside A again, and what is being written stays", async () => {
  const { page } = await openPage(browser, server.address);
  await page.keyboard.press("5");
  await page.selectOption("#variant-field", { label: "cloth.sheet.damping" });
  await page.fill("#variant-value", "8.0");
  await page.click("#compare");
  await until(page, (studio) => Boolean(studio.app.b.value?.frame) && !studio.app.opening.value);
  const labels = await page.textContent(".names");
  await page.evaluate(() => {
    const { app } = (window as never as { studio: Studio }).studio;
    Object.assign(window, { before: [app.a.value, app.b.value] });
  });
  // In the middle of a word, the text makes no scene.
  await page.evaluate(() => {
    const { app } = (window as never as { studio: { app: { draft: { value: { text: string } } } } }).studio;
    app.draft.value = { ...app.draft.value, text: `${app.draft.value.text}\n[cloth.` };
  });
  await server.restart();
  await page.waitForFunction(() => {
    const { studio, before } = window as never as { studio: Studio; before: unknown[] };
    const { a, b, opening } = studio.app;
    return a.value?.frame && b.value?.frame && !opening.value && a.value !== before[0] && b.value !== before[1];
  }, undefined, { timeout: 60_000 });
  expect(await page.textContent(".names")).toBe(labels);
  expect(await ask(page, (studio) => studio.app.draft.value.text)).toMatch(/\[cloth\.$/);
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.2 && studio.app.b.value!.clock.time > 0.15);
  await page.close();
});
