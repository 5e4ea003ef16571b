// Keys. They work anywhere on the page except where they already mean something.

import type { App } from "../app/app.ts";
import { middleOf, type Grasper } from "../act/grasp.ts";
import type { Pointer } from "../act/pointer.ts";
import type { BodyHandle } from "../act/gizmo.ts";
import type { Look } from "./look.ts";
import type { Panels } from "./layout.ts";
import { openDialog } from "./dialog.ts";
import { h } from "./dom.ts";
import { stepBy } from "./transport.ts";
import { notify } from "./toast.ts";

export interface KeyActions {
  app: App;
  panels: Panels;
  look: Look;
  pointer: Pointer;
  grasper: Grasper;
  bodies: BodyHandle;
  toggles: Record<"plots" | "pattern" | "theme" | "picture" | "video" | "run", () => void>;
}

const HELP: [string, [string, string][]][] = [
  ["Time", [["Space", "play or pause"], [", .", "step back, step"], ["Home", "back to the start"]]],
  ["Cloth", [
    ["drag", "pull at the cloth"], ["P", "pin, or let go, under the pointer"], ["U", "let go of everything"],
    ["G", "cursor for the keyboard: arrows move it, Enter pulls"],
  ]],
  ["View", [
    ["drag beside cloth, or Alt", "turn"], ["Shift-drag, right-drag", "move"], ["wheel, + −", "zoom"],
    ["double-click", "look at a place; beside everything: all"], ["0", "see all"], ["arrows", "turn"],
    ["W", "wireframe"], ["T", "warp and weft"], ["C", "contacts"], ["F", "what was not met"],
  ]],
  ["Bodies", [["click", "take a body"], ["M", "move or turn it"], ["Esc", "let it go"]]],
  ["Page", [
    ["1 … 5", "panels"], ["N", "numbers over time"], ["D", "pattern beside the view"], ["S", "save a picture"],
    ["V", "record a video"], ["Ctrl-Enter", "run the text"], ["?", "this list"],
  ]],
];

export function showHelp(): void {
  const { body } = openDialog("Keys and gestures", true);
  body.append(h("div", { class: "help" }, HELP.map(([title, rows]) => h("section", {}, h("h3", {}, title),
    h("dl", {}, rows.map(([keys, what]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what))))))));
}

function taken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, .cm-editor, dialog")) return true;
  const pressable = target.closest("button, a, summary, input[type=checkbox], [role=option]");
  if (pressable && (event.key === " " || event.key === "Enter")) return true;
  const slides = target.matches("input[type=range]");
  return slides && (/^Arrow|^Home$|^End$/.test(event.key));
}

