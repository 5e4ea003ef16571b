// Knobs for the selected cloth and for the air, made from the schema and from the scene with all its defaults. They
// write into the text and follow it. While a knob is turned the simulation follows at once, where it can.

import { readable } from "virtual:player";
import type { App } from "../app/app.ts";
import { applyDraft, changeDraft, setInDraft, setLive } from "../app/drafting.ts";
import type { LiveShow } from "../app/show.ts";
import { entryAt, readValue, removeValue, writeNumber, writeValue, type Value } from "../toml/edit.ts";
import { scan, type Path, type Scan } from "../toml/scan.ts";
import { h, option } from "../ui/dom.ts";

/** Where a knob belongs, by the beginning of its path below the cloth. */
const GROUPS: [string, RegExp][] = [
  ["Material", /^material\./],
  ["Model", /^(model|bending|hessian|limit)/],
  ["Surface and air", /^(friction|thickness|compression|damping|virtual_mass|drag)/],
];
const LIMITS = [
  ["stretch", "of principal stretch"], ["strain", "of edges, both ways"], ["inequality", "of edges, longer only"], ["area", "of area"],
  ["lengths", "edges keep their length"], ["isometric", "isometric"],
] as const;
const LIVE_LIMIT = 60; // ms between two values while a knob is turned

interface Knob {
  path: Path;
  name: string;
  value: number;
  doc: string;
}

export class KnobsPanel {
  readonly element = h("div", { class: "panel knobs" });
  private drawn = "";
  private turning = false;

  constructor(private readonly app: App) {
    const refresh = (): void => this.refresh();
    app.a.on(refresh);
    app.cloth.on(refresh);
    app.draft.on(refresh);
    app.book.on(refresh);
    this.refresh();
  }

