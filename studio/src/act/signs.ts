// What is drawn over the cloth: pins, grasps with their force, seams, contacts, failing rows, warp and weft, and the
// face that is looked at.

import { parseColour } from "virtual:player";
import type { Contacts, Failing } from "../protocol.ts";
import type { App } from "../app/app.ts";
import { LiveShow, type Show } from "../app/show.ts";
import { clothSize } from "../view/actor.ts";
import { cornersOf } from "../view/model.ts";
import { h } from "../ui/dom.ts";

export interface SignSettings {
  pins: boolean;
  seams: boolean;
  threads: boolean;
  contacts: boolean;
  failing: boolean;
  wire: boolean;
}

type Colour = number[];

export class Signs {
  readonly settings: SignSettings = {
    pins: true, seams: true, threads: false, contacts: false, failing: false, wire: false,
  };
  private readonly labels: HTMLElement;
  private readonly contacts = new Map<Show, Contacts>();
  private readonly failing = new Map<Show, Failing>();
  private readonly asked = new Map<Show, number>();
  private colours: Record<"accent" | "pin" | "warm" | "weft" | "ink", Colour> = {
    accent: [0, 0, 0], pin: [0, 0, 0], warm: [0, 0, 0], weft: [0, 0, 0], ink: [0, 0, 0],
  };

  constructor(private readonly app: App, host: HTMLElement) {
    this.labels = h("div", { class: "labels", "aria-hidden": "true" });
    host.append(this.labels);
    this.retheme();
    app.stage.onAfter(() => this.placeLabels());
  }

  retheme(): void {
    const style = getComputedStyle(document.documentElement);
    const read = (name: string): Colour => parseColour(style.getPropertyValue(name));
    this.colours = {
      accent: read("--accent"), pin: read("--pin"), warm: read("--warm"), weft: read("--series-3"), ink: read("--ink"),
    };
  }

  /** Before each picture. */
  update(): void {
    for (const show of this.app.shows()) {
      if (!show.actor || !show.frame) continue;
      show.actor.wireframe = this.settings.wire;
      this.draw(show);
      if (show instanceof LiveShow) this.askFor(show);
    }
  }

  private draw(show: Show): void {
    const { marks, signs } = show.actor!;
    const { settings, colours } = this;
    marks.clear();
    signs.clear();
    if (settings.pins) this.drawPins(show);
    if (settings.seams) this.drawSeams(show);
    if (settings.threads) this.drawThreads(show);
    // They belong to the newest moment, and the cloth of another one is elsewhere.
    if (settings.contacts && !show.frame!.past) this.drawContacts(show);
    if (settings.failing && !show.frame!.past) this.drawFailing(show);
    for (const grasp of show.frame!.grasps) {
      const [at, to] = [show.fromFrame(grasp.at), show.fromFrame(grasp.to)];
      if (Math.hypot(...at.map((x, k) => x - to[k]!)) > 1e-5) signs.line(at, to, colours.warm, 2);
      signs.dot(at, colours.warm, 7);
    }
    for (const signal of [this.app.hover.value, this.app.marked.value])
      if (signal?.show === show) this.outline(show, signal.face, signal === this.app.marked.value);
    marks.flush();
    signs.flush();
  }

  private place(show: Show, node: number): Float32Array {
    return show.actor!.positions.subarray(3 * node, 3 * node + 3);
  }

  // The same place on the side of the cloth that is seen: its surface lies half a thickness off its nodes.
  private over(show: Show, place: ArrayLike<number>, node: number): number[] {
    const { normals, lift } = show.actor!;
    const eye = this.app.stage.camera.eye();
    const normal = [0, 1, 2].map((k) => normals[3 * node + k]!);
    const side = Math.sign(normal.reduce((sum, x, k) => sum + x * (eye[k]! - place[k]!), 0));
    return normal.map((x, k) => place[k]! + side * lift * x);
  }

  private drawPins(show: Show): void {
    for (const { nodes } of show.model.pins) {
      const every = Math.max(1, Math.floor(nodes.length / 60)); // a whole side of pins would be a worm
      nodes.forEach((node, k) => {
        if (k % every === 0) show.actor!.marks.dot(this.place(show, node), this.colours.pin, nodes.length > 12 ? 4 : 7);
      });
    }
    if (show instanceof LiveShow)
      for (const grasp of show.status.grasps)
        if (grasp.grip === "pin")
          for (const node of grasp.nodes) show.actor!.marks.dot(this.place(show, node), this.colours.pin, 6);
  }

  private drawSeams(show: Show): void {
    const { seams } = show.model;
    for (let k = 0; k < seams.length; k += 2)
      show.actor!.marks.line(this.place(show, seams[k]!), this.place(show, seams[k + 1]!), this.colours.warm, 1.5);
  }

