// What an experiment, a test, a fit or a sweep found, beside the picture: ours and the paper's numbers in one table,
// the pictures it left, and its clips, which open in the same viewer.

import { readable } from "virtual:player";
import type { App } from "../app/app.ts";
import { cellsOf } from "../app/numbers.ts";
import type { ShelfItem } from "../protocol.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { beside } from "./compare.ts";

/** As the lab writes it. */
interface Outcome {
  title: string;
  reproduces: string;
  about?: string;
  quick: boolean;
  parameters?: { name: string; value: string }[];
  measurements: Measurement[];
  notes: string[];
  pictures: string[];
  clips?: { title: string; path: string }[];
  seconds: number;
}

interface Measurement {
  what: string;
  unit: string;
  measured: number | null;
  reference: number | null;
  tolerance: number | null;
  holds: boolean;
}

const MOST_ROWS = 200;
/** Where each kind has its numbers, and the pictures that it may have left. */
const TABLES: Partial<Record<ShelfItem["kind"], string>> = { sweep: "results.csv", comparison: "compare.csv", fit: "fit.json" };
const TESTS = ["cusick", "cantilever", "bias", "hanging"];

/** Whether there is more to say of an item than its recording. */
export const hasResult = (item: ShelfItem): boolean => item.kind !== "run";

export async function resultOf(app: App, item: ShelfItem): Promise<HTMLElement> {
  if (item.kind === "lab") return outcome(app, item.path, JSON.parse(await app.engine.readFile(item.path)) as Outcome);
  const inside = (name: string): string => `${item.path}/${name}`;
  if (item.kind === "textile") return textile(app, item);
  const name = TABLES[item.kind];
  const text = name ? await app.engine.readFile(inside(name)) : "";
  return h("div", { class: "result" },
    name?.endsWith(".csv") ? csv(text) : numbers(JSON.parse(text || "{}") as object),
    item.thumbnail && picture(item.thumbnail, item.title));
}

function outcome(app: App, path: string, found: Outcome): HTMLElement {
  const place = path.replace(/[^/]*$/, "");
  const held = found.measurements.filter(({ holds }) => holds).length;
  return h("div", { class: "result" },
    h("p", {}, found.reproduces),
    found.about && h("p", { class: "quiet" }, found.about),
    h("p", { class: held === found.measurements.length ? "holds" : "fails" },
      `${held} of ${found.measurements.length} measurements hold${found.quick ? ", in the short version" : ""}.`),
    found.measurements.length > 0 && h("div", { class: "wide-table", tabindex: 0, role: "region", "aria-label": "Measurements" },
      h("table", {},
        h("thead", {}, h("tr", {}, ["ours", "reference", "may differ by", "verdict"].map((text) => h("th", { scope: "col" }, text)))),
        found.measurements.map(row))),
    (found.clips?.length ?? 0) > 0 && h("section", {}, h("h3", {}, "Clips"), found.clips!.map((clip) => h("div", { class: "bar-row" },
      button({ label: `Show ${clip.title}`, text: clip.title || clip.path }, () => void app.openRecording(place + clip.path)),
      app.a.value && button({ label: `Show ${clip.title} beside`, text: "beside" }, () => void beside(app, place + clip.path, clip.title))))),
    found.pictures.map((name) => picture(app.engine.fileAddress(place + name), name.replace(/^.*\//, "").replace(/\.png$/, "").replace(/-/g, " "))),
    found.notes.length > 0 && h("section", {}, h("h3", {}, "Remarks"), found.notes.map((note) => h("p", { class: "quiet" }, note))),
    (found.parameters?.length ?? 0) > 0 && h("section", {}, h("h3", {}, "Settings"),
      h("dl", { class: "pairs" }, found.parameters!.map(({ name, value }) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))));
}

// What was measured in a line of its own: the drawer is narrow.
function row(m: Measurement): HTMLElement {
  const unit = m.unit ? ` ${m.unit}` : "";
  return h("tbody", { class: m.holds ? "" : "fails" },
    h("tr", {}, h("th", { scope: "rowgroup", colspan: 4 }, m.what)),
    h("tr", {}, [m.measured, m.reference, m.tolerance].map((value) => h("td", {}, value === null ? "–" : `${readable(value)}${unit}`)),
      h("td", {}, m.holds ? "holds" : "fails")));
}

async function textile(app: App, item: ShelfItem): Promise<HTMLElement> {
  // Only the drape test leaves its numbers beside its pictures.
  const found = await app.engine.readFile(`${item.path}/cusick.json`).then((text) => JSON.parse(text) as object, () => null);
  const names = found ? ["cusick", "profile"] : TESTS.filter((name) => item.thumbnail?.includes(`${name}.png`));
  return h("div", { class: "result" }, found && numbers(found),
    names.map((name) => picture(app.engine.fileAddress(`${item.path}/${name}.png`), name)));
}

/** The single numbers and words of a JSON file. */
function numbers(found: object): HTMLElement {
  const lines: [string, string][] = [];
  const add = (name: string, value: unknown): void => {
    if (typeof value === "number") lines.push([name, readable(value)]);
    else if (typeof value === "string" && value.length < 120) lines.push([name, value]);
    else if (value && typeof value === "object" && !Array.isArray(value))
      for (const [key, inner] of Object.entries(value)) add(name ? `${name} ${key}` : key, inner);
  };
  add("", found);
  return h("dl", { class: "pairs" }, lines.slice(0, MOST_ROWS).map(([name, value]) =>
    h("div", {}, h("dt", {}, name.replace(/_/g, " ")), h("dd", {}, value))));
}

function csv(text: string): HTMLElement {
  const [head, ...rows] = text.trim().split(/\r?\n/).map(cellsOf);
  return h("div", { class: "wide-table", tabindex: 0, role: "region", "aria-label": "Table" },
    h("table", {},
      h("thead", {}, h("tr", {}, (head ?? []).map((name) => h("th", { scope: "col" }, name.replace(/_/g, " "))))),
      h("tbody", {}, rows.slice(0, MOST_ROWS).map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))),
    rows.length > MOST_ROWS && h("p", { class: "quiet" }, `The first ${MOST_ROWS} of ${rows.length} rows.`));
}

function picture(address: string, name: string): HTMLElement {
  const enlarge = (): void => {
    const { body } = openDialog(name, true);
    body.append(h("img", { src: address, alt: name, class: "whole" }));
  };
  return h("figure", { class: "result-picture" },
    h("button", { type: "button", "aria-label": `Enlarge ${name}`, onclick: enlarge }, h("img", { src: address, alt: "", loading: "lazy" })),
    h("figcaption", { class: "quiet" }, name));
}
