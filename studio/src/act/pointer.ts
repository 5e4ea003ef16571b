// Mouse, pen, fingers and the keyboard's cursor on the picture: pull at cloth, turn the view, look closer.

import { FIELD_OF_VIEW, attachGestures } from "virtual:player";
import type { App } from "../app/app.ts";
import { LiveShow, type Show } from "../app/show.ts";
import { pick, type Hit, type Ray } from "../view/picking.ts";
import type { Grasper } from "./grasp.ts";
import type { BodyHandle } from "./gizmo.ts";

export type Tool = "pull" | "turn";

const HOLD = 260; // ms of standing still after which a press becomes a pull

interface Found { show: Show; hit: Hit; ray: Ray }

export class Pointer {
  tool: Tool = "pull";
  /** Where the mouse or the keyboard's cursor is (CSS pixels of the canvas). */
  place: { x: number; y: number } | null = null;
  onTool: (tool: Tool) => void = () => undefined;
  private pulling: number | null = null;
  private moved = 0;
  private hoverTimer = 0;

  constructor(private readonly app: App, private readonly grasper: Grasper, private readonly bodies: BodyHandle) {
    const { canvas, camera } = app.stage;
    // Before the camera's own gestures: what is taken here, they never see.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    canvas.addEventListener("pointerup", (event) => this.up(event), { capture: true });
    canvas.addEventListener("pointercancel", (event) => this.up(event), { capture: true });
    canvas.addEventListener("pointerleave", () => this.setHover(null));
    canvas.addEventListener("dblclick", (event) => this.focusOn(event), { capture: true });
    // After the handles of bodies, and before the camera: what leads a body does not turn the view.
    canvas.addEventListener("pointerdown", (event) => {
      if (this.bodies.busy) event.stopImmediatePropagation();
    });
    attachGestures(canvas, camera, () => app.stage.request());
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.onTool(tool);
    this.app.stage.canvas.classList.toggle("pulls", tool === "pull");
  }

  find(x: number, y: number): Found | null {
    const at = this.app.stage.rayAt(x, y);
    const show = at && this.app.shows().find((s) => s.actor === at.actor);
    if (!at || !show) return null;
    const hit = pick(show.model.faces, at.actor.positions, at.ray);
    return hit && { show, hit, ray: at.ray };
  }

  private at(event: PointerEvent | MouseEvent): { x: number; y: number } {
    const box = this.app.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    const place = this.at(event);
    this.place = place;
    this.moved = 0;
    if (event.button !== 0 || event.shiftKey || event.altKey || this.tool !== "pull" || this.pulling !== null) return;
    if (this.bodies.busy) return;
    const found = this.find(place.x, place.y);
    if (!found || !(found.show instanceof LiveShow)) return;
    if (this.bodies.distance(found.show, found.ray) < found.hit.distance) return;
    event.stopImmediatePropagation();
    this.app.stage.canvas.setPointerCapture(event.pointerId);
    this.app.stage.canvas.focus({ preventScroll: true });
    this.pulling = event.pointerId;
    // A click, or the first half of a double click, is no pull: that begins with a movement, or with patience.
    const begin = (): void => {
      clearTimeout(timer);
      this.begin = null;
      this.grasper.take(found.show as LiveShow, found.hit);
    };
    const timer = setTimeout(begin, HOLD);
    this.begin = begin;
    this.forget = () => clearTimeout(timer);
  }

  private begin: (() => void) | null = null;
  private forget: () => void = () => undefined;

  private move(event: PointerEvent): void {
    const place = this.at(event);
    this.moved += Math.abs(event.movementX) + Math.abs(event.movementY);
    this.place = place;
    if (this.pulling === event.pointerId) {
      event.stopImmediatePropagation();
      if (this.begin && this.moved > 3) this.begin();
      return this.begin ? undefined : this.grasper.pullTo(place.x, place.y);
    }
    if (this.bodies.busy) return;
    if (event.buttons === 0 && event.pointerType === "mouse") this.hoverSoon();
  }

  private up(event: PointerEvent): void {
    if (this.pulling === event.pointerId) {
      event.stopImmediatePropagation();
      this.pulling = null;
      this.forget();
      if (this.begin) this.begin = null;
      else this.grasper.letGo();
    } else if (this.moved < 4 && event.button === 0 && event.type === "pointerup") this.click(event);
  }

  // A click on a body takes it; beside everything it lets it go.
  private click(event: PointerEvent): void {
    if (this.bodies.busy) return;
    const { x, y } = this.at(event);
    const at = this.app.stage.rayAt(x, y);
    const show = at && this.app.shows().find((s) => s.actor === at.actor);
    if (at && show instanceof LiveShow) this.bodies.choose(show, at.ray);
  }

  private hoverSoon(): void {
    if (this.hoverTimer) return;
    this.hoverTimer = setTimeout(() => {
      this.hoverTimer = 0;
      if (!this.place || this.pulling !== null) return;
      this.setHover(this.find(this.place.x, this.place.y));
    }, 40) as unknown as number;
  }

  setHover(found: Found | null): void {
    const { hover } = this.app;
    const same = found && hover.value && hover.value.face === found.hit.face && hover.value.show === found.show;
    if (same || (!found && !hover.value)) return;
    hover.value = found && { show: found.show, face: found.hit.face };
    this.app.stage.request();
  }

  // The middle of the view goes to what was clicked; beside everything the view goes home.
  private focusOn(event: MouseEvent): void {
    const { stage } = this.app;
    const { x, y } = this.at(event);
    const found = this.find(x, y);
    event.stopImmediatePropagation();
    if (found) focus(this.app, found.hit.place);
    else stage.camera.reset();
    stage.request();
  }
}

/** Brings a place into the middle, from a distance at which its surroundings can be judged. */
export function focus(app: App, place: ArrayLike<number>): void {
  const { camera } = app.stage;
  const from = [...camera.target];
  const [start, end] = [camera.distance, Math.max(0.35 * camera.radius, 0.55 * camera.distance)];
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const began = performance.now();
  const go = (now: number): void => {
    const t = still ? 1 : Math.min(1, Math.max(0, (now - began) / 260));
    const eased = t * t * (3 - 2 * t);
    camera.target = from.map((x, k) => x + (place[k]! - x) * eased);
    camera.distance = start + (end - start) * eased;
    camera.moved = true;
    app.stage.request();
    if (t < 1) requestAnimationFrame(go);
  };
  requestAnimationFrame(go);
}

/** The size of a pixel at a distance from the eye (m). */
export const pixelAt = (app: App, distance: number): number =>
  (2 * distance * Math.tan(FIELD_OF_VIEW / 2)) / (app.stage.canvas.clientHeight || 1);
