// The flat pattern beside the picture: the same faces, the same colours, and the face under the pointer lit in both.

import { rampPixels } from "virtual:player";
import type { App } from "../app/app.ts";
import { infoOf, type Colourist } from "../app/colouring.ts";
import type { Show } from "../app/show.ts";
import { cornersOf, type Model, type ModelCloth } from "../view/model.ts";
import { button, h } from "../ui/dom.ts";

const MARGIN = 22;

/** Where each node is in the plane (m), the cloths beside each other. */
export interface Flat {
  places: Float32Array;
  low: [number, number];
  high: [number, number];
  labels: { name: string; x: number; y: number }[];
}

export function layFlat(model: Model): Flat | null {
  if (!model.pattern) return null;
  const places = new Float32Array(2 * model.nodeCount);
  const labels: Flat["labels"] = [];
  let [left, top] = [0, 0];
  for (const cloth of model.cloths) {
    const box = place(model, cloth, places, left);
    labels.push({ name: cloth.name, x: left, y: box.height });
    left += box.width * 1.12 + 1e-6;
    top = Math.max(top, box.height);
  }
  return { places, low: [0, 0], high: [Math.max(left, 1e-6), Math.max(top, 1e-6)], labels };
}

// A pattern lies in the plane already; of a mesh in space the two axes that show most of it are taken.
function place(model: Model, cloth: ModelCloth, out: Float32Array, left: number) {
  const pattern = model.pattern!;
  const range = [0, 1, 2].map((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let k = cloth.firstNode; k < cloth.firstNode + cloth.nodeCount; k++) {
      low = Math.min(low, pattern[3 * k + axis]!);
      high = Math.max(high, pattern[3 * k + axis]!);
    }
    return { axis, low, size: high - low };
  });
  const [u, v] = [...range].sort((a, b) => b.size - a.size).slice(0, 2).sort((a, b) => a.axis - b.axis);
  for (let k = cloth.firstNode; k < cloth.firstNode + cloth.nodeCount; k++) {
    out[2 * k] = left + pattern[3 * k + u!.axis]! - u!.low;
    out[2 * k + 1] = pattern[3 * k + v!.axis]! - v!.low;
  }
  return { width: u!.size, height: v!.size };
}

export class PatternView {
  private readonly canvas = h("canvas", { class: "pattern-canvas", role: "img", "aria-label": "The cloth laid flat" });
  private readonly base = document.createElement("canvas");
  private show: Show | null = null;
  private flat: Flat | null = null;
  private scale = 1;
  private offset: [number, number] = [0, 0];
  private stale = true;
  visible = false;

  constructor(private readonly app: App, private readonly colourist: Colourist, host: HTMLElement, close: () => void) {
    host.append(this.canvas, h("div", { class: "pattern-bar" }, h("h2", {}, "Pattern"),
      button({ icon: "close", label: "Close the pattern", class: "icon small" }, close)));
    new ResizeObserver(() => this.renew()).observe(host);
    app.a.watch(() => this.renew());
    app.themed.on(() => this.renew());
    app.colour.on(() => this.renew());
    app.hover.on(() => this.draw());
    app.marked.on(() => this.draw());
    app.stage.onAfter(() => {
      if (this.visible && this.app.colour.value !== "cloth") this.recolour();
    });
    this.canvas.addEventListener("pointermove", (event) => this.pointAt(event));
    this.canvas.addEventListener("pointerleave", () => {
      app.hover.value = null;
      app.stage.request();
    });
  }

  renew(): void {
    this.show = this.app.a.value;
    this.flat = this.show ? layFlat(this.show.model) : null;
    this.stale = true;
    this.draw();
  }

  private fit(): void {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    for (const canvas of [this.canvas, this.base])
      [canvas.width, canvas.height] = [Math.max(1, width * ratio), Math.max(1, height * ratio)];
    const [w, t] = this.flat!.high;
    const room = [width - 2 * MARGIN, height - 3 * MARGIN - 14];
    this.scale = Math.min(room[0]! / w, room[1]! / t) * ratio;
    this.offset = [0.5 * (this.canvas.width - w * this.scale), 0.5 * (this.canvas.height + t * this.scale) + 12 * ratio];
  }

  private x = (node: number): number => this.offset[0] + this.flat!.places[2 * node]! * this.scale;
  private y = (node: number): number => this.offset[1] - this.flat!.places[2 * node + 1]! * this.scale;

  private last = 0;

