// Putting it together: one recording, one timeline, one picture.

function createRenderer(canvas, recording, bounds) {
  try {
    return new Renderer(canvas, recording, bounds);
  } catch (error) {
    console.warn(error);
    return null;
  }
}

function showMessage(...lines) {
  const message = byId("message");
  message.replaceChildren(...lines.map((line) => html("p", "", line)));
  message.hidden = lines.length === 0;
}

// Which cloth has which colour.
function showCloths({ cloths }) {
  const names = cloths.map(({ name, colors }) => {
    const swatch = html("i", "swatch");
    swatch.style.background = `rgb(${colors[0].map((c) => Math.round(255 * c)).join(" ")})`;
    return html("li", "", swatch, name);
  });
  byId("cloths").replaceChildren(...names);
  byId("cloths").hidden = names.length === 0;
}

// From the first to the last moment of frames and metrics together.
function timeSpan(recording) {
  const ends = [recording.times, recording.metrics.times].flatMap((t) => (t.length ? [t[0], t[t.length - 1]] : []));
  return ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 0];
}

class Player {
  constructor(recording) {
    this.recording = recording;
    this.canvas = byId("canvas");
    this.bounds = sceneBounds(recording);
    this.camera = new Camera(this.bounds, recording.opening.camera);
    this.motion = new Motion(recording);
    this.legend = new Legend(roundingBlur(recording));
    this.ranges = {};
    this.settings = {};
    this.stale = true; // the moment must be computed anew, not only drawn
    this.timeline = new Timeline(...timeSpan(recording), recording.times);
    this.theme = readTheme();
  }

  start() {
    const { timeline, canvas, recording } = this;
    const span = [timeline.start, timeline.end];
    timeline.listen(() => this.refresh());
    attachOptions(timeline, this.settings, () => this.refresh(true));
    attachTransport(timeline);
    attachKeys(timeline, this.camera, () => this.request());
    attachGestures(canvas, this.camera, () => this.request());
    createPlots(recording.metrics, span, timeline);
    if (recording.opening.legend) showCloths(recording);
    byId("reset").addEventListener("click", () => {
      this.camera.reset();
      this.request();
    });
    byId("screenshot").addEventListener("click", () => this.savePicture());
    this.startPicture();
    // Someone who asked for less motion gets a still picture first.
    if (timeline.canPlay() && !matchMedia("(prefers-reduced-motion: reduce)").matches) timeline.toggle();
    this.refresh(true);
  }

  startPicture() {
    const { canvas, recording } = this;
    if (recording.times.length === 0) {
      byId("stage").classList.add("bare");
      showMessage("This recording has no complete frame to show.");
      return;
    }
    this.renderer = createRenderer(canvas, recording, this.bounds);
    if (!this.renderer) {
      byId("stage").classList.add("bare");
      showMessage("The 3D view needs WebGL2, which this browser does not offer or has switched off.", "The plots and facts below work without it.");
      return;
    }
    attachDock();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.theme = readTheme();
      this.request();
    });
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.renderer = null;
      showMessage("The graphics card was taken away for a moment …");
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.renderer = createRenderer(canvas, recording, this.bounds);
      showMessage();
      this.refresh(true);
    });
  }

  resize() {
    const { canvas } = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * ratio)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.camera.setAspect(width / height);
    this.draw(); // at once: setting the size has cleared the picture
  }

  refresh(settingsChanged = false) {
    this.stale = true;
    if (settingsChanged) this.applyColours();
    this.request();
  }

  applyColours() {
    const { colour, range } = this.settings;
    if (colour !== "cloth") {
      this.ranges[colour] ??= automaticRange(this.recording, colour);
      if (this.renderer) this.renderer.setRamp(rampOf(colour));
    }
    this.range = range === "auto" ? this.ranges[colour] : Number(range);
    this.legend.show(colour, this.range);
  }

  // At most one drawing per screen refresh.
  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame((now) => {
      this.requested = false;
      // A tab that was in the background must not jump ahead.
      const seconds = Math.min(0.5, (now - (this.lastTime ?? now)) / 1000);
      this.lastTime = now;
      this.timeline.advance(seconds);
      this.draw();
      if (this.timeline.playing && this.timeline.previewed === null) this.request();
      else this.lastTime = null;
    });
  }

  draw() {
    const { renderer, motion, settings, timeline } = this;
    if (!renderer) return;
    if (this.stale) {
      motion.moveTo(timeline.shown(), settings.colour, settings.interpolate);
      renderer.upload(motion, settings.colour);
      if (settings.colour !== "cloth") this.legend.update(settings.colour, motion.extent(settings.colour));
      this.stale = false;
    }
    const { camera, theme, range } = this;
    renderer.draw({ camera, theme, kind: settings.colour, range: range || 1, wire: settings.wire });
  }

  savePicture() {
    if (!this.renderer) return;
    this.draw(); // WebGL keeps a picture only until the browser has shown it
    const { canvas, settings, theme, recording } = this;
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [canvas.width, canvas.height];
    const context = picture.getContext("2d");
    context.drawImage(canvas, 0, 0);
    this.legend.paint(context, settings.colour, canvas.width / canvas.clientWidth, canvas.height, theme.dark ? "#e8e6e1" : "#24272c");
    const name = recording.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "toile";
    picture.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${name}-${this.timeline.shown().toFixed(3)}s.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}

new Player(readRecording()).start();
