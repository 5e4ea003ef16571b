// The time that is shown, and the controls and keys that change it.

class Timeline {
  constructor(start, end, frameTimes) {
    Object.assign(this, { start, end, frameTimes });
    this.time = start;
    this.previewed = null; // a moment that a plot shows for as long as the mouse is over it
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  canPlay() {
    return this.end > this.start && this.frameTimes.length > 1;
  }

  shown() {
    return this.previewed ?? this.time;
  }

  seek(time) {
    this.playing = false;
    this.previewed = null;
    this.time = Math.max(this.start, Math.min(this.end, time));
    this.changed();
  }

  preview(time) {
    this.previewed = time;
    this.changed();
  }

  endPreview() {
    if (this.previewed === null) return;
    this.previewed = null;
    this.changed();
  }

  toggle() {
    if (!this.canPlay()) return;
    this.playing = !this.playing;
    this.previewed = null;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.changed();
  }

  stepFrames(count) {
    if (this.frameTimes.length === 0) return;
    const index = nearestIndex(this.frameTimes, this.time) + count;
    this.seek(this.frameTimes[Math.max(0, Math.min(this.frameTimes.length - 1, index))]);
  }

  // Goes on by `seconds` of real time.
  advance(seconds) {
    if (!this.playing || this.previewed !== null) return;
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      if (this.loop) this.time = this.start + ((this.time - this.start) % (this.end - this.start));
      else [this.time, this.playing] = [this.end, false];
    }
    this.changed();
  }
}

const byId = (id) => document.getElementById(id);

// Play button, slider and clock follow the timeline and lead it.
function attachTransport(timeline) {
  const [play, scrub, clock] = ["play", "scrub", "clock"].map(byId);
  const digits = timeline.end - timeline.start < 1 ? 3 : 2;
  const seconds = (time) => time.toFixed(digits);
  scrub.min = timeline.start;
  scrub.max = timeline.end;
  scrub.disabled = !(timeline.end > timeline.start);
  play.disabled = !timeline.canPlay();
  play.addEventListener("click", () => timeline.toggle());
  scrub.addEventListener("input", () => timeline.seek(scrub.valueAsNumber));
  const show = () => {
    const time = timeline.shown();
    const share = (time - timeline.start) / (timeline.end - timeline.start || 1);
    const frame = nearestIndex(timeline.frameTimes, time) + 1;
    scrub.value = time;
    scrub.style.setProperty("--share", `${100 * Math.max(0, Math.min(1, share))}%`);
    scrub.setAttribute("aria-valuetext", `${seconds(time)} seconds`);
    clock.replaceChildren(
      html("b", "", `${seconds(time)} s`),
      html("span", "", ` / ${seconds(timeline.end)} s`),
      html("span", "frame", timeline.frameTimes.length ? `frame ${frame} of ${timeline.frameTimes.length}` : "no frames"),
    );
    play.classList.toggle("playing", timeline.playing);
    play.setAttribute("aria-label", timeline.playing ? "Pause" : "Play");
  };
  timeline.listen(show);
  show();
}

// Speed, colours, range and the switches. `settings` is what the player draws by; `changed` tells it.
function attachOptions(timeline, settings, changed) {
  byId("speed").addEventListener("change", (event) => (timeline.speed = Number(event.target.value)));
  byId("loop").addEventListener("change", (event) => (timeline.loop = event.target.checked));
  byId("wire").addEventListener("change", (event) => {
    settings.wire = event.target.checked;
    changed();
  });
  byId("smooth").addEventListener("change", (event) => {
    settings.interpolate = event.target.checked;
    changed();
  });
  for (const id of ["colour", "range"])
    byId(id).addEventListener("change", (event) => {
      settings[id] = event.target.value;
      byId("range-field").hidden = settings.colour === "cloth";
      changed();
    });
  // Browsers restore the controls of a page that is loaded again; start from what they show.
  timeline.speed = Number(byId("speed").value);
  timeline.loop = byId("loop").checked;
  settings.wire = byId("wire").checked;
  settings.interpolate = byId("smooth").checked;
  settings.colour = byId("colour").value;
  settings.range = byId("range").value;
  byId("range-field").hidden = settings.colour === "cloth";
}

// Keys work anywhere on the page except where they already mean something.
function attachKeys(timeline, camera, redraw) {
  const switchOf = { w: "wire", i: "smooth", l: "loop" };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const tag = target.tagName;
    const onSlider = target.id === "scrub";
    if (tag === "SELECT" || tag === "PRE") return;
    if (key === " " && (tag === "BUTTON" || tag === "SUMMARY" || (tag === "INPUT" && !onSlider))) return;
    const onCanvas = target.id === "canvas";
    const turn = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[key];
    if (onCanvas && event.shiftKey && turn) camera.turn(...turn);
    else if (key === " ") timeline.toggle();
    else if (key === "ArrowLeft" || (onSlider && key === "ArrowDown")) timeline.stepFrames(event.shiftKey ? -10 : -1);
    else if (key === "ArrowRight" || (onSlider && key === "ArrowUp")) timeline.stepFrames(event.shiftKey ? 10 : 1);
    else if (key === "Home" && (onSlider || onCanvas)) timeline.seek(timeline.start);
    else if (key === "End" && (onSlider || onCanvas)) timeline.seek(timeline.end);
    else if (key === "0") camera.reset();
    else if (key === "+" || key === "=") camera.zoom(0.9);
    else if (key === "-") camera.zoom(1 / 0.9);
    else if (switchOf[key]) byId(switchOf[key]).click();
    else return;
    event.preventDefault();
    redraw();
  });
}

// When the player has been scrolled away, it stays in a corner, so that the plots' moments can be seen.
function attachDock() {
  const [stage, view, undock] = ["stage", "view", "undock"].map(byId);
  let dismissed = false;
  undock.addEventListener("click", () => {
    dismissed = true;
    view.classList.remove("docked");
  });
  new IntersectionObserver(([entry]) => {
    const above = entry.boundingClientRect.top < 0;
    if (entry.isIntersecting) dismissed = false;
    view.classList.toggle("docked", !entry.isIntersecting && above && !dismissed && innerWidth >= 760);
  }, { threshold: 0.12 }).observe(stage);
}
