// The panels of the drawer, and what opens beside and below the picture.

import type { App } from "../app/app.ts";
import type { Grasper } from "../act/grasp.ts";
import type { Layout, PanelDefinition, Panels } from "../ui/layout.ts";
import type { Look } from "../ui/look.ts";

export interface Extras {
  panels: PanelDefinition[];
  attach: (panels: Panels) => void;
  togglePlots: () => void;
  togglePattern: () => void;
  run: () => void;
}

export function buildExtras(_app: App, _layout: Layout, look: Look, _grasper: Grasper): Extras {
  return {
    panels: [{ name: "view", label: "View", icon: "eye", key: "3", build: () => look.panel() }],
    attach: () => undefined,
    togglePlots: () => undefined,
    togglePattern: () => undefined,
    run: () => undefined,
  };
}
