// A simulation that runs for minutes, as fast as it goes, and is pulled at, scrubbed and looked at in all colours
// meanwhile: what server and page hold in memory. Not a test: `npm run soak` with TOILE_BIN; MINUTES says how long.

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import { ask, nodeOnScreen, openPage, startBrowser, until } from "./browser.ts";
import { hanging, quick } from "./scenes.ts";
import { startServer } from "./server.ts";

const MINUTES = Number(process.env.MINUTES ?? 5);
const EVERY = 15; // s between two looks
const CELLS = 32;
// Quick cloth fills the history within minutes.
const SCENE = quick(hanging(CELLS, `
[body.ball]
shape.sphere = { radius = 0.2 }
place = { at = [0.0, -0.1, 0.6] }

[environment.air]
wind = [0.0, 1.0, 0.0]
`));

interface Look { minutes: number; server: number; heap: number; page: number; nodes: number; time: number; rows: number; pictures: number }

/** What a process holds of real memory (MB). */
function resident(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}

/** The processes of the browser that draw pages: those with our own temporary profile. */
function renderers(): number[] {
  const own = new Set([process.pid]);
  const parents = new Map<number, number>();
  const lines = new Map<number, string>();
  for (const name of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
      lines.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8"));
    } catch {
      // It has ended.
    }
  }
  for (let grew = true; grew;) {
    grew = false;
    for (const [pid, parent] of parents)
      if (own.has(parent) && !own.has(pid)) {
        own.add(pid);
        grew = true;
      }
  }
  return [...own].filter((pid) => /--type=renderer/.test(lines.get(pid) ?? ""));
}

async function look(page: Page, cdp: CDPSession, pid: number, began: number): Promise<Look> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const metric = (name: string): number => metrics.find((m) => m.name === name)?.value ?? NaN;
  const state = await ask(page, (studio) => ({
    time: studio.app.a.value!.clock.time, pictures: studio.stage.pictures,
    rows: (studio.app.a.value as never as { table: { rows: number } }).table.rows,
  }));
  return {
    minutes: (performance.now() - began) / 60_000, server: resident(pid), heap: metric("JSHeapUsedSize") / 2 ** 20,
    page: renderers().reduce((sum, one) => sum + resident(one), 0), nodes: metric("Nodes"), ...state,
  };
}

/** Pulls at the cloth, goes back in time and on from there, and looks at it in another colour. */
async function handle(page: Page, round: number): Promise<void> {
  const from = await nodeOnScreen(page, (CELLS + 1) * 8);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let k = 0; k < 8; k++) {
    await page.mouse.move(from.x + 6 * k, from.y - 4 * k);
    await page.waitForTimeout(60);
  }
  await page.mouse.up();
  const colours = ["cloth", "stretch", "gap", "force", "friction", "speed", "curvature"];
  await page.selectOption("#colour", colours[round % colours.length]!);
  if (round % 4 === 3) {
    const time = await ask(page, (studio) => studio.app.a.value!.clock.time);
    await page.fill("#scrub", String(0.8 * time));
    await page.waitForTimeout(800);
    await page.keyboard.press("Escape");
    await page.click('[aria-label="Play"]').catch(() => undefined);
  }
  if (round % 6 === 5) for (const key of ["n", "d"]) await page.keyboard.press(key);
}

test("memory stays flat", async () => {
  const server = await startServer({ "scene.toml": SCENE }, "scene.toml");
  const browser = await startBrowser();
  try {
    const { page, errors } = await openPage(browser, server.address);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable");
    await page.selectOption("#pace", "0");
    await page.click('[aria-label="Play"]');
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.5, 60_000);
    const began = performance.now();
    const looks: Look[] = [];
    console.log("minutes  server MB  page MB  of that scripts MB  elements  simulated s  rows  pictures");
    for (let round = 0; performance.now() - began < 60_000 * MINUTES; round++) {
      await handle(page, round);
      await page.waitForTimeout(Math.max(0, began + 1000 * EVERY * (round + 1) - performance.now()));
      const now = await look(page, cdp, server.pid, began);
      looks.push(now);
      console.log([now.minutes.toFixed(2), now.server.toFixed(0), now.page.toFixed(0), now.heap.toFixed(1), now.nodes, now.time.toFixed(1),
        now.rows, now.pictures].join("  "));
    }
    // From the middle on nothing may be larger than before it by more than noise: a leak grows as long as it is fed.
    const half = looks.length >> 1;
    const most = (part: Look[], of: keyof Look): number => Math.max(...part.map((l) => l[of]));
    for (const of of ["server", "page", "heap", "nodes"] as const)
      console.log(`${of}: ${most(looks.slice(0, half), of).toFixed(1)} at the most in the first half, ${most(looks.slice(half), of).toFixed(1)} in the second`);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
    await server.stop();
  }
});
