// Plots of the metrics as SVG, with a line at the player's time.

function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

const SERIES_COLOURS = 6; // as many as the style sheet names

class Plot {
  constructor(group, times, span, timeline) {
    Object.assign(this, { group, times, span, timeline });
    this.readouts = group.series.map(() => html("span", "value"));
    const keys = group.series.map((series, k) => {
      const swatch = html("i", `swatch series-${k % SERIES_COLOURS}`);
      return html("li", "", swatch, ...(group.series.length > 1 ? [html("span", "name", series.label)] : []), this.readouts[k]);
    });
    this.unitLabel = html("span", "unit");
    this.canvas = svg("svg", { role: "img", "aria-label": `${group.title} over time` });
    this.element = html(
      "figure",
      `plot${group.small ? " small" : ""}${group.wide ? " wide" : ""}`,
      html("figcaption", "", html("h3", "", group.title, this.unitLabel), html("ul", "keys", ...keys)),
      this.canvas,
    );
    this.attachPointer();
  }

  draw() {
    const width = Math.round(this.element.clientWidth);
    if (width < 60) return;
    const height = this.group.small ? 120 : 190;
    const axis = verticalAxis(this.group, this.group.small ? 3 : 5);
    this.axis = axis;
    this.canvas.replaceChildren();
    this.canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.canvas.setAttribute("width", width);
    this.canvas.setAttribute("height", height);
    if (!axis) {
      this.canvas.append(svg("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "tick" }, "no values"));
      return;
    }
    const longest = Math.max(...axis.ticks.map(({ label }) => label.length), 2);
    this.box = { left: 12 + 6.6 * longest, right: width - 12, top: 8, bottom: height - 24 };
    this.drawAxes(axis);
    this.group.series.forEach((series, k) => {
      const path = this.path(series.values);
      this.canvas.append(svg("path", { d: path, class: `line series-${k % SERIES_COLOURS}` }));
    });
    const { top, bottom } = this.box;
    this.cursor = svg("line", { class: "cursor", y1: top, y2: bottom });
    this.dots = this.group.series.map((_, k) => svg("circle", { r: 3.2, class: `dot series-${k % SERIES_COLOURS}` }));
    this.canvas.append(this.cursor, ...this.dots);
    this.unitLabel.textContent = axis.unit;
    this.moveCursor(this.timeline.shown());
  }

  drawAxes(axis) {
    const { left, right, top, bottom } = this.box;
    for (const { at, label } of axis.ticks) {
      const y = Math.round(bottom - at * (bottom - top)) + 0.5;
      this.canvas.append(
        svg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
        svg("text", { class: "tick", x: left - 7, y: y + 3.5, "text-anchor": "end" }, label),
      );
    }
    const [start, end] = this.span;
    const count = Math.max(2, Math.floor((right - left) / 80));
    const { ticks, step } = end > start ? linearTicks(start, end, count) : { ticks: [start], step: 1 };
    for (const time of ticks) {
      const x = Math.round(this.x(time)) + 0.5;
      const last = time === ticks[ticks.length - 1];
      const label = tickLabel(time, step) + (last ? " s" : "");
      const anchor = x > right - 14 ? "end" : "middle";
      this.canvas.append(
        svg("line", { class: "mark", x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
        svg("text", { class: "tick", x: anchor === "end" ? right + 8 : x, y: bottom + 17, "text-anchor": anchor }, label),
      );
    }
    this.canvas.append(svg("line", { class: "base", x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5 }));
  }

  x(time) {
    const [start, end] = this.span;
    const share = end > start ? (time - start) / (end - start) : 0.5;
    return this.box.left + share * (this.box.right - this.box.left);
  }

  y(raw) {
    const value = raw * (this.group.factor || 1);
    return this.box.bottom - this.axis.place(value) * (this.box.bottom - this.box.top);
  }

  // With many rows per pixel only the smallest and the largest of each pixel column are drawn: spikes stay.
  path(values) {
    const points = [];
    const dense = values.length > 3 * (this.box.right - this.box.left);
    let column = null;
    const flush = () => {
      if (!column) return;
      const { first, second } = column.lowAt < column.highAt ? { first: column.low, second: column.high } : { first: column.high, second: column.low };
      points.push([column.x, first]);
      if (first !== second) points.push([column.x, second]);
      column = null;
    };
    for (let k = 0; k < values.length; k++) {
      const [x, y] = [this.x(this.times[k]), this.y(values[k])];
      if (!Number.isFinite(y)) {
        flush();
        points.push(null);
      } else if (!dense) {
        points.push([x, y]);
      } else {
        if (!column || column.x !== Math.round(x)) {
          flush();
          column = { x: Math.round(x), low: y, high: y, lowAt: k, highAt: k };
        }
        if (y < column.low) [column.low, column.lowAt] = [y, k];
        if (y > column.high) [column.high, column.highAt] = [y, k];
      }
    }
    flush();
    return pathText(points);
  }

  moveCursor(time) {
    if (!this.axis) return;
    const x = Math.max(this.box.left, Math.min(this.box.right, this.x(time)));
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const row = nearestIndex(this.times, time);
    this.group.series.forEach((series, k) => {
      const y = this.y(series.values[row]);
      this.dots[k].style.display = Number.isFinite(y) ? "" : "none";
      if (Number.isFinite(y)) {
        this.dots[k].setAttribute("cx", this.x(this.times[row]));
        this.dots[k].setAttribute("cy", y);
      }
      this.readouts[k].textContent = readable(series.values[row] / this.axis.scale);
    });
  }

  // A mouse over the plot shows that moment in the player and gives it back when it leaves; a click stays.
  attachPointer() {
    const timeAt = (event) => {
      const { left } = this.canvas.getBoundingClientRect();
      const share = (event.clientX - left - this.box.left) / (this.box.right - this.box.left);
      const [start, end] = this.span;
      return start + Math.max(0, Math.min(1, share)) * (end - start);
    };
    let held = false;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (!this.axis || event.button !== 0) return;
      held = true;
      this.canvas.setPointerCapture(event.pointerId);
      this.timeline.seek(timeAt(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.axis) return;
      if (held) this.timeline.seek(timeAt(event));
      else if (event.pointerType === "mouse") this.timeline.preview(timeAt(event));
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => (held = false));
    this.canvas.addEventListener("pointerleave", () => this.timeline.endPreview());
  }
}

// Null is a gap. A point between two gaps becomes a dot: a line of no length with round ends.
function pathText(points) {
  let text = "";
  for (let k = 0; k < points.length; k++) {
    if (!points[k]) continue;
    const starts = k === 0 || !points[k - 1];
    const ends = k === points.length - 1 || !points[k + 1];
    text += `${starts ? "M" : "L"}${points[k][0].toFixed(1)} ${points[k][1].toFixed(1)}`;
    if (starts && ends) text += "h0";
  }
  return text;
}

function createPlots({ times, columns }, span, timeline) {
  if (times.length === 0 || columns.length === 0) return [];
  const { groups, flat } = groupColumns(columns);
  const plots = groups.map((group) => new Plot(group, times, span, timeline));
  document.getElementById("plots").hidden = false;
  const note = document.getElementById("plots-flat");
  note.textContent = flat.length ? `Zero all the time: ${flat.join(", ")}.` : "";
  note.hidden = flat.length === 0;
  document.getElementById("plot-grid").append(...plots.map((plot) => plot.element));
  const redraw = () => plots.forEach((plot) => plot.draw());
  new ResizeObserver(redraw).observe(document.getElementById("plot-grid"));
  redraw();
  timeline.listen(() => plots.forEach((plot) => plot.moveCursor(timeline.shown())));
  return plots;
}
