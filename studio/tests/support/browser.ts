// A browser for the tests, and what they ask a page.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = fileURLToPath(new URL("../browser/pictures/", import.meta.url));

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--ignore-gpu-blocklist",
];

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`there is no browser at ${executablePath}; CHROMIUM names another`);
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface Watched {
  page: Page;
  /** Errors of the page's scripts. */
  errors: string[];
}

/** Opens a page and waits until its first picture of cloth is there. */
export async function openPage(browser: Browser, address: string, viewport = DESK): Promise<Watched> {
  const page = await browser.newPage({ viewport });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION/.test(message.text())) errors.push(message.text());
  });
  await page.goto(address);
  await ready(page);
  return { page, errors };
}

export async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { studio } = window as never as { studio?: Studio };
    return Boolean(studio?.app.a.value?.frame && !studio.app.opening.value);
  }, undefined, { timeout: 30_000 });
}

/** What tests may ask of the page's own state. */
export interface Studio {
  app: {
    a: { value: ShownState | null };
    b: { value: ShownState | null };
    opening: { value: boolean };
    running: { value: string };
    draft: { value: { text: string } };
    colour: { value: string };
    connection: { value: string };
    check: { value: { problems: unknown[] } | null };
  };
  stage: {
    pictures: number; software: boolean; pixelRatio: number;
    project(actor: unknown, point: ArrayLike<number>): { x: number; y: number };
  };
  grasper: { active: unknown; sentAt: number[] };
  colourist: { range: number; seen: [number, number] };
}

export interface ShownState {
  frame: { frame: number; time: number; grasps: { to: number[]; at: number[]; force: number[] }[] } | null;
  clock: { playing: boolean; time: number; frame: number; last: number; factor: number | null };
  actor: { positions: Float32Array };
  model: { nodeCount: number; cloths: { name: string }[] };
  title: string;
  session?: { id: number };
}

/** Asks the page something; the function runs there. */
export async function ask<T>(page: Page, question: (studio: Studio) => T): Promise<T> {
  const studio = await page.evaluateHandle(() => (window as never as { studio: Studio }).studio);
  return (await page.evaluate(question as never, studio)) as T;
}

/** Waits until the page says yes. Handed over as a function: the page's policy allows no text to become one. */
export async function until(page: Page, question: (studio: Studio) => unknown, timeout = 120_000): Promise<void> {
  const studio = await page.evaluateHandle(() => (window as never as { studio: Studio }).studio);
  await page.waitForFunction(question as never, studio, { timeout });
}

/** Where a node is on the screen. */
export async function nodeOnScreen(page: Page, node: number): Promise<{ x: number; y: number }> {
  return page.evaluate((k) => {
    const { studio } = window as never as { studio: Studio };
    const { actor } = studio.app.a.value!;
    const at = studio.stage.project(actor, actor.positions.subarray(3 * k, 3 * k + 3));
    const box = document.getElementById("canvas")!.getBoundingClientRect();
    return { x: box.left + at.x, y: box.top + at.y };
  }, node);
}

/** Saves a picture for people and says how many colours the middle of the page has: a blank one has a few. */
export async function picture(page: Page, name: string): Promise<number> {
  mkdirSync(PICTURES, { recursive: true });
  const bytes = await page.screenshot({ path: `${PICTURES}${name}.png` });
  return page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d")!;
    context.drawImage(image, 0, 0);
    const box = document.getElementById("canvas")!.getBoundingClientRect();
    const { data } = context.getImageData(box.left + 0.2 * box.width, box.top + 0.1 * box.height, 0.6 * box.width, 0.8 * box.height);
    const colours = new Set<number>();
    for (let k = 0; k < data.length; k += 4) colours.add((data[k]! << 16) | (data[k + 1]! << 8) | data[k + 2]!);
    return colours.size;
  }, bytes.toString("base64"));
}

/** What axe finds serious. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = window as never as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } };
    return (await axe.run()).violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((n) => n.html.slice(0, 160)) }));
  });
  return found.filter(({ impact }) => impact === "serious" || impact === "critical").map((v) => `${v.id}: ${v.html.join(" | ")}`);
}
