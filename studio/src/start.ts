// The engine, the picture and the panels, and who tells whom.

import { App } from "./app/app.ts";
import { Colourist } from "./app/colouring.ts";
import { BodyHandle } from "./act/gizmo.ts";
import { Grasper } from "./act/grasp.ts";
import { Pointer } from "./act/pointer.ts";
import { Signs } from "./act/signs.ts";
import { findEngine } from "./session/find.ts";
import { buildLayout, Panels, type Layout } from "./ui/layout.ts";
import { attachKeys } from "./ui/keys.ts";
import { buildBodyCard } from "./ui/body-card.ts";
import { buildNames } from "./ui/compare-names.ts";
import { button, h } from "./ui/dom.ts";
import { Look } from "./ui/look.ts";
import { savePicture } from "./ui/media.ts";
import { applyTheme, flipTheme } from "./ui/theme.ts";
import { buildTop } from "./ui/top.ts";
import { buildTransport } from "./ui/transport.ts";
import { buildExtras } from "./panels/panels.ts";
import { Stage } from "./view/stage.ts";

export async function start(root: HTMLElement): Promise<App> {
  applyTheme(() => undefined);
  const layout = buildLayout(root);
  const stage = new Stage(layout.canvas);
  const app = new App(await findEngine(), stage);
  const signs = new Signs(app, layout.view);
  const colourist = new Colourist(app);
  const look = new Look(app, colourist, signs);
  const grasper = new Grasper(app);
  const bodies = new BodyHandle(app);
  const pointer = new Pointer(app, grasper, bodies);
  stage.onBefore(() => {
    colourist.update();
    signs.update();
    return false;
  });
  const retheme = (): void => {
    stage.retheme();
    signs.retheme();
    app.themed.value++;
  };
  applyTheme(retheme);
  const flip = (): void => flipTheme(retheme);
  const recorder = buildTop(app, layout.top, flip);
  buildTransport(app, layout.transport);
  buildTools(app, layout, pointer);
  buildNames(app, layout.view);
  buildBodyCard(app, bodies, layout.view);
  layout.view.append(look.card());
  const extras = buildExtras(app, layout, look, colourist, bodies);
  const panels = new Panels(layout, extras.panels);
  extras.attach();
  attachKeys({
    app, panels, look, pointer, grasper, bodies,
    toggles: {
      plots: extras.togglePlots, pattern: extras.togglePattern, theme: flip, run: extras.run,
      picture: () => savePicture(app), video: () => recorder.toggle(),
    },
  });
  app.opening.watch((on) => layout.view.classList.toggle("waits", on));
  // For tests and for the curious: what the page knows, in numbers.
  Object.assign(window, { studio: { app, stage, grasper, colourist } });
  return app;
}

// What the main button does on the picture, and where to look.
function buildTools(app: App, layout: Layout, pointer: Pointer): void {
  const pull = button({ icon: "hand", label: "Pull at cloth" }, () => pointer.setTool("pull"));
  const turn = button({ icon: "orbit", label: "Turn the view" }, () => pointer.setTool("turn"));
  const all = button({ icon: "frame", label: "See all", key: "0" }, () => app.stage.surround());
  pointer.onTool = (tool) => {
    pull.setAttribute("aria-pressed", String(tool === "pull"));
    turn.setAttribute("aria-pressed", String(tool === "turn"));
  };
  pointer.setTool("pull");
  layout.tools.append(pull, turn, all);
  const curtain = h("p", { class: "curtain", hidden: true }, "There is nothing to see yet.");
  layout.view.append(curtain);
  app.a.watch((show) => (curtain.hidden = show !== null || app.connection.value !== "open"));
}
