// The names over A and B, and the line between them.

import type { App } from "../app/app.ts";
import { h } from "./dom.ts";

export function buildNames(app: App, view: HTMLElement): void {
  const names = h("div", { class: "names", hidden: true });
  view.append(names);
  app.stage.onAfter(() => {
    const shows = app.shows();
    names.hidden = shows.length < 2;
    if (names.hidden) return;
    const panes = app.stage.panes();
    const key = panes.map((p) => Object.values(p).join()).join() + shows.map((s) => s.title).join();
    if (names.dataset.key === key) return;
    names.dataset.key = key;
    const [first, second] = panes;
    const upright = second!.y > first!.y;
    const divider = upright ? `left:0;right:0;height:1px;top:${second!.y}px` : `top:0;bottom:0;width:1px;left:${second!.x}px`;
    names.replaceChildren(
      ...shows.map((show, k) => {
        const pane = panes[k]!;
        return h("span", { class: "name", style: `left:${pane.x + pane.width / 2}px;top:${pane.y}px` },
          `${"AB"[k]}  ${app.labels[k] ?? show.title}`);
      }),
      h("i", { class: "divider", style: divider }),
    );
  });
}
