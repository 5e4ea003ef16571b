// Every screen at two sizes, by day and by night, as pictures to look at (tests/browser/pictures). Not a test:
// `npm run screens` with TOILE_BIN.

import { execFileSync } from "node:child_process";
import { test } from "vitest";
import type { Page } from "playwright-core";
import { DESK, PHONE, nodeOnScreen, openPage, picture, startBrowser, until } from "./browser.ts";
import { hanging } from "./scenes.ts";
import { BINARY, startServer } from "./server.ts";

const BALL = hanging(32, `
[body.ball]
shape.sphere = { radius = 0.2 }
place = { at = [0.0, -0.1, 0.6] }

[environment.air]
wind = [0.0, 0.0, 0.0]
`).replace("damping = 0.6", "damping = 0.6\nlimit.stretch = { stretch = 0.03 }");
const RUN = hanging(16).replace("duration = 3.0", "duration = 0.6");
const TORN_OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0.4\nv 0.5 0.5 0.4\nf 1 2 5\nf 2 3 6\nf 3 4 5\nf 4 1 5\nf 1 2 3\n";

async function still(page: Page, milliseconds = 1200): Promise<void> {
  await page.waitForTimeout(milliseconds);
}

test("screens", async () => {
  const server = await startServer({ "ball.toml": BALL, "run.toml": RUN, "other.toml": RUN.replace("Hanging sheet", "Stiffer sheet").replace("damping = 0.6", "damping = 6.0") }, "ball.toml");
  for (const name of ["run", "other"]) execFileSync(BINARY, ["run", `${name}.toml`], { cwd: server.folder, stdio: "ignore" });
  execFileSync(BINARY, ["lab", "run", "pendulum", "--quick", "--out", "lab"], { cwd: server.folder, stdio: "ignore" });
  const browser = await startBrowser();
  try {
    for (const [size, viewport] of [["desk", DESK], ["phone", PHONE]] as const) {
      const { page } = await openPage(browser, server.address, viewport);
      const shot = async (name: string): Promise<void> => void (await picture(page, `${size}-${name}`));
      await page.click('[aria-label="Play"]');
      await until(page, (studio) => studio.app.a.value!.clock.time > 0.6, 60_000);
      await shot("moving");
      await page.click('[aria-label="Pause"]');
      await still(page);
      await shot("view");
      const from = await nodeOnScreen(page, 33 * 24 + 26);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x - 50, from.y - 60, { steps: 5 });
      await still(page, 1500);
      await shot("pulling");
      await page.mouse.up();
      await page.keyboard.press("Space");
      for (const [key, name] of [["1", "scene"], ["2", "knobs"], ["3", "look"], ["4", "shelf"], ["5", "compare"]] as const) {
        await page.keyboard.press(key);
        await still(page);
        await shot(name);
        if (name === "look") {
          for (const toggle of ["Wireframe", "Warp and weft", "Contacts"]) await page.click(`.toggle:has-text("${toggle}")`);
          await page.selectOption("#colour", "stretch");
          await page.click('[aria-label="Step"]');
          await still(page, 1800);
          await shot("look-all");
          for (const toggle of ["Wireframe", "Warp and weft", "Contacts"]) await page.click(`.toggle:has-text("${toggle}")`);
          await page.selectOption("#colour", "cloth");
        }
        if (name === "compare") {
          await page.selectOption("#variant-field", { label: "cloth.sheet.damping" });
          await page.fill("#variant-value", "8.0");
          await page.click("#compare");
          await until(page, (studio) => Boolean(studio.app.b.value?.frame) && !studio.app.opening.value);
          await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
          await page.click('[aria-label="Play"]');
          await until(page, (studio) => studio.app.a.value!.clock.time > 0.6, 60_000);
          await page.click('[aria-label="Pause"]');
          await page.click("#difference");
          await still(page, 1800);
          await shot("compared");
          await page.click(".compare >> text=End");
        }
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        await page.click('.rail-button[aria-expanded="true"]');
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      }
      await page.keyboard.press("n");
      await page.keyboard.press("d");
      await still(page);
      await shot("numbers-pattern");
      await page.click('[aria-label="Day or night"]');
      await still(page);
      await shot("night");
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.press("n");
      await page.keyboard.press("d");
      await page.keyboard.press("1");
      await page.waitForSelector(".cm-content");
      await page.evaluate(() => {
        const { app } = (window as never as { studio: { app: { draft: { value: { text: string } } } } }).studio;
        app.draft.value = { ...app.draft.value, text: app.draft.value.text.replace("damping", "dampin") };
      });
      await page.waitForSelector(".problem");
      await page.hover(".cm-lintRange-error");
      await still(page);
      await shot("error-night");
      await page.click(".problem .plain");
      await page.click('[aria-label="Day or night"]');
      await page.evaluate((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "torn.obj"));
        for (const kind of ["dragenter", "dragover", "drop"])
          document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
      }, TORN_OBJ);
      await page.waitForSelector("dialog");
      await still(page, 600);
      await shot("mesh-doctor");
      await page.keyboard.press("Escape");
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.click(".rail-button:has-text('Shelf')");
      await page.waitForSelector(".item");
      await page.click('.item:has-text("pendulum") .item-main');
      await page.waitForSelector(".result table");
      await still(page, 1500);
      await shot("result");
      await page.click('[aria-label="Back to the shelf"]');
      await page.click('[aria-label^="Lab experiment"]');
      await page.click("dialog .choice:has-text('pendulum')");
      await page.waitForSelector(".job progress");
      await still(page, 1500);
      await shot("job");
      await page.waitForSelector(".job:has-text('done')", { timeout: 120_000 });
      await page.click(".item:has-text('Hanging sheet') .item-main");
      await still(page, 1500);
      await page.click('[aria-label="Show Stiffer sheet beside"]');
      await still(page, 1500);
      await page.fill("#scrub", "0.4");
      await still(page);
      await shot("two-runs");
      await page.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
});
