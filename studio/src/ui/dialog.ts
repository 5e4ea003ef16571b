// Modal dialogs from the browser's own element: focus stays inside, Escape closes.

import { button, h } from "./dom.ts";

export interface DialogParts {
  dialog: HTMLDialogElement;
  body: HTMLElement;
  close: () => void;
}

export function openDialog(title: string, wide = false): DialogParts {
  const body = h("div", { class: "dialog-body" });
  const dialog = h("dialog", { class: wide ? "wide" : "", "aria-label": title });
  const close = (): void => dialog.close();
  dialog.append(
    h("header", {}, h("h2", {}, title), button({ icon: "close", label: "Close" }, close)),
    body,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) close(); // outside of the box
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, body, close };
}

/** Asks for a line of text; null if nobody wants to give one. */
export function askText(title: string, label: string, value: string, action: string, note = ""): Promise<string | null> {
  return new Promise((resolve) => {
    const { dialog, body, close } = openDialog(title);
    const input = h("input", { type: "text", value, required: true, spellcheck: "false", autocomplete: "off" });
    let answer: string | null = null;
    const form = h("form", {
      onsubmit: (event: Event) => {
        event.preventDefault();
        answer = input.value.trim() || null;
        close();
      },
    }, h("label", { class: "field" }, h("span", {}, label), input), note && h("p", { class: "quiet" }, note),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, action)));
    dialog.addEventListener("close", () => resolve(answer));
    body.append(form);
    input.select();
  });
}
