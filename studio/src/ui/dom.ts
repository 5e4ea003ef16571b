// Elements in one line.

type Child = Node | string | null | false | undefined;
type Attributes = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on") && typeof value === "function")
      element.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class") element.className = String(value);
    else if (key === "style") element.style.cssText = String(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child): child is Node | string => Boolean(child) || child === ""));
  return element;
}

const PATHS: Record<string, string> = {
  play: "M6.5 4v12l9.5-6z",
  pause: "M6 4h2.8v12H6zM11.2 4H14v12h-2.8z",
  step: "M5 4.5l7 5.5-7 5.5zM14.2 4.5v11",
  back: "M15 4.5L8 10l7 5.5zM5.8 4.5v11",
  reset: "M4.2 10a5.8 5.8 0 1 0 1.9-4.3M6.4 2.8v3.3h3.3",
  scene: "M5 3h7l3 3v11H5zM8 9h4.5M8 12h4.5",
  knobs: "M4 6h6M14 6h2M4 14h2M10 14h6M12 4v4M8 12v4",
  shelf: "M3.5 4h5v5h-5zM11.5 4h5v5h-5zM3.5 12h5v5h-5zM11.5 12h5v5h-5z",
  eye: "M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  plots: "M3.5 3.5v13h13M6 13l3-4 2.5 2.5L16 6",
  compare: "M10 3v14M3.5 5.5H8v9H3.5zM12 5.5h4.5v9H12z",
  pattern: "M4 4l12 1.5L14.5 16 5 15zM4 4l10.5 12M16 5.5L5 15",
  camera: "M3 6h3l1.5-2h5L14 6h3v10H3zM10 13.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6z",
  video: "M3 6h9v8.5H3zM12 9l5-2.5v7.5l-5-2.5",
  frame: "M3 7V3h4M17 7V3h-4M3 13v4h4M17 13v4h-4M10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  sun: "M10 13.4a3.4 3.4 0 1 0 0-6.8 3.4 3.4 0 0 0 0 6.8zM10 2v1.8M10 16.2V18M2 10h1.8M16.2 10H18M4.4 4.4l1.2 1.2"
    + "M14.4 14.4l1.2 1.2M4.4 15.6l1.2-1.2M14.4 5.6l1.2-1.2",
  help: "M7.6 7.6a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1.1.9-1.1 1.9M10 14.6v.4M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15z",
  hand: "M6 10V5.4a1.2 1.2 0 0 1 2.4 0V9V4.2a1.2 1.2 0 0 1 2.4 0V9V5a1.2 1.2 0 0 1 2.4 0v5V7.4a1.2 1.2 0 0 1 2.3 0v4.4"
    + "c0 3-1.8 5-4.7 5-2.6 0-3.6-1.200-4.700-3.200L4 10.900c-.6-1.400 1-2.300 2-.9z",
  orbit: "M10 16.500c4 0 7-2.900 7-6.500S14 3.500 10 3.500 3 6.400 3 10M3 10l-1.500-2M3 10l2-1.600M10 11.200a1.200 1.200 0 1 0 0-2.400",
  close: "M5 5l10 10M15 5L5 15",
  more: "M4.500 10h.01M10 10h.01M15.500 10h.01",
  wind: "M3 8h8.500a2.200 2.200 0 1 0-2.200-2.200M3 11.500h11.500a2.200 2.200 0 1 1-2.200 2.200",
};

/** A drawing from a few strokes; decoration only, so nothing reads it aloud. */
export function icon(name: string, filled = false): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  if (filled) svg.classList.add("filled");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name] ?? "");
  svg.append(path);
  return svg;
}

export interface ButtonOptions {
  icon?: string;
  label: string;
  key?: string;
  text?: boolean | string;
  class?: string;
  filled?: boolean;
}

/** A button with an icon, a text or both; its name is always said. */
export function button(options: ButtonOptions, action: () => void): HTMLButtonElement {
  const title = options.key ? `${options.label} (${options.key})` : options.label;
  const text = options.text === true ? options.label : options.text || null;
  return h("button", {
    type: "button", class: options.class ?? (text ? "plain" : "icon"), title,
    "aria-label": text === options.label ? undefined : options.label, "aria-keyshortcuts": options.key, onclick: action,
  }, options.icon ? icon(options.icon, options.filled) as unknown as Node : null, text ? h("span", {}, text) : null);
}

export function replaceIcon(target: HTMLButtonElement, name: string, filled = false): void {
  target.querySelector("svg")?.replaceWith(icon(name, filled));
}

export function option(value: string, text: string, selected = false): HTMLOptionElement {
  return h("option", { value, selected }, text);
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void, title?: string): HTMLLabelElement {
  const input = h("input", { type: "checkbox", onchange: () => change(input.checked) });
  input.checked = on;
  return h("label", { class: "toggle", title }, input, h("span", {}, label));
}

export function saveBlob(blob: Blob, name: string): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const fileName = (title: string): string =>
  title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "toile";
