// What cloth is coloured by: fields that the engine computes, measures of the player, and the distance between A and B.

import { MEASURES, RAMPS, niceCeiling, type Measure } from "virtual:player";
import type { Frame } from "../session/wire.ts";
import type { Colouring } from "../view/actor.ts";
import type { App, ColourKind } from "./app.ts";
import { LiveShow, type Show } from "./show.ts";
import { differences } from "./difference.ts";

export interface ColourInfo {
  kind: ColourKind;
  title: string;
  unit: string;
  signed: boolean;
  /** Numbers are shares, shown in percent. */
  percent?: boolean;
  words?: string[];
}

export const COLOURS: ColourInfo[] = [
  { kind: "cloth", title: "Cloth", unit: "", signed: false },
  { kind: "stretch", title: "Largest principal stretch", unit: "%", signed: true, percent: true },
  { kind: "compression", title: "Smallest principal stretch", unit: "%", signed: true, percent: true },
  { kind: "edges", title: "Stretch of the edges", unit: "%", signed: true, percent: true },
  { kind: "area", title: "Change of area", unit: "%", signed: true, percent: true },
  { kind: "curvature", title: "Curvature", unit: "1/m", signed: false },
  { kind: "gap", title: "Gap to bodies", unit: "m", signed: false },
  { kind: "force", title: "Contact force", unit: "N", signed: false },
  { kind: "friction", title: "Friction", unit: "", signed: false, words: ["none", "sticks", "slides"] },
  { kind: "speed", title: "Speed", unit: "m/s", signed: false },
  { kind: "difference", title: "Distance between A and B", unit: "m", signed: false },
];

export const infoOf = (kind: ColourKind): ColourInfo => COLOURS.find((colour) => colour.kind === kind)!;

/** What can be shown of what is there. */
export function available(app: App): ColourInfo[] {
  const live = app.a.value instanceof LiveShow;
  const both = app.b.value !== null;
  return COLOURS.filter(({ kind }) => {
    if (kind === "difference") return both;
    return live || kind === "cloth" || kind === "edges" || kind === "area";
  });
}

const FRICTION = ["#e9e6df", "#3a74b4", "#cc5a3c"];

/** Colours all shows, and remembers the range so that colours mean the same from picture to picture. */
export class Colourist {
  /** Half-width of a signed range, width of another. */
  range = 0;
  /** What somebody asked for; null for what the values ask for. */
  fixed: number | null = null;
  seen: [number, number] = [NaN, NaN];
  private rangeOf: ColourKind = "cloth";
  private scratch = new Map<Show, Float32Array>();

  constructor(private readonly app: App) {}

  forget(): void {
    this.range = 0;
  }

  stops(info: ColourInfo): string[] {
    if (info.words) return FRICTION;
    return info.signed ? RAMPS.diverging : RAMPS.sequential;
  }

  /** Before each picture. */
  update(): void {
    const { app } = this;
    const info = infoOf(app.colour.value);
    if (info.kind !== this.rangeOf) {
      this.rangeOf = info.kind;
      this.forget();
    }
    const shows = app.shows().filter((show) => show.actor && show.frame);
    if (info.kind === "cloth") return shows.forEach((show) => show.actor!.colourBy(null));
    const found = shows.map((show) => this.valuesOf(show, info.kind));
    this.seen = extent(found.map((values) => values?.values ?? new Float32Array(0)));
    if (!info.words) this.widen(info);
    const range: [number, number] = info.words ? [0, 2] : [info.signed ? -this.range : 0, this.range];
    shows.forEach((show, k) => {
      const values = found[k];
      const colouring: Colouring | null = values ? { ...values, range, stops: this.stops(info) } : null;
      show.actor!.colourBy(colouring);
    });
  }

  // The range only grows while somebody watches: a range that breathes tells nothing.
  private widen(info: ColourInfo): void {
    if (this.fixed !== null) return void (this.range = this.fixed);
    const most = Math.max(...this.seen.map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
    const least = info.percent ? 1e-4 : 1e-9;
    const limit = info.kind === "stretch" ? this.limit() : null;
    this.range = limit ?? Math.max(this.range, niceCeiling(Math.max(most, least)));
  }

  /** The stretch that cloth is allowed, if all of it has a limit. */
  limit(): number | null {
    const limits = this.app.shows().flatMap((show) => show.model.cloths.map((cloth) => cloth.stretchLimit));
    return limits.length && limits.every((x) => x !== null && x > 0) ? Math.max(...(limits as number[])) : null;
  }

  /** What a show is coloured by now. */
  valuesFor(show: Show): { values: Float32Array; perFace: boolean } | null {
    return show.actor && show.frame ? this.valuesOf(show, this.app.colour.value) : null;
  }

  private valuesOf(show: Show, kind: ColourKind): { values: Float32Array; perFace: boolean } | null {
    if (kind === "edges") return this.measure(show, MEASURES.stretch);
    if (kind === "area") return this.measure(show, MEASURES.area);
    if (kind === "difference") {
      const other = this.app.shows().find((s) => s !== show);
      return other ? { values: differences(show, other, this.buffer(show)), perFace: false } : null;
    }
    const frame: Frame = show.frame!;
    return frame.values && frame.field === kind ? { values: frame.values, perFace: false } : null;
  }

  private measure(show: Show, measure: Measure): { values: Float32Array; perFace: boolean } {
    const out = this.buffer(show);
    measure.compute(show.model, show.actor!.positions, out);
    return { values: measure.perFace ? out : out.subarray(0, show.model.nodeCount), perFace: measure.perFace };
  }

  private buffer(show: Show): Float32Array {
    const size = Math.max(show.model.nodeCount, show.model.faces.length / 4);
    if (this.scratch.get(show)?.length !== size) {
      if (this.scratch.size > 4) this.scratch.clear();
      this.scratch.set(show, new Float32Array(size));
    }
    return this.scratch.get(show)!;
  }
}

function extent(lists: Float32Array[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}
