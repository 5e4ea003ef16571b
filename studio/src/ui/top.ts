// The bar at the top: what is shown, whether the engine is there, and what concerns the whole page.

import type { App } from "../app/app.ts";
import { LiveShow } from "../app/show.ts";
import { RecordedShow } from "../app/recorded.ts";
import { Recorder, savePicture } from "./media.ts";
import { button, h } from "./dom.ts";
import { showHelp } from "./keys.ts";

export function buildTop(app: App, host: HTMLElement, flip: () => void): Recorder {
  const title = h("h1", { id: "title" }, "toile studio");
  const facts = h("p", { class: "facts", id: "facts" });
  const state = h("p", { class: "state", role: "status", id: "state" });
  const recorder = new Recorder(app);
  const video = button({ icon: "video", label: "Record a video", key: "V" }, () => recorder.toggle());
  video.hidden = !Recorder.possible;
  recorder.onChange = (on) => {
    video.classList.toggle("recording", on);
    video.setAttribute("aria-pressed", String(on));
    video.title = on ? "Stop recording (V)" : "Record a video (V)";
  };
  host.append(
    h("p", { class: "brand" }, "toile ", h("span", {}, "studio")), title, facts, state,
    h("div", { class: "group" },
      button({ icon: "camera", label: "Save a picture", key: "S" }, () => savePicture(app)),
      video,
      button({ icon: "sun", label: "Day or night" }, flip),
      button({ icon: "help", label: "Keys and gestures", key: "?" }, showHelp),
    ),
  );
  const show = (): void => {
    const current = app.a.value;
    title.textContent = current?.title ?? "toile studio";
    document.title = current ? `${current.title} · toile studio` : "toile studio";
    facts.textContent = current ? factsOf(current) : "";
    const { value } = app.connection;
    state.classList.toggle("waits", value === "connecting" || app.opening.value);
    state.textContent = value === "lost" ? "No connection; trying again …"
      : value === "connecting" ? "Connecting …" : app.opening.value ? "Starting …" : "";
  };
  app.a.on((current) => current?.events.listen({ state: show }));
  for (const signal of [app.a, app.connection, app.opening]) (signal as { watch: (f: () => void) => void }).watch(show);
  return recorder;
}

function factsOf(show: LiveShow | RecordedShow | NonNullable<App["a"]["value"]>): string {
  const { model } = show;
  const parts = [`${model.nodeCount.toLocaleString("en")} nodes`];
  if (show instanceof LiveShow) {
    parts.push(`step ${Number((1e3 * show.world.step).toPrecision(3))} ms`);
    if (show.status.milliseconds !== null) parts.push(`${show.status.milliseconds.toFixed(1)} ms to compute`);
    if (show.status.stage) parts.push(show.status.stage);
  } else if (show instanceof RecordedShow) parts.push(`recording, ${show.clock.last + 1} frames`);
  return parts.join(" · ");
}