  private refresh(): void {
    const live = this.app.liveA();
    if (this.turning) return;
    if (!live) {
      this.drawn = "";
      return this.element.replaceChildren(h("h2", {}, "Knobs"),
        h("p", { class: "quiet" }, "A recording cannot be changed. Open a scene to turn its knobs."));
    }
    const cloth = this.app.cloth.value ?? "";
    const key = JSON.stringify([cloth, live.session.id, this.app.draft.value.text, this.app.book.value !== null]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = document.activeElement?.getAttribute("data-knob");
    const scroll = this.element.scrollTop;
    this.build(live, cloth);
    this.element.scrollTop = scroll;
    if (focused) this.element.querySelector<HTMLElement>(`[data-knob="${CSS.escape(focused)}"]`)?.focus();
  }

  private build(live: LiveShow, cloth: string): void {
    const resolved = scan(live.world.resolved);
    const draft = scan(this.app.draft.value.text);
    const select = h("select", { "aria-label": "Cloth", onchange: () => (this.app.cloth.value = select.value) },
      live.model.cloths.map(({ name }) => option(name, name, name === cloth)));
    const base: Path = ["cloth", cloth];
    const values = numbersUnder(resolved, draft, base);
    const sections = GROUPS.map(([title, pattern]) => {
      const knobs = values.filter(({ path }) => pattern.test(path.slice(2).join("."))).map((v) => this.knob(v.path, v.value));
      const words = this.words(base, pattern, resolved, draft);
      if (title === "Model") words.push(this.limits(base, draft));
      return [...words, ...knobs].length ? h("section", {}, h("h3", {}, title), words, knobs) : null;
    });
    const mesh = this.mesh(base, draft, resolved);
    this.element.replaceChildren(
      h("div", { class: "bar-row" }, h("h2", {}, "Knobs"), live.model.cloths.length > 1 ? select : h("span", { class: "quiet" }, cloth)),
      this.fabrics(base),
      ...sections.filter((section) => section !== null),
      ...(mesh ? [mesh] : []),
      this.environment(live, draft),
    );
  }

  private fabrics(base: Path): HTMLElement {
    const select = h("select", {
      "data-knob": "fabric",
      onchange: () => {
        const fabric = this.app.fabrics.find((f) => f.name === select.value);
        if (fabric) this.takeFabric(base, fabric.source);
      },
    }, option("", "choose …", true), this.app.fabrics.map(({ name, density }) =>
      option(name, `${name} (${Math.round(1000 * density)} g/m²)`)));
    return h("label", { class: "field row", title: "Measured curves of real fabrics" }, h("span", {}, "Fabric"), select);
  }

  private takeFabric(base: Path, source: string): void {
    for (const entry of scan(source).entries) if (!entry.inline) setInDraft(this.app, [...base, ...entry.path], entry.raw);
    void applyDraft(this.app);
  }

  // Fields that take one of a few words.
  private words(base: Path, pattern: RegExp, resolved: Scan, draft: Scan): HTMLElement[] {
    const book = this.app.book.value;
    if (!book) return [];
    return book.keys(base).filter(({ name }) => pattern.test(name)).flatMap(({ name }) => {
      const path = [...base, name];
      const words = book.words(path).map(({ text }) => text).filter((text) => text.startsWith('"'));
      const raw = entryAt(draft, path)?.raw ?? entryAt(resolved, path)?.raw;
      if (words.length < 2 || (raw && !raw.startsWith('"'))) return [];
      const select = h("select", {
        "data-knob": path.join("."),
        onchange: () => {
          setInDraft(this.app, path, select.value);
          void applyDraft(this.app);
        },
      }, raw ? null : option("", "by itself", true), words.map((word) => option(word, word.slice(1, -1), word === raw)));
      return [h("label", { class: "field row", title: book.describe(path) }, h("span", {}, label(name)), select)];
    });
  }

  // Which limit cloth has, if it has one beside that of its model. Its numbers come as knobs when it is there.
  private limits(base: Path, draft: Scan): HTMLElement {
    const path = [...base, "limit"];
    const under = (other: Path): boolean => path.every((part, k) => String(part) === String(other[k]));
    const own = draft.entries.filter((entry) => under(entry.path));
    const now = String(own.find((entry) => entry.path.length > path.length)?.path[path.length] ?? "");
    const select = h("select", {
      "data-knob": path.join("."), disabled: draft.tables.some((table) => under(table.path)),
      onchange: () => {
        const { value } = select;
        // From the end on, so that places before it stay what they are.
        for (const entry of own.filter((one) => !one.inline).reverse()) {
          const change = removeValue(this.app.draft.value.text, entry.path);
          if (change) changeDraft(this.app, change);
        }
        if (value) setInDraft(this.app, [...path, value], "{}");
        void applyDraft(this.app);
      },
    }, option("", "that of the model", now === ""), LIMITS.map(([kind, title]) => option(kind, title, kind === now)));
    const doc = this.app.book.value?.describe(path) ?? "";
    return h("label", { class: "field row", title: doc }, h("span", {}, "Limit"), select);
  }

  private knob(path: Path, value: number): HTMLElement {
    const name = path.slice(2).join(".").replace(/^material\./, "").replace(/^limit\.\w+\./, "limit: ");
    return this.slider({ path, value, name: label(name), doc: this.app.book.value?.describe(path) ?? "" });
  }

  // A slider over four decades around the value, and the number itself.
  private slider(knob: Knob): HTMLElement {
    const start = knob.value;
    const toNumber = (at: number): number => (start === 0 ? at : start * 10 ** at);
    const range = h("input", {
      type: "range", min: start === 0 ? 0 : -2, max: start === 0 ? 1 : 2, step: 0.01, value: 0,
      "aria-label": `${knob.name}, slider`, "data-knob": `${knob.path.join(".")}#`, style: "--share: 50%",
    });
    if (start === 0) range.style.setProperty("--share", "0%");
    const field = h("input", {
      type: "text", inputmode: "decimal", value: shortNumber(start), "aria-label": knob.name, "data-knob": knob.path.join("."),
    });
    const turn = this.turner(knob.path);
    range.addEventListener("input", () => {
      const value = toNumber(range.valueAsNumber);
      field.value = shortNumber(value);
      const [low, high] = [Number(range.min), Number(range.max)];
      range.style.setProperty("--share", `${(100 * (range.valueAsNumber - low)) / (high - low)}%`);
      turn.now(value);
    });
    range.addEventListener("change", () => turn.done(toNumber(range.valueAsNumber)));
    field.addEventListener("change", () => {
      const value = Number(field.value);
      if (field.value.trim() !== "" && Number.isFinite(value)) turn.done(value);
      else field.value = shortNumber(start);
    });
    return h("div", { class: "knob", title: knob.doc }, h("span", { class: "knob-name" }, knob.name), range, field);
  }

  // While it is turned: the simulation, now and then. When it is let go: the text, and a new start if it must be.
  private turner(path: Path) {
    let sent = 0;
    let possible = true;
    return {
      now: (value: number): void => {
        this.turning = true;
        const live = this.app.liveA();
        if (!live || !possible || performance.now() - sent < LIVE_LIMIT) return;
        sent = performance.now();
        void setLive(live, { path, value }).then((could) => (possible = could), () => undefined);
      },
      done: (value: number): void => {
        this.turning = false;
        setInDraft(this.app, path, writeNumber(Number(value.toPrecision(4))));
        void applyDraft(this.app);
      },
    };
  }

  // Cells of a grid or nodes of another generated mesh: another mesh is another start.
  private mesh(base: Path, draft: Scan, resolved: Scan): HTMLElement | null {
    const found = [["mesh", "grid", "cells"], ["mesh", "polygon", "nodes"], ["mesh", "disc", "nodes"]]
      .map((tail) => [...base, ...tail]).find((path) => entryAt(draft, path) ?? entryAt(resolved, path));
    if (!found) return null;
    const value = readValue((entryAt(draft, found) ?? entryAt(resolved, found))!.raw);
    const first = Array.isArray(value) ? Number(value[0]) : Number(value);
    const field = h("input", { type: "number", min: 1, step: 1, value: first, "data-knob": "mesh",
      onchange: () => {
        const count = Math.round(field.valueAsNumber);
        if (!(count > 0)) return;
        const raw = Array.isArray(value)
          ? writeList(value.map((x) => Math.max(1, Math.round((Number(x) * count) / first)))) : String(count);
        setInDraft(this.app, found, raw);
        void applyDraft(this.app);
      } });
    const title = Array.isArray(value) ? "Cells along the first side" : "Nodes";
    return h("section", {}, h("h3", {}, "Mesh"), h("label", { class: "field row" }, h("span", {}, title), field));
  }

  private environment(live: LiveShow, draft: Scan): HTMLElement {
    const gravity: Path = ["environment", "gravity"];
    const g = live.status.gravity;
    const rows = [this.linear("Gravity", -g[2]!, 0, 20, "m/s²", (down) => [gravity, [g[0]!, g[1]!, -down]])];
    if (live.world.hasAir) {
      const wind: Path = ["environment", "air", "wind"];
      ["x", "y", "z"].forEach((axis, k) => rows.push(this.linear(`Wind along ${axis}`, live.status.wind[k]!, -15, 15, "m/s",
        (speed) => [wind, live.status.wind.map((w, j) => (j === k ? speed : w))])));
    } else
      rows.push(h("div", { class: "actions" }, h("button", {
        type: "button", class: "plain",
        onclick: () => {
          if (!entryAt(draft, ["environment", "air", "wind"])) setInDraft(this.app, ["environment", "air", "wind"], "[0.0, 0.0, 0.0]");
          void applyDraft(this.app);
        },
      }, "Add air, for wind")));
    return h("section", {}, h("h3", {}, "World"), rows);
  }

  private linear(
    name: string, value: number, low: number, high: number, unit: string, edit: (value: number) => [Path, number[]],
  ): HTMLElement {
    const read = h("output", { class: "quiet" });
    const range = h("input", { type: "range", min: low, max: high, step: 0.1, value, "aria-label": `${name} in ${unit}`, "data-knob": name });
    const show = (): void => {
      read.textContent = `${readable(range.valueAsNumber)} ${unit}`;
      range.style.setProperty("--share", `${(100 * (range.valueAsNumber - low)) / (high - low)}%`);
    };
    show();
    range.addEventListener("input", () => {
      show();
      this.turning = true;
      const live = this.app.liveA();
      const [path, vector] = edit(range.valueAsNumber);
      if (live) void setLive(live, { path, value: vector }).catch(() => undefined);
    });
    range.addEventListener("change", () => {
      this.turning = false;
      const [path, vector] = edit(range.valueAsNumber);
      setInDraft(this.app, path, writeValue(vector as Value));
      void applyDraft(this.app);
    });
    return h("div", { class: "knob" }, h("span", { class: "knob-name" }, name), range, read);
  }
}

const writeList = (values: number[]): string => `[${values.join(", ")}]`;

export const label = (name: string): string => name.replace(/[_.]/g, " ").replace(/^./, (c) => c.toUpperCase());

function shortNumber(value: number): string {
  return writeNumber(Number(value.toPrecision(4))).replace(/\.0$/, "");
}

/** All single numbers below a path: as written, else as the engine filled them in. */
function numbersUnder(resolved: Scan, draft: Scan, base: Path): { path: Path; value: number }[] {
  const found = new Map<string, { path: Path; value: number }>();
  for (const { entries } of [resolved, draft])
    for (const { path, raw } of entries) {
      const inside = base.every((part, k) => path[k] === part) && path.length > base.length;
      const value = readValue(raw);
      if (!inside || typeof value !== "number" || path.some((part) => typeof part === "number")) continue;
      if (["mesh", "place", "noise", "rest", "warp"].includes(String(path[base.length]))) continue;
      if (/iterations|sweeps|steps|seed|tolerance/.test(String(path.at(-1)))) continue;
      found.set(path.join("."), { path, value });
    }
  return [...found.values()];
}
