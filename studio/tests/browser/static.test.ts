// The page without a server: without its engine it says what is missing; with it (TOILE_WASM, the compiled file), a
// scene runs in the browser.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { ask, openPage, picture, startBrowser, until } from "../support/browser.ts";

const STUDIO = fileURLToPath(new URL("../../", import.meta.url));
const WASM = process.env.TOILE_WASM ?? "";
const TYPES: Record<string, string> = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

let folder: string;
let server: Server;
let address: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "toile-static-"));
  execFileSync("npx", ["vite", "build", "--mode", "static", "--outDir", folder, "--emptyOutDir"], { cwd: STUDIO, stdio: "ignore" });
  server = createServer((request, response) => {
    const path = join(folder, normalize(new URL(request.url ?? "/", "http://x").pathname).replace(/\/$/, "/index.html"));
    if (!path.startsWith(folder) || !existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}/`;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("without the engine the page says what is missing", async () => {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForSelector("[role=alert]");
  expect(await page.textContent("[role=alert]")).toMatch(/cargo xtask studio --static/);
  await page.close();
});

test.skipIf(!WASM)("with the engine a scene runs in the browser", async () => {
  mkdirSync(join(folder, "engine"));
  copyFileSync(WASM, join(folder, "engine/toile_web.wasm"));
  const { page, errors } = await openPage(browser, address);
  expect(await page.textContent("#title")).toBe("Hanging sheet");
  await page.click('[aria-label="Play"]');
  await until(page, (studio) => studio.app.a.value!.clock.time > 0.2, 60_000);
  await page.click('[aria-label="Pause"]');
  const lowest = await ask(page, (studio) => Math.min(...studio.app.a.value!.actor.positions.filter((_, k) => k % 3 === 2)));
  expect(Number.isFinite(lowest)).toBe(true);
  expect(await picture(page, "static")).toBeGreaterThan(200);
  await page.keyboard.press("1");
  await page.waitForSelector(".cm-content");
  expect(await page.locator(".rail-button:has-text('Shelf')").count()).toBe(0); // there is no folder
  expect(errors).toEqual([]);
  await page.close();
});
