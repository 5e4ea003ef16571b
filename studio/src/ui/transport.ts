// Play, pause, step, reset, the scrubber and the clock.

import type { App } from "../app/app.ts";
import { LiveShow } from "../app/show.ts";
import { RecordedShow } from "../app/recorded.ts";
import { button, h, option, replaceIcon } from "./dom.ts";

const PACES: [string, string][] = [["0.1", "0.1×"], ["0.25", "0.25×"], ["0.5", "0.5×"], ["1", "real time"],
  ["2", "2×"], ["0", "as fast as it goes"]];

export function buildTransport(app: App, host: HTMLElement): void {
  const play = button({ icon: "play", label: "Play", key: "Space", class: "play", filled: true }, () => app.toggle());
  const back = button({ icon: "back", label: "Step back", key: "," }, () => stepBy(app, -1));
  const step = button({ icon: "step", label: "Step", key: "." }, () => stepBy(app, 1));
  const reset = button({ icon: "reset", label: "Back to the start", key: "Home" }, () => app.each((s) => s.reset()));
  const scrub = h("input", { type: "range", id: "scrub", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time" });
  const time = h("b", {}, "0.00 s");
  const end = h("span", {}, "");
  const clock = h("output", { class: "clock", for: "scrub", id: "clock" }, time, end);
  const factor = h("span", { class: "factor", id: "factor", title: "Simulated seconds in one second" });
  const pace = h("select", { "aria-label": "Pace", id: "pace", onchange: () => setPace(app, Number(pace.value)) },
    PACES.map(([value, text]) => option(value, text, value === "1")));
  host.append(h("div", { class: "buttons" }, reset, back, play, step), scrub, clock, h("div", { class: "pace" }, pace, factor));

  let held = false;
  scrub.addEventListener("pointerdown", () => (held = true));
  for (const name of ["pointerup", "pointercancel", "change"]) scrub.addEventListener(name, () => (held = false));
  scrub.addEventListener("input", () => seekSoon(app, scrub.valueAsNumber));

  const show = (): void => {
    const current = app.a.value;
    host.classList.toggle("empty", current === null);
    if (!current) return;
    const { clock: now } = current;
    const length = Math.max(now.end, current instanceof LiveShow ? 0 : 0, 1e-9);
    scrub.max = String(length);
    if (!held) scrub.value = String(now.time);
    scrub.style.setProperty("--share", `${(100 * Math.min(1, now.time / length)).toFixed(2)}%`);
    scrub.setAttribute("aria-valuetext", `${now.time.toFixed(3)} of ${now.end.toFixed(3)} seconds`);
    scrub.disabled = now.last === 0;
    time.textContent = `${now.time.toFixed(now.end < 1 ? 3 : 2)} s`;
    end.textContent = ` / ${now.end.toFixed(now.end < 1 ? 3 : 2)} s`;
    const label = now.playing ? "Pause" : "Play";
    if (play.getAttribute("aria-label") !== label) {
      play.setAttribute("aria-label", label);
      play.title = `${label} (Space)`;
      replaceIcon(play, now.playing ? "pause" : "play", true);
    }
    factor.textContent = factorText(current instanceof LiveShow ? now.factor : null, now.playing);
    factor.classList.toggle("behind", now.factor !== null && now.factor < 0.95 * wanted(current as LiveShow));
  };
  app.stage.onAfter(show);
  app.a.watch((current) => {
    current?.events.listen({ state: show, moment: show });
    if (current instanceof LiveShow) pace.value = String(current.status.pace);
    show();
  });
}

const wanted = (show: LiveShow): number => (show instanceof LiveShow && show.status.pace > 0 ? show.status.pace : 0);

function factorText(factor: number | null, playing: boolean): string {
  if (factor === null) return playing ? "…" : "";
  const text = factor >= 10 ? factor.toFixed(0) : factor.toFixed(2);
  return `${text}× real time`;
}

export function stepBy(app: App, count: number): void {
  app.each((show) => {
    if (show.clock.playing) show.pause();
    if (count > 0 && !(show.clock.frame < show.clock.last)) show.step(count);
    else show.seekFrame(Math.max(0, Math.min(show.clock.last, show.clock.frame + count)));
  });
}

function setPace(app: App, factor: number): void {
  for (const show of app.shows()) {
    if (show instanceof LiveShow) void show.session.pace(factor).catch((error) => app.complain(error));
    if (show instanceof RecordedShow) show.speed = factor || 4;
  }
}

// A scrubber gives more places than pictures can follow; the newest wins.
let wish: number | null = null;
function seekSoon(app: App, time: number): void {
  const idle = wish === null;
  wish = time;
  if (!idle) return;
  setTimeout(() => {
    const target = wish!;
    wish = null;
    app.seek(target);
  }, 30);
}
