// A against B: the same scene with one field changed, or a finished run, beside what is shown.

import type { App } from "../app/app.ts";
import { RecordedShow } from "../app/recorded.ts";
import { apply, entryAt, readValue, setValue } from "../toml/edit.ts";
import { scan, type Path, type Scan } from "../toml/scan.ts";
import { h, option } from "../ui/dom.ts";

interface Candidate {
  path: Path;
  raw: string | null;
  words: string[];
}

export class ComparePanel {
  readonly element = h("div", { class: "panel compare" });

  constructor(private readonly app: App) {
    const refresh = (): void => this.build();
    app.a.on(refresh);
    app.b.on(refresh);
    app.book.on(refresh);
    app.cloth.on(refresh);
    this.build();
  }

  private build(): void {
    const { a, b } = this.app;
    const parts: (HTMLElement | null)[] = [h("h2", {}, "A against B")];
    if (b.value) parts.push(this.running());
    else if (this.app.liveA()) parts.push(this.variant());
    else parts.push(h("p", { class: "quiet" }, "Choose a second run on the shelf with “beside”."));
    if (!a.value) parts.splice(1);
    this.element.replaceChildren(...parts.filter((part) => part !== null));
  }

  private running(): HTMLElement {
    const difference = this.app.colour.value === "difference";
    return h("section", {},
      h("p", {}, h("b", {}, "A "), this.app.labels[0] ?? this.app.a.value?.title ?? ""),
      h("p", {}, h("b", {}, "B "), this.app.labels[1] ?? this.app.b.value?.title ?? ""),
      h("p", { class: "quiet" }, "Both stand in one camera and keep one clock. Plots show B dashed."),
      h("div", { class: "actions" },
        h("button", { type: "button", class: "primary", id: "difference", onclick: () => {
          this.app.setColour(difference ? "cloth" : "difference");
          this.build();
        } }, difference ? "Show the cloth" : "Show how far they are apart"),
        h("button", { type: "button", class: "plain", onclick: () => void this.end() }, "End")));
  }

  private async end(): Promise<void> {
    this.app.labels = [];
    await this.app.setB(null);
  }

  private variant(): HTMLElement {
    const all = this.candidates();
    const value = h("span", {});
    const field = h("select", { id: "variant-field", "aria-label": "Field that differs", onchange: () => fill() },
      all.map(({ path }, k) => option(String(k), path.join("."))));
    const start = all.findIndex(({ path }) => path.at(-1) === "model");
    field.value = String(Math.max(0, start));
    const fill = (): void => {
      const chosen = all[Number(field.value)];
      if (!chosen) return;
      const input = chosen.words.length
        ? h("select", { id: "variant-value", "aria-label": "Value of B" }, chosen.words.filter((w) => w !== chosen.raw).map((w) => option(w, w.replace(/"/g, ""))))
        : h("input", { type: "text", id: "variant-value", "aria-label": "Value of B", value: chosen.raw ?? "" });
      value.replaceChildren(input);
    };
    fill();
    const go = (): void => {
      const chosen = all[Number(field.value)];
      const input = value.querySelector<HTMLInputElement | HTMLSelectElement>("#variant-value");
      if (chosen && input) void this.start(chosen, input.value);
    };
    return h("section", {},
      h("p", { class: "quiet" }, "B is the same scene with one field changed. Both start from the beginning, in one camera and one clock."),
      h("label", { class: "field" }, h("span", {}, "Field"), field),
      h("div", { class: "field" }, h("span", {}, "Value of B"), value),
      h("div", { class: "actions" }, h("button", { type: "button", class: "primary", id: "compare", onclick: go }, "Compare")));
  }

  private async start(chosen: Candidate, raw: string): Promise<void> {
    const draft = this.app.draft.value;
    const name = chosen.path.at(-1);
    this.app.labels = [`${name} = ${chosen.raw?.replace(/"/g, "") ?? "as it is"}`, `${name} = ${raw.replace(/"/g, "")}`];
    const text = apply(draft.text, setValue(draft.text, chosen.path, raw));
    const wasPlaying = this.app.a.value?.clock.playing ?? false;
    if (!(await this.app.setB({ ...draft, text }))) this.app.labels = [];
    else if (wasPlaying) this.app.each((show) => show.play());
  }

  // Fields of the selected cloth and of time that are single numbers or words.
  private candidates(): Candidate[] {
    const live = this.app.liveA()!;
    const book = this.app.book.value;
    const [resolved, draft] = [scan(live.world.resolved), scan(this.app.draft.value.text)];
    const found = new Map<string, Candidate>();
    const add = (path: Path, raw: string | null): void => {
      const words = (book?.words(path) ?? []).map(({ text }) => text).filter((text) => text.startsWith('"'));
      if (raw !== null && !single(raw) && words.length === 0) return;
      found.set(path.join("."), { path, raw: raw !== null && single(raw) ? raw : null, words: raw && !raw.startsWith('"') ? [] : words });
    };
    const bases: Path[] = [["cloth", this.app.cloth.value ?? ""], ["time"]];
    for (const base of bases) {
      for (const { name } of book?.keys(base) ?? []) {
        const path = [...base, name];
        const raw = (entryAt(draft, path) ?? entryAt(resolved, path))?.raw ?? null;
        if (raw !== null || (book!.words(path).length > 1)) add(path, raw);
      }
      this.leaves(resolved, draft, base).forEach(({ path, raw }) => add(path, raw));
    }
    return [...found.values()];
  }

  private leaves(resolved: Scan, draft: Scan, base: Path): { path: Path; raw: string }[] {
    return [...resolved.entries, ...draft.entries].filter(({ path, raw }) =>
      base.every((part, k) => path[k] === part) && path.length > base.length && !path.some((p) => typeof p === "number")
      && (single(raw) || path.at(-1) === "cells"));
  }
}

const single = (raw: string): boolean => {
  const value = readValue(raw);
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean" || Array.isArray(value);
};

/** Puts a finished run beside what is shown. */
export async function beside(app: App, path: string, title: string): Promise<void> {
  app.labels = [app.a.value?.title, title];
  await app.openRecording(path, "b");
  if (app.a.value instanceof RecordedShow) app.a.value.seekFrame(0);
  app.stage.request();
}
