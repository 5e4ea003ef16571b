// Finished runs on the shelf, looked at in the same picture and held against each other.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ask, faults, openPage, picture, startBrowser, until } from "../support/browser.ts";
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

test("a run can be exported in every format", async () => {
  for (const [format, extension, start] of [["csv", "csv", "time"], ["glb", "glb", "glTF"], ["usda", "usda", "#usda"], ["vtu", "zip", "PK"]] as const) {
    await page.click('[aria-label="Export One"]');
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(`.choice:has(b:text-is("${format}"))`)]);
    expect(file.suggestedFilename()).toMatch(new RegExp(`\\.${extension}$`));
    expect(readFileSync((await file.path())!).subarray(0, start.length).toString()).toBe(start);
  }
});

const finished = (): Promise<unknown> => page.waitForSelector(".job:has-text('done')", { timeout: 120_000 });

test("an experiment of the lab is started from here, and what it found stands beside the reference", async () => {
  await page.click('[aria-label^="Lab experiment"]');
  await page.waitForSelector("dialog .choice");
  await picture(page, "experiments");
  await page.click("dialog .choice:has-text('pendulum')");
  await page.waitForSelector(".job progress");
  // It was never done here, so nobody knows how long it takes.
  expect(await page.textContent(".job p")).toMatch(/^running, \d+ s$/);
  await finished();
  await page.click(".job .primary");
  await page.waitForSelector(".result table");
  expect(await page.textContent(".result thead")).toMatch(/ours.*reference/);
  expect(await page.locator(".result tbody tr").count()).toBeGreaterThan(1);
  expect(await page.textContent(".result")).toMatch(/measurements hold, in the short version/);
  await picture(page, "result");
  expect(await faults(page)).toEqual([]);
  await page.click('[aria-label="Back to the shelf"]');
  expect(await page.locator(".item:has-text('pendulum')").count()).toBeGreaterThan(0);
});

test("the second time it is known how long a job takes, and one can be stopped", async () => {
  await page.click('[aria-label^="Lab experiment"]');
  await page.click("dialog .choice:has-text('pendulum')");
  await page.waitForFunction(() => /running, about \d+ %/.test(document.querySelector(".jobs")!.textContent ?? ""));
  expect(await page.locator(".job progress").evaluate((bar: HTMLProgressElement) => bar.hasAttribute("value"))).toBe(true);
  await page.click('[aria-label^="Stop "]');
  await page.waitForSelector(".job:has-text('stopped')");
  // A test of the cloth that is being edited.
  await page.click('[aria-label^="Cusick test"]');
  await page.waitForSelector(".job:has-text('Cusick drape test')");
  await page.click('[aria-label^="Stop Cusick"]');
  await page.waitForFunction(() => document.querySelectorAll(".job progress").length === 0);
  await picture(page, "jobs");
});

test("nothing went wrong meanwhile", () => {
  expect(errors).toEqual([]);
});
