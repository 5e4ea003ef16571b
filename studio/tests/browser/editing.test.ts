// The text of a scene, its knobs, dropped files, and what is kept.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, openPage, picture, startBrowser, until } from "../support/browser.ts";
import { SQUARE_OBJ, hanging } from "../support/scenes.ts";
import { startServer, type Server } from "../support/server.ts";

let browser: Browser;
let server: Server;
let page: Page;
let errors: string[];

beforeAll(async () => {
  server = await startServer({ "hanging.toml": hanging(10) }, "hanging.toml");
  browser = await startBrowser();
  ({ page, errors } = await openPage(browser, server.address));
  await page.keyboard.press("1");
  await page.waitForSelector(".cm-content");
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const setText = async (text: string): Promise<void> => {
  await page.click(".cm-content");
  await page.keyboard.press("Control+a");
  await page.evaluate((value) => {
    const content = document.querySelector(".cm-content") as never as { cmTile?: { view: View }; cmView?: { view: View } };
    interface View { state: { doc: { length: number } }; dispatch(change: unknown): void }
    const view = (content.cmView ?? content.cmTile)?.view;
    view!.dispatch({ changes: { from: 0, to: view!.state.doc.length, insert: value } });
  }, text);
};

test("an edited field has its effect", async () => {
  await setText(hanging(10).replace("cells = [10, 10]", "cells = [14, 14]"));
  await page.waitForTimeout(600);
  await page.keyboard.press("Control+Enter");
  await until(page, (studio) => studio.app.a.value?.model.nodeCount === 225 && Boolean(studio.app.a.value.frame));
  expect(await picture(page, "edited")).toBeGreaterThan(200);
});

test("a wrong field gets its message at its line, and the mend is a click", async () => {
  await setText(hanging(10).replace("damping", "dampin"));
  await page.waitForSelector(".problem");
  expect(await page.textContent(".problem .link")).toBe("Line 10");
  expect(await page.textContent(".problem")).toMatch(/dampin/);
  await page.waitForSelector(".cm-lintRange-error");
  expect(await page.textContent(".cm-lintRange-error")).toContain("dampin");
  expect(await page.isDisabled("#run")).toBe(true);
  await picture(page, "wrong-field");
  await page.click(".problem .plain");
  await until(page, (studio) => studio.app.check.value?.problems.length === 0);
  expect(await ask(page, (studio) => studio.app.draft.value.text)).toContain("damping = 0.6");
});

test("the mend of a wrong word is a click in the text, at its place", async () => {
  await setText(hanging(10).replace("damping = 0.6", 'damping = 0.6\nmodel = "isometrik"'));
  await page.waitForSelector(".cm-lintRange-error");
  expect(await page.textContent(".cm-lintRange-error")).toContain("isometrik");
  await page.hover(".cm-lintRange-error");
  await page.waitForSelector(".cm-diagnosticAction");
  await picture(page, "mend");
  await page.click(".cm-diagnosticAction");
  await until(page, (studio) => studio.app.draft.value.text.includes('model = "isometric"'));
  await until(page, (studio) => studio.app.check.value?.problems.length === 0);
});

test("the editor completes and explains from the schema", async () => {
  await setText(hanging(10));
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n[cloth.sheet.material]\nben");
  await page.waitForSelector(".cm-tooltip-autocomplete");
  expect(await page.textContent(".cm-tooltip-autocomplete")).toContain("bend");
  await picture(page, "completion");
  await page.keyboard.press("Escape");
  await setText(hanging(10));
});

test("a knob changes the simulation and the text", async () => {
  await page.waitForTimeout(600);
  await page.keyboard.press("Control+Enter");
  await until(page, (studio) => studio.app.running.value === studio.app.draft.value.text && !studio.app.opening.value);
  await page.click(".rail-button:has-text('Knobs')");
  const knob = page.locator('[data-knob="cloth.sheet.damping"]');
  await knob.fill("2.5");
  await knob.press("Enter");
  await until(page, (studio) => studio.app.draft.value.text.includes("damping = 2.5"));
  await until(page, (studio) => studio.app.running.value === studio.app.draft.value.text && !studio.app.opening.value);
  await picture(page, "knobs");
  await page.click(".rail-button:has-text('Scene')");
  expect(await page.textContent(".cm-content")).toContain("damping = 2.5");
});

test("a dropped mesh becomes a cloth", async () => {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "square.obj"));
    for (const kind of ["dragenter", "dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, SQUARE_OBJ);
  await page.waitForSelector("dialog");
  expect(await page.textContent("dialog")).toMatch(/5 nodes/);
  await picture(page, "dropped");
  await page.click("dialog .primary");
  await until(page, (studio) => studio.app.a.value?.model.cloths.some((cloth) => cloth.name === "square"));
  expect(existsSync(join(server.folder, "square.obj"))).toBe(true);
});

test("the scene is saved under a name", async () => {
  await page.click('[aria-label^="Save as"]');
  await page.fill("dialog input", "kept.toml");
  await page.click("dialog .primary");
  await page.waitForFunction(() => document.querySelector(".file")?.textContent?.includes("kept.toml"));
  expect(readFileSync(join(server.folder, "kept.toml"), "utf8")).toContain("[cloth.square]");
});

test("a template starts a new scene", async () => {
  await page.click(".scene-panel >> text=New");
  await page.waitForSelector(".choice");
  await picture(page, "templates");
  const before = await ask(page, (studio) => studio.app.a.value!.session!.id);
  await page.click(".choice >> nth=0");
  await page.waitForFunction((id) => {
    const { studio } = window as never as { studio: { app: { a: { value: { session: { id: number }; frame: unknown } | null } } } };
    return studio.app.a.value?.session.id !== id && studio.app.a.value?.frame;
  }, before);
});

test("nothing went wrong meanwhile", () => {
  expect(errors.filter((text) => !/400|422/.test(text))).toEqual([]);
});
