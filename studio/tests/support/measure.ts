// Pictures a second at 65×65 nodes, and how long a pull takes to be seen at 33×33. Not a test: what a machine can do
// is to be read, not to be demanded. `npm run measure` with TOILE_BIN.

import { loadavg } from "node:os";
import { ask, nodeOnScreen, openPage, startBrowser, until } from "./browser.ts";
import { hanging } from "./scenes.ts";
import { startServer } from "./server.ts";
import type { Browser, Page } from "playwright-core";
import { test } from "vitest";

const SECONDS = 8;

async function withPage(cells: number, work: (page: Page) => Promise<void>): Promise<void> {
  const server = await startServer({ "scene.toml": hanging(cells) }, "scene.toml");
  let browser: Browser | null = null;
  try {
    browser = await startBrowser();
    await work((await openPage(browser, server.address)).page);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

test("pictures a second", async () => {
  await withPage(64, async (page) => {
    await page.click('[aria-label="Play"]');
    await page.waitForTimeout(3000);
    const state = () => ask(page, (studio) => ({
      pictures: studio.stage.pictures, time: studio.app.a.value!.clock.time, frames: studio.app.a.value!.clock.frame,
      ratio: studio.stage.pixelRatio, software: studio.stage.software, now: performance.now(),
    }));
    const [before] = [await state()];
    await page.waitForTimeout(1000 * SECONDS);
    const after = await state();
    const seconds = (after.now - before.now) / 1000;
    console.log(`65×65: ${((after.pictures - before.pictures) / seconds).toFixed(1)} pictures a second at ${after.ratio.toFixed(2)} `
      + `of the pixels a side (1440×900, software GL: ${after.software}); the simulation ran at `
      + `${((after.time - before.time) / seconds).toFixed(2)} of real time; load ${loadavg()[0]!.toFixed(1)}`);
  });
});

test("from a pull to its picture", async () => {
  await withPage(32, async (page) => {
    const from = await nodeOnScreen(page, 34 * 8);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y);
    await until(page, (studio) => (studio.app.a.value!.frame?.grasps.length ?? 0) > 0);
    await page.waitForTimeout(2000);
    // Each movement is timed from the event to the end of the first picture with its place in it.
    await page.evaluate(() => {
      interface Inner { stage: { onAfter(f: () => void): void }; app: { a: { value: { frame: { grasps: { to: number[] }[] } } } } }
      const { studio } = window as never as { studio: Inner };
      const found: number[] = [];
      let moved: { at: number; was: string } | null = null;
      const now = (): string => studio.app.a.value.frame.grasps[0]?.to.join() ?? "";
      window.addEventListener("pointermove", () => (moved ??= { at: performance.now(), was: now() }), { capture: true });
      studio.stage.onAfter(() => {
        if (!moved || now() === moved.was) return;
        found.push(performance.now() - moved.at);
        moved = null;
      });
      Object.assign(window, { latencies: found });
    });
    for (let k = 0; k < 24; k++) {
      await page.mouse.move(from.x + 10 + (k % 2 ? 60 : 0), from.y - 3 * k);
      await page.waitForTimeout(260);
    }
    const found = await page.evaluate(() => (window as never as { latencies: number[] }).latencies.sort((a, b) => a - b));
    console.log(`33×33: ${found[found.length >> 1]?.toFixed(0)} ms from a movement to its picture (middle of ${found.length}, `
      + `worst ${found.at(-1)?.toFixed(0)} ms); load ${loadavg()[0]!.toFixed(1)}`);
    await page.mouse.up();
  });
});