export function attachKeys(actions: KeyActions): void {
  const { app, panels, look, grasper, bodies, toggles } = actions;
  const cursor = new KeyboardCursor(actions);
  const plain: Record<string, () => void> = {
    " ": () => app.toggle(), ",": () => stepBy(app, -1), ".": () => stepBy(app, 1),
    Home: () => app.each((show) => show.reset()),
    p: () => pinHere(actions), u: () => grasper.releaseAll(), g: () => cursor.toggle(),
    "0": () => app.stage.surround(), "+": () => zoom(app, 0.9), "=": () => zoom(app, 0.9), "-": () => zoom(app, 1 / 0.9),
    w: () => look.flip("wire"), t: () => look.flip("threads"), c: () => look.flip("contacts"), f: () => look.flip("failing"),
    m: () => (bodies.mode = bodies.mode === "translate" ? "rotate" : "translate"),
    n: toggles.plots, d: toggles.pattern, s: toggles.picture, v: toggles.video, "?": showHelp,
  };
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      return toggles.run();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || taken(event)) return;
    if (event.key === "Escape") {
      if (cursor.on) cursor.toggle();
      else bodies.drop();
      return;
    }
    if (cursor.key(event) || turn(app, event)) return event.preventDefault();
    const digit = Number(event.key);
    const names = ["scene", "knobs", "view", "shelf", "compare"];
    const action = digit >= 1 && digit <= 5 ? () => panels.toggle(names[digit - 1]!)
      : plain[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function zoom(app: App, factor: number): void {
  app.stage.camera.zoom(factor);
  app.stage.request();
}

function turn(app: App, event: KeyboardEvent): boolean {
  const by = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
  if (!by) return false;
  if (event.shiftKey) app.stage.camera.pan(-0.4 * by[0]!, -0.4 * by[1]!);
  else app.stage.camera.turn(by[0]!, by[1]!);
  app.stage.request();
  return true;
}

function pinHere({ app, pointer, grasper }: KeyActions): void {
  const { canvas } = app.stage;
  const place = pointer.place ?? { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 };
  const found = pointer.find(place.x, place.y);
  if (found) grasper.pinOrRelease(found.show, found.hit);
  else notify("There is no cloth under the pointer.");
}

// A place on the screen where there is cloth, as near to the middle as a few tries find one.
function clothNearMiddle(app: App, pointer: Pointer): { x: number; y: number } | null {
  const show = app.a.value;
  if (!show?.actor) return null;
  const { clientWidth, clientHeight } = app.stage.canvas;
  const away = ({ x, y }: { x: number; y: number }): number => Math.hypot(x - clientWidth / 2, y - clientHeight / 2);
  const faces = show.model.faces.length / 4;
  const every = Math.max(1, Math.floor(faces / 300));
  const places = Array.from({ length: Math.ceil(faces / every) }, (_, k) =>
    app.stage.project(show.actor!, middleOf(show, k * every)));
  places.sort((a, b) => away(a) - away(b));
  return places.slice(0, 20).map(({ x, y }) => ({ x, y })).find(({ x, y }) => pointer.find(x, y)) ?? null;
}

/** A cross-hair that stands in for the mouse: arrows move it, Enter takes and lets go of cloth. */
class KeyboardCursor {
  on = false;
  private readonly cross = h("div", { class: "cross", hidden: true, "aria-hidden": "true" });

  constructor(private readonly actions: KeyActions) {
    actions.app.stage.canvas.parentElement!.append(this.cross);
  }

  toggle(): void {
    const { app, pointer, grasper } = this.actions;
    this.on = !this.on;
    this.cross.hidden = !this.on;
    if (!this.on) return grasper.letGo();
    const { canvas } = app.stage;
    canvas.focus();
    pointer.place = clothNearMiddle(app, pointer) ?? { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 };
    this.move(0, 0);
    notify("Arrow keys move the cursor, Enter pulls, P pins, Escape ends it.");
  }

  key(event: KeyboardEvent): boolean {
    if (!this.on) return false;
    const step = event.shiftKey ? 40 : 10;
    const by = {
      ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step],
    }[event.key];
    if (by) this.move(by[0]!, by[1]!);
    else if (event.key === "Enter") this.press();
    else return false;
    return true;
  }

  private move(dx: number, dy: number): void {
    const { app, pointer, grasper } = this.actions;
    const { clientWidth, clientHeight } = app.stage.canvas;
    const place = pointer.place!;
    place.x = Math.max(0, Math.min(clientWidth, place.x + dx));
    place.y = Math.max(0, Math.min(clientHeight, place.y + dy));
    this.cross.style.transform = `translate(${place.x}px, ${place.y}px)`;
    if (grasper.active) grasper.pullTo(place.x, place.y);
    else pointer.setHover(pointer.find(place.x, place.y));
  }

  private press(): void {
    const { pointer, grasper } = this.actions;
    if (grasper.active) return grasper.letGo();
    const found = pointer.find(pointer.place!.x, pointer.place!.y);
    if (found && "session" in found.show) grasper.take(found.show as never, found.hit);
    else notify("There is no cloth under the cursor.");
  }
}
