// Pictures a second at 65×65 nodes, and how long a pull takes to be seen at 33×33. Not a test: what a machine can do
// is to be read, not to be demanded. `npm run measure` with TOILE_BIN.

import { loadavg } from "node:os";
import { ask, nodeOnScreen, openPage, startBrowser, until } from "./browser.ts";
import { hanging, quick } from "./scenes.ts";
import { startServer } from "./server.ts";
import type { Browser, Page } from "playwright-core";
import { test } from "vitest";

const SECONDS = 8;

/** Default cloth, and the quickest. */
const CLOTHS: [string, (scene: string) => string][] = [["default cloth", (scene) => scene], ["springs", quick]];

async function withPage(scene: string, work: (page: Page) => Promise<void>): Promise<void> {
  const server = await startServer({ "scene.toml": scene }, "scene.toml");
  let browser: Browser | null = null;
  try {
    browser = await startBrowser();
    await work((await openPage(browser, server.address)).page);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

test.each(CLOTHS)("pictures a second of %s", async (name, made) => {
  await withPage(made(hanging(64)), async (page) => {
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
    console.log(`65×65, ${name}: ${((after.pictures - before.pictures) / seconds).toFixed(1)} pictures a second at ${after.ratio.toFixed(2)} `
      + `of the pixels a side (1440×900, software GL: ${after.software}); the simulation ran at `
      + `${((after.time - before.time) / seconds).toFixed(2)} of real time; load ${loadavg()[0]!.toFixed(1)}`);
  });
});

// What the machine could do at all: a canvas of the same size, in the same page's place, that is only cleared; then what a
// picture of the studio costs in the page's scripts, and until the last pixel is drawn.
test("what the machine can do", async () => {
  await withPage(hanging(64), async (page) => {
    await page.click('[aria-label="Play"]');
    await until(page, (studio) => studio.app.a.value!.clock.time > 0.5, 60_000);
    await page.click('[aria-label="Pause"]');
    await page.waitForTimeout(1500);
    const costs = await page.evaluate(async () => {
      interface Inner {
        stage: {
          renderer: { getContext(): WebGL2RenderingContext; setPixelRatio(r: number): void; setSize(w: number, h: number, style: boolean): void };
          canvas: HTMLCanvasElement; draw(): void; hurry(on: boolean): void; onBeforeAll?: unknown;
          before: ((now: number) => boolean)[];
        };
        app: { a: { value: { put(frame: unknown): void; frame: unknown } } };
      }
      const { studio } = window as never as { studio: Inner };
      const { stage } = studio;
      const gl = stage.renderer.getContext();
      const pixel = new Uint8Array(4);
      const middle = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1]!;
      const cost = (ratio: number, quick: boolean): { scripts: number; drawing: number } => {
        stage.renderer.setPixelRatio(ratio);
        stage.renderer.setSize(stage.canvas.clientWidth, stage.canvas.clientHeight, false);
        stage.hurry(quick);
        const [scripts, drawing]: number[][] = [[], []];
        for (let k = 0; k < 12; k++) {
          const show = studio.app.a.value;
          const began = performance.now();
          show.put(show.frame);
          for (const listener of stage.before) listener(began);
          stage.draw();
          const told = performance.now();
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
          scripts!.push(told - began);
          drawing!.push(performance.now() - told);
        }
        return { scripts: middle(scripts!), drawing: middle(drawing!) };
      };
      const drawn = [[0.25, true], [0.4, true], [0.6, true], [1, true], [1, false], [1.25, false]].map(([ratio, quick]) =>
        ({ ratio: ratio as number, quick: quick as boolean, ...cost(ratio as number, quick as boolean) }));
      const empty: { ratio: number; rate: number }[] = [];
      for (const ratio of [0.25, 0.4, 0.6, 1]) {
        const canvas = document.createElement("canvas");
        const [width, height] = [stage.canvas.clientWidth, stage.canvas.clientHeight];
        [canvas.width, canvas.height] = [ratio * width, ratio * height];
        canvas.style.cssText = `position:absolute;left:0;top:0;width:${width}px;height:${height}px`;
        stage.canvas.parentElement!.append(canvas);
        const context = canvas.getContext("webgl2", { antialias: false })!;
        let count = 0;
        const began = performance.now();
        await new Promise<void>((resolve) => {
          const go = (): void => {
            context.clearColor((count % 60) / 60, 0.5, 0.5, 1);
            context.clear(context.COLOR_BUFFER_BIT);
            count++;
            if (performance.now() - began < 3000) requestAnimationFrame(go);
            else resolve();
          };
          requestAnimationFrame(go);
        });
        empty.push({ ratio, rate: (1000 * count) / (performance.now() - began) });
        context.getExtension("WEBGL_lose_context")?.loseContext();
        canvas.remove();
      }
      return { drawn, empty };
    });
    for (const { ratio, rate } of costs.empty)
      console.log(`an empty canvas at ${ratio} of the pixels a side: ${rate.toFixed(1)} pictures a second`);
    for (const { ratio, quick, scripts, drawing } of costs.drawn)
      console.log(`a picture of 65×65 at ${ratio}${quick ? ", in motion" : ", still"}: ${scripts.toFixed(1)} ms in scripts, ${drawing.toFixed(1)} ms of drawing`);
  });
});

test.each(CLOTHS)("from a pull to its picture, %s", async (name, made) => {
  await withPage(made(hanging(32)), async (page) => {
    const from = await nodeOnScreen(page, 34 * 8);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y);
    await until(page, (studio) => (studio.app.a.value!.frame?.grasps.length ?? 0) > 0);
    await page.waitForTimeout(2000);
    // Each movement is timed from the event to the end of the first picture that was simulated after it was heard of.
    await page.evaluate(() => {
      interface Session { command(command: { do: string }): Promise<{ after?: number }> }
      interface Inner { stage: { onAfter(f: () => void): void }; app: { a: { value: { session: Session; frame: { frame: number } } } } }
      const { studio } = window as never as { studio: Inner };
      const found: number[] = [];
      const { session } = studio.app.a.value;
      const command = session.command.bind(session);
      let moved: { at: number; after: number } | null = null;
      window.addEventListener("pointermove", () => (moved ??= { at: performance.now(), after: Infinity }), { capture: true });
      session.command = (asked) => {
        const of = asked.do === "moveGrasp" ? moved : null;
        const answer = command(asked);
        if (of) void answer.then(({ after }) => (of.after = Math.min(of.after, after!)));
        return answer;
      };
      studio.stage.onAfter(() => {
        if (!moved || studio.app.a.value.frame.frame <= moved.after) return;
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
    console.log(`33×33, ${name}: ${found[found.length >> 1]?.toFixed(0)} ms from a movement to its picture (middle of ${found.length}, `
      + `worst ${found.at(-1)?.toFixed(0)} ms); load ${loadavg()[0]!.toFixed(1)}`);
    await page.mouse.up();
  });
});
