// The skeleton of the page: a rail of panels, the picture, plots, and the transport below.

import { icon, h } from "./dom.ts";
import { toastHost } from "./toast.ts";

export interface Layout {
  canvas: HTMLCanvasElement;
  view: HTMLElement;
  top: HTMLElement;
  tools: HTMLElement;
  rail: HTMLElement;
  drawer: HTMLElement;
  side: HTMLElement;
  plots: HTMLElement;
  transport: HTMLElement;
}

export function buildLayout(root: HTMLElement): Layout {
  const canvas = h("canvas", {
    id: "canvas", tabindex: 0, role: "application",
    "aria-label": "The cloth in 3D. Arrow keys turn the view, plus and minus zoom, G shows a cursor that arrow keys move.",
  });
  const view = h("div", { class: "view" }, canvas);
  const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "View" });
  const top = h("header", { class: "top" });
  const rail = h("nav", { class: "rail", "aria-label": "Panels" });
  const drawer = h("aside", { class: "drawer", hidden: true, "aria-label": "Panel" });
  const side = h("section", { class: "side", hidden: true, "aria-label": "Pattern" });
  const plots = h("section", { class: "plots", hidden: true, "aria-label": "Numbers over time" });
  const transport = h("footer", { class: "transport", "aria-label": "Time" });
  const main = h("main", { class: "main" }, view, side, tools);
  root.append(h("a", { class: "skip", href: "#canvas" }, "Skip to the picture"),
    top, rail, drawer, main, plots, transport, toastHost());
  return { canvas, view, top, tools, rail, drawer, side, plots, transport };
}

export interface PanelDefinition {
  name: string;
  label: string;
  icon: string;
  key: string;
  build: () => HTMLElement;
}

/** Panels share the drawer; one is open at a time. They are made when they are first opened. */
export class Panels {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly built = new Map<string, HTMLElement>();
  open: string | null = null;
  onChange: (name: string | null) => void = () => undefined;

  constructor(private readonly layout: Layout, private readonly definitions: PanelDefinition[]) {
    for (const panel of definitions) {
      const control = h("button", {
        type: "button", class: "rail-button", title: `${panel.label} (${panel.key})`, "aria-expanded": "false",
        "aria-keyshortcuts": panel.key, onclick: () => this.toggle(panel.name),
      }, icon(panel.icon) as unknown as Node, h("span", {}, panel.label));
      this.buttons.set(panel.name, control);
      layout.rail.append(control);
    }
  }

  toggle(name: string): void {
    if (!this.buttons.has(name)) return;
    this.show(this.open === name ? null : name);
  }

  show(name: string | null): void {
    this.open = name;
    const { drawer } = this.layout;
    for (const [key, control] of this.buttons) control.setAttribute("aria-expanded", String(key === name));
    drawer.hidden = name === null;
    if (name) {
      const definition = this.definitions.find((panel) => panel.name === name)!;
      if (!this.built.has(name)) this.built.set(name, definition.build());
      drawer.replaceChildren(this.built.get(name)!);
      drawer.setAttribute("aria-label", definition.label);
    }
    this.onChange(name);
  }
}
