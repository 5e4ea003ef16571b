// Short messages in a corner. They are read aloud, and go away by themselves unless somebody is over them.

import { h, icon } from "./dom.ts";

let host: HTMLElement | null = null;

export function toastHost(): HTMLElement {
  host ??= h("div", { class: "toasts", role: "status", "aria-live": "polite" });
  return host;
}

export type Tone = "note" | "warning" | "error";

export function notify(text: string, tone: Tone = "note", milliseconds = 4500): void {
  const close = h("button", { type: "button", class: "icon small", "aria-label": "Close the message" },
    icon("close") as unknown as Node);
  const toast = h("div", { class: `toast ${tone}` }, h("p", {}, text), close);
  const remove = (): void => toast.remove();
  close.addEventListener("click", remove);
  // The same words twice tell nothing new.
  for (const other of toastHost().children) if (other.textContent === toast.textContent) other.remove();
  toastHost().append(toast);
  while (toastHost().children.length > 4) toastHost().firstElementChild?.remove();
  let timer = setTimeout(remove, milliseconds);
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", () => (timer = setTimeout(remove, 2000)));
}
