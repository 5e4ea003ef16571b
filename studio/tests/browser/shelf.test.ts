// Finished runs on the shelf, looked at in the same picture and held against each other.

import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, openPage, picture, startBrowser, until } from "../support/browser.ts";
import { hanging } from "../support/scenes.ts";
import { BINARY, startServer, type Server } from "../support/server.ts";

let browser: Browser;
let server: Server;
let page: Page;
let errors: string[];

const short = (title: string, damping: string): string => hanging(10)
  .replace("Hanging sheet", title).replace("duration = 3.0", "duration = 0.4").replace("damping = 0.6", `damping = ${damping}`);

beforeAll(async () => {
  server = await startServer({ "one.toml": short("One", "0.6"), "two.toml": short("Two", "9.0") }, "one.toml");
  for (const name of ["one", "two"]) execFileSync(BINARY, ["run", `${name}.toml`], { cwd: server.folder, stdio: "ignore" });
  browser = await startBrowser();
  ({ page, errors } = await openPage(browser, server.address));
  await page.keyboard.press("4");
  await page.waitForSelector(".item");
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test("runs are on the shelf with a picture and a few words", async () => {
  expect(await page.locator(".item").count()).toBe(2);
  expect(await page.textContent(".shelf-list")).toMatch(/One[\s\S]*|Two[\s\S]*/);
  await page.waitForFunction(() => [...document.querySelectorAll<HTMLImageElement>(".item img")].every((i) => i.naturalWidth > 10));
  await picture(page, "shelf");
});

test("a run opens in the picture, plays, and can be scrubbed", async () => {
  await page.click(".item:has-text('One') .item-main");
  await until(page, (studio) => studio.app.a.value?.title === "One" && !studio.app.a.value.session && Boolean(studio.app.a.value.frame));
  expect(await ask(page, (studio) => studio.app.a.value!.clock.last)).toBe(10);
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.1);
  await page.click('[aria-label="Pause"]');
  await page.fill("#scrub", "0.4");
  await until(page, (studio) => studio.app.a.value!.frame?.frame === 10);
  await page.keyboard.press("n");
  await page.waitForSelector(".u-over");
  expect(await picture(page, "recording")).toBeGreaterThan(200);
  await page.keyboard.press("n");
});

test("two runs stand beside each other in one clock, with their difference", async () => {
  await page.click('[aria-label="Show Two beside"]');
  await until(page, (studio) => Boolean(studio.app.b.value?.frame));
  await page.fill("#scrub", "0.4");
  await until(page, (studio) => studio.app.b.value!.frame?.frame === 10);
  await page.selectOption("#colour", "difference");
  await until(page, (studio) => studio.colourist.seen[1] > 0.005);
  expect(await picture(page, "two-runs")).toBeGreaterThan(200);
});

test("a run can be exported", async () => {
  await page.click('[aria-label="Export One"]');
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".choice:has-text('csv')")]);
  expect(file.suggestedFilename()).toMatch(/csv$/);
});

test("nothing went wrong meanwhile", () => {
  expect(errors).toEqual([]);
});