  // A pattern of some thousand faces takes milliseconds to draw; ten times a second is enough.
  private recolour(): void {
    if (performance.now() - this.last < 100) return;
    this.stale = true;
    this.draw();
  }

  draw(): void {
    const context = this.canvas.getContext("2d")!;
    if (!this.visible || !this.show) return;
    if (!this.flat) {
      this.canvas.width = this.canvas.clientWidth;
      this.canvas.height = this.canvas.clientHeight;
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--quiet");
      context.font = "14px system-ui, sans-serif";
      context.textAlign = "center";
      return context.fillText("This recording has no pattern.", this.canvas.width / 2, this.canvas.height / 2);
    }
    if (this.stale) this.drawBase();
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.base, 0, 0);
    const style = getComputedStyle(document.documentElement);
    for (const [signal, colour] of [[this.app.marked.value, "--pin"], [this.app.hover.value, "--accent"]] as const) {
      if (signal?.show !== this.show) continue;
      this.trace(context, signal.face);
      context.fillStyle = style.getPropertyValue(colour);
      context.globalAlpha = 0.85;
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 2.5;
      context.strokeStyle = style.getPropertyValue(colour);
      context.stroke();
    }
  }

  private trace(context: CanvasRenderingContext2D, face: number): void {
    context.beginPath();
    cornersOf(this.show!.model.faces, face).forEach((node, k) =>
      k ? context.lineTo(this.x(node), this.y(node)) : context.moveTo(this.x(node), this.y(node)));
    context.closePath();
  }

  private drawBase(): void {
    this.stale = false;
    this.last = performance.now();
    this.fit();
    const context = this.base.getContext("2d")!;
    const { model } = this.show!;
    const style = getComputedStyle(document.documentElement);
    const colours = this.faceColours();
    context.lineWidth = 1;
    for (const cloth of model.cloths) {
      const dye = `rgb(${cloth.colours[0].map((c) => Math.round(255 * c)).join(" ")})`;
      for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
        this.trace(context, f);
        context.fillStyle = colours?.[f] ?? dye;
        context.fill();
        context.strokeStyle = colours ? context.fillStyle : "rgb(255 255 255 / 0.28)";
        context.stroke();
      }
    }
    context.fillStyle = style.getPropertyValue("--quiet");
    context.font = `${12 * Math.min(devicePixelRatio || 1, 2)}px system-ui, sans-serif`;
    for (const { name, x, y } of this.flat!.labels)
      context.fillText(name, this.offset[0] + x * this.scale, this.offset[1] - y * this.scale - 7);
  }

  private faceColours(): string[] | null {
    const info = infoOf(this.app.colour.value);
    const found = this.colourist.valuesFor(this.show!);
    if (!found || info.kind === "cloth") return null;
    const pixels = rampPixels(this.colourist.stops(info));
    const [low, high] = info.words ? [0, 2] : [info.signed ? -this.colourist.range : 0, this.colourist.range];
    const { faces } = this.show!.model;
    return Array.from({ length: faces.length / 4 }, (_, f) => {
      const corners = cornersOf(faces, f);
      const value = found.perFace ? found.values[f]!
        : corners.reduce((sum, node) => sum + found.values[node]!, 0) / corners.length;
      const at = Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1))));
      return Number.isNaN(value) ? "#888" : `rgb(${pixels[4 * at]} ${pixels[4 * at + 1]} ${pixels[4 * at + 2]})`;
    });
  }

  private pointAt(event: PointerEvent): void {
    if (!this.show || !this.flat) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const x = (event.offsetX * ratio - this.offset[0]) / this.scale;
    const y = (this.offset[1] - event.offsetY * ratio) / this.scale;
    const face = faceAt(this.show.model, this.flat, x, y);
    const now = this.app.hover.value;
    if (face === (now?.face ?? null)) return;
    this.app.hover.value = face === null ? null : { show: this.show, face };
    this.app.stage.request();
  }
}

export function faceAt(model: Model, { places }: Flat, x: number, y: number): number | null {
  for (let f = 0; f < model.faces.length / 4; f++) {
    const corners = cornersOf(model.faces, f);
    let inside = false;
    corners.forEach((a, k) => {
      const b = corners[(k + 1) % corners.length]!;
      const [xa, ya, xb, yb] = [places[2 * a]!, places[2 * a + 1]!, places[2 * b]!, places[2 * b + 1]!];
      if (ya > y !== yb > y && x < xa + ((xb - xa) * (y - ya)) / (yb - ya)) inside = !inside;
    });
    if (inside) return f;
  }
  return null;
}