  // Warp and weft at about a hundred faces, from where their places in the flat cloth are.
  private drawThreads(show: Show): void {
    const { model, actor } = show;
    const length = clothSize(model) / 34;
    for (const cloth of model.cloths) {
      const every = Math.max(1, Math.floor(cloth.faceCount / 140));
      for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f += every) {
        const threads = threadsAt(show, f);
        if (!threads) continue;
        const scale = (v: number[]): number[] => v.map((x) => (x * length) / (Math.hypot(...v) || 1));
        const at = this.over(show, threads.at, model.faces[4 * f]!);
        actor!.marks.arrow(at, scale(threads.warp), this.colours.accent, 1.6);
        actor!.marks.line(at, at.map((x, k) => x + 0.6 * scale(threads.weft)[k]!), this.colours.weft, 1.3);
      }
    }
  }

  private drawContacts(show: Show): void {
    const found = this.contacts.get(show);
    if (!found) return;
    const largest = Math.max(1e-12, ...found.contacts.map((c) => Math.hypot(...c.force)));
    const length = clothSize(show.model) / 9;
    for (const contact of found.contacts) {
      const size = Math.hypot(...contact.force);
      const from = contact.place.map((x, k) => x - (show.origin?.[k] ?? 0));
      const colour = contact.sliding ? this.colours.warm : this.colours.accent;
      show.actor!.signs.dot(from, colour, 3);
      if (size > 0.01 * largest)
        show.actor!.signs.line(from, from.map((x, k) => x + (contact.force[k]! / largest) * length), colour, 1.3);
    }
  }

  private drawFailing(show: Show): void {
    for (const row of this.failing.get(show)?.rows ?? []) {
      if (row.place) show.actor!.signs.dot(row.place.map((x, k) => x - (show.origin?.[k] ?? 0)), this.colours.pin, 9);
      const cloth = row.cloth === null ? undefined : show.model.cloths[row.cloth];
      if (cloth && row.face !== null) this.outline(show, cloth.firstFace + row.face, true);
    }
  }

  failingOf(show: Show): Failing | undefined {
    return this.failing.get(show);
  }

  contactsOf(show: Show): Contacts | undefined {
    return this.contacts.get(show);
  }

  private outline(show: Show, face: number, strong: boolean): void {
    const corners = cornersOf(show.model.faces, face);
    corners.forEach((node, k) => {
      const next = corners[(k + 1) % corners.length]!;
      const list = strong ? show.actor!.signs : show.actor!.marks;
      const [from, to] = [node, next].map((one) => this.over(show, this.place(show, one), one));
      list.line(from!, to!, strong ? this.colours.pin : this.colours.accent, 2.4);
    });
  }

  // Contacts and failing rows are asked for at most five times a second, and only while somebody wants to see them.
  private askFor(show: LiveShow): void {
    const { contacts, failing } = this.settings;
    if ((!contacts && !failing) || show.frame?.past) return;
    const now = performance.now();
    const age = now - (this.asked.get(show) ?? 0);
    if (age < 200) return;
    this.asked.set(show, now);
    const keep = <T>(store: Map<Show, T>) => (found: T): void => {
      store.set(show, found);
      this.onFound();
    };
    if (contacts) show.session.contacts().then(keep(this.contacts), () => undefined);
    if (failing) show.session.failing().then(keep(this.failing), () => undefined);
  }

  onFound: () => void = () => undefined;

  private placeLabels(): void {
    const wanted: { x: number; y: number; text: string }[] = [];
    for (const show of this.app.shows())
      for (const grasp of show.frame?.grasps ?? []) {
        const force = Math.hypot(...grasp.force);
        if (force < 1e-6 || !show.actor) continue;
        const { x, y, ahead } = this.app.stage.project(show.actor, show.fromFrame(grasp.to));
        if (ahead) wanted.push({ x, y, text: forceText(force) });
      }
    while (this.labels.children.length > wanted.length) this.labels.lastElementChild!.remove();
    while (this.labels.children.length < wanted.length) this.labels.append(h("span", { class: "label" }));
    wanted.forEach(({ x, y, text }, k) => {
      const label = this.labels.children[k] as HTMLElement;
      label.textContent = text;
      label.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y - 12)}px)`;
    });
  }
}

export function forceText(newtons: number): string {
  if (newtons < 0.001) return `${(1e6 * newtons).toPrecision(2)} µN`;
  if (newtons < 1) return `${Number((1e3 * newtons).toPrecision(3))} mN`;
  return `${newtons.toPrecision(3)} N`;
}

/** Directions of warp and weft on a face now. */
export function threadsAt(show: Show, face: number): { at: number[]; warp: number[]; weft: number[] } | null {
  const { faces, rest } = show.model;
  const p = show.actor!.positions;
  const corner = (k: number): number[] => {
    const node = faces[4 * face + k]!;
    return [p[3 * node]!, p[3 * node + 1]!, p[3 * node + 2]!];
  };
  const uv = (k: number): [number, number] => [rest[8 * face + 2 * k]!, rest[8 * face + 2 * k + 1]!];
  const [a, b, c] = [corner(0), corner(1), corner(2)];
  const [ua, ub, uc] = [uv(0), uv(1), uv(2)];
  const [x1, y1, x2, y2] = [ub[0] - ua[0], ub[1] - ua[1], uc[0] - ua[0], uc[1] - ua[1]];
  const area = x1 * y2 - x2 * y1;
  if (!Number.isFinite(area) || Math.abs(area) < 1e-14) return null;
  const [e, f] = [b!.map((x, k) => x - a![k]!), c!.map((x, k) => x - a![k]!)];
  return {
    at: a!.map((x, k) => (x + b![k]! + c![k]!) / 3),
    warp: e.map((x, k) => (x * y2 - f[k]! * y1) / area),
    weft: e.map((x, k) => (f[k]! * x1 - x * x2) / area),
  };
}
