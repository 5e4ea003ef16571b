// How the picture looks: colours with their legend, and what is drawn over the cloth.

import { readable } from "virtual:player";
import type { App, ColourKind } from "../app/app.ts";
import { available, infoOf, type ColourInfo, type Colourist } from "../app/colouring.ts";
import type { Signs, SignSettings } from "../act/signs.ts";
import { h, option, toggle } from "./dom.ts";

export function formatValue(info: ColourInfo, value: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = info.percent ? readable(100 * value) : readable(value);
  return info.unit ? `${text} ${info.unit}` : text;
}

const SWITCHES: [keyof SignSettings, string, string][] = [
  ["wire", "Wireframe", "The edges of the mesh (W)"],
  ["threads", "Warp and weft", "Arrows run along the warp, short lines along the weft (T)"],
  ["pins", "Pins", "What is held"],
  ["seams", "Seams", "Nodes that are sewn together"],
  ["contacts", "Contacts", "Where cloth touches, with the force; another colour where it slides (C)"],
  ["failing", "Not met", "What the last step did not meet, with its place (F)"],
];

export class Look {
  private readonly select: HTMLSelectElement;
  private readonly legend: HTMLElement;
  private readonly switches = new Map<keyof SignSettings, HTMLInputElement>();
  private readonly rows: HTMLElement;

  constructor(private readonly app: App, private readonly colourist: Colourist, private readonly signs: Signs) {
    this.select = h("select", { id: "colour", onchange: () => app.setColour(this.select.value as ColourKind) });
    this.legend = h("div", { class: "legend", hidden: true });
    this.rows = h("div", { class: "rows", hidden: true });
    app.a.watch(() => this.fillSelect());
    app.b.watch(() => this.fillSelect());
    app.colour.watch((kind) => {
      this.select.value = kind;
      colourist.fixed = null;
      this.showLegend();
    });
    app.stage.onAfter(() => this.showLegend());
    signs.onFound = () => app.stage.request();
  }

  /** The card over the picture. */
  card(): HTMLElement {
    const label = h("label", { class: "field row" }, h("span", {}, "Colour"), this.select);
    return h("section", { class: "card look", "aria-label": "Colour" }, label, this.legend);
  }

  panel(): HTMLElement {
    const list = SWITCHES.map(([name, label, title]) => {
      const control = toggle(label, this.signs.settings[name], (on) => this.set(name, on), title);
      this.switches.set(name, control.querySelector("input")!);
      return control;
    });
    return h("div", { class: "panel" },
      h("h2", {}, "View"),
      h("section", {}, h("h3", {}, "Drawn over the cloth"), h("div", { class: "toggles" }, list)),
      this.rows,
      h("section", {}, h("h3", {}, "Range of the colours"), this.rangeField()),
    );
  }

  private rangeField(): HTMLElement {
    const input = h("input", {
      type: "number", step: "any", min: 0, placeholder: "by itself", "aria-label": "End of the colour scale",
      onchange: () => {
        const info = infoOf(this.app.colour.value);
        const value = input.valueAsNumber / (info.percent ? 100 : 1);
        this.colourist.fixed = value > 0 ? value : null;
        this.colourist.forget();
        this.app.stage.request();
      },
    });
    const unit = h("span", { class: "quiet" });
    this.app.colour.watch((kind) => {
      input.value = "";
      const info = infoOf(kind);
      input.disabled = kind === "cloth" || Boolean(info.words);
      unit.textContent = info.unit;
    });
    return h("div", { class: "field row" }, h("span", {}, "To"), input, unit);
  }

  set(name: keyof SignSettings, on: boolean): void {
    this.signs.settings[name] = on;
    const input = this.switches.get(name);
    if (input) input.checked = on;
    this.app.stage.request();
  }

  flip(name: keyof SignSettings): void {
    this.set(name, !this.signs.settings[name]);
  }

  private fillSelect(): void {
    const kinds = available(this.app);
    this.select.replaceChildren(...kinds.map(({ kind, title }) => option(kind, title, kind === this.app.colour.value)));
    if (!kinds.some(({ kind }) => kind === this.app.colour.value)) this.app.setColour("cloth");
  }

  private shown = "";

  private showLegend(): void {
    this.showRows();
    const info = infoOf(this.app.colour.value);
    this.legend.hidden = info.kind === "cloth";
    const { range, seen } = this.colourist;
    const key = [info.kind, range, ...seen.map((x) => x.toPrecision(3))].join();
    if (key === this.shown || info.kind === "cloth") return;
    this.shown = key;
    if (info.words) return this.showWords(info);
    const limit = info.kind === "stretch" ? this.colourist.limit() : null;
    const format = (value: number): string => formatValue(info, value);
    const marks = info.signed ? [`−${format(range)}`, "0", `+${format(range)}`] : ["0", format(range / 2), format(range)];
    this.legend.replaceChildren(
      h("div", { class: "bar", style: `background: linear-gradient(90deg, ${this.colourist.stops(info).join(", ")})` }),
      h("div", { class: "scale" }, marks.map((mark) => h("span", {}, mark))),
      h("div", { class: "quiet" }, `Now ${format(seen[0])} to ${format(seen[1])}${limit ? `; the limit is ${format(limit)}` : ""}`),
    );
  }

  private showWords(info: ColourInfo): void {
    const stops = this.colourist.stops(info);
    this.legend.replaceChildren(h("ul", { class: "words" }, info.words!.map((word, k) =>
      h("li", {}, h("i", { style: `background: ${stops[k]}` }), word))));
  }

  // In words what contacts and failing rows are drawn for.
  private showRows(): void {
    const { settings } = this.signs;
    const show = this.app.a.value;
    this.rows.hidden = !show || (!settings.contacts && !settings.failing);
    if (this.rows.hidden || !show) return;
    const lines: string[] = [];
    const past = show.frame?.past ?? false;
    if (past) lines.push("Contacts, and what was not met, are known of the newest moment only.");
    const contacts = settings.contacts && !past ? this.signs.contactsOf(show) : undefined;
    if (contacts) {
      const sliding = contacts.contacts.filter((c) => c.sliding).length;
      lines.push(`${contacts.count} contacts, ${sliding} of the strongest ${contacts.contacts.length} slide.`);
    }
    const failing = settings.failing && !past ? this.signs.failingOf(show) : undefined;
    if (failing) {
      if (failing.rows.length === 0) lines.push("The last step met everything.");
      for (const row of failing.rows.slice(0, 8))
        lines.push(row.value === null ? row.what : `${row.what} (${readable(row.value)})`);
    }
    const text = lines.join("\n");
    if (this.rows.dataset.text === text) return;
    this.rows.dataset.text = text;
    this.rows.replaceChildren(...lines.map((line) => h("p", {}, line)));
  }
}
