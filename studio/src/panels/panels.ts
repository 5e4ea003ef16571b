// The panels of the drawer, and what opens beside and below the picture.

import type { App } from "../app/app.ts";
import type { Colourist } from "../app/colouring.ts";
import { applyDraft } from "../app/drafting.ts";
import type { BodyHandle } from "../act/gizmo.ts";
import { h, icon } from "../ui/dom.ts";
import type { Layout, PanelDefinition } from "../ui/layout.ts";
import type { Look } from "../ui/look.ts";
import { ComparePanel } from "./compare.ts";
import { attachDrop } from "./drop.ts";
import { KnobsPanel } from "./knobs.ts";
import { PatternView } from "./pattern.ts";
import { Plots } from "./plots.ts";
import { scenePanel } from "./scene.ts";
import { Shelf } from "./shelf.ts";

export interface Extras {
  panels: PanelDefinition[];
  attach: () => void;
  togglePlots: () => void;
  togglePattern: () => void;
  run: () => void;
}

export function buildExtras(app: App, layout: Layout, look: Look, colourist: Colourist, bodies: BodyHandle): Extras {
  const { folder } = app.engine.abilities;
  const panels: PanelDefinition[] = [
    { name: "scene", label: "Scene", icon: "scene", key: "1", build: () => scenePanel(app) },
    { name: "knobs", label: "Knobs", icon: "knobs", key: "2", build: () => new KnobsPanel(app).element },
    { name: "view", label: "View", icon: "eye", key: "3", build: () => look.panel() },
    { name: "compare", label: "A | B", icon: "compare", key: "5", build: () => new ComparePanel(app).element },
  ];
  if (folder) panels.splice(3, 0, { name: "shelf", label: "Shelf", icon: "shelf", key: "4", build: () => new Shelf(app).element });
  const plots = new Plots(app, layout.plots);
  const plotsButton = railButton("Numbers", "plots", "N", () => togglePlots());
  const patternButton = railButton("Pattern", "pattern", "D", () => togglePattern());
  const togglePlots = (): void => {
    plots.visible = Boolean(layout.plots.hidden);
    layout.plots.hidden = !plots.visible;
    plotsButton.setAttribute("aria-pressed", String(plots.visible));
    plots.refresh();
  };
  const togglePattern = (): void => {
    pattern.visible = Boolean(layout.side.hidden);
    layout.side.hidden = !pattern.visible;
    patternButton.setAttribute("aria-pressed", String(pattern.visible));
    pattern.renew();
  };
  const pattern = new PatternView(app, colourist, layout.side, togglePattern);
  const onSelect = bodies.onSelect;
  bodies.onSelect = () => {
    onSelect();
    const chosen = bodies.selected;
    if (chosen) plots.body = chosen.show.model.bodies[chosen.body]!.name;
    plots.refresh();
  };
  if (folder) attachDrop(app);
  return {
    panels, togglePlots, togglePattern,
    attach: () => layout.rail.append(h("span", { class: "gap" }), patternButton, plotsButton),
    run: () => void applyDraft(app),
  };
}

function railButton(label: string, picture: string, key: string, action: () => void): HTMLButtonElement {
  return h("button", {
    type: "button", class: "rail-button", title: `${label} (${key})`, "aria-pressed": "false", "aria-keyshortcuts": key,
    onclick: action,
  }, icon(picture) as unknown as Node, h("span", {}, label));
}

