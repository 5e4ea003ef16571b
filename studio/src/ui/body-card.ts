// What can be done with the body that was clicked, and what cloth does to it.

import { readable } from "virtual:player";
import type { App } from "../app/app.ts";
import type { BodyHandle } from "../act/gizmo.ts";
import { button, h } from "./dom.ts";

export function buildBodyCard(app: App, bodies: BodyHandle, view: HTMLElement): void {
  const name = h("h2", {});
  const force = h("p", { class: "quiet" });
  const mode = button({ label: "Turn it", key: "M", text: true }, () => {
    bodies.mode = bodies.mode === "translate" ? "rotate" : "translate";
  });
  const card = h("section", { class: "card body-card", hidden: true, "aria-label": "Body" }, name, force,
    h("div", { class: "actions" }, mode,
      button({ label: "Release it to go its own way", text: "Release" }, () => bodies.release()),
      button({ label: "Done", key: "Esc", text: "Done" }, () => bodies.drop())));
  view.append(card);
  bodies.onSelect = () => {
    card.hidden = bodies.selected === null;
    mode.querySelector("span")!.textContent = bodies.mode === "translate" ? "Turn it" : "Move it";
    show();
  };
  const show = (): void => {
    if (!bodies.selected) return;
    const { show: live, body } = bodies.selected;
    const { name: title } = live.model.bodies[body]!;
    name.textContent = title;
    const parts = ["x", "y", "z"].map((axis) => live.table.at(`body.${title}.force.${axis}`, live.clock.time));
    force.textContent = parts.every(Number.isFinite)
      ? `Cloth presses with ${readable(Math.hypot(...parts))} N (${parts.map(readable).join(", ")})` : "";
  };
  app.stage.onAfter(show);
}
