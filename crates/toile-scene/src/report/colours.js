// Colour ramps, the legend beside the picture, and colours of the page's theme.

// sRGB, evenly spaced. Blue for shorter and red for longer keep apart for colour-blind eyes too; the middle
// is as light as paper, so that an undeformed cloth looks undyed.
const RAMPS = {
  diverging: ["#12356b", "#3a74b4", "#94bedb", "#f1efea", "#f0ae80", "#cc5a3c", "#7c1320"],
  sequential: ["#f3f0e8", "#f6d58f", "#ef9b57", "#d6565a", "#9b2a6b", "#43175c"],
};

function parseColour(text) {
  const digits = text.trim().replace("#", "");
  return [0, 2, 4].map((k) => parseInt(digits.slice(k, k + 2), 16) / 255);
}

function rampOf(kind) {
  return MEASURES[kind].signed ? RAMPS.diverging : RAMPS.sequential;
}

// The ramp as 256 pixels for a texture.
function rampPixels(stops) {
  const colours = stops.map(parseColour);
  const pixels = new Uint8Array(4 * 256);
  for (let k = 0; k < 256; k++) {
    const at = (k / 255) * (stops.length - 1);
    const lower = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) {
      const value = colours[lower][c] + (colours[lower + 1][c] - colours[lower][c]) * (at - lower);
      pixels[4 * k + c] = Math.round(255 * value);
    }
    pixels[4 * k + 3] = 255;
  }
  return pixels;
}

// Shading happens in linear light.
function toLinear(colour) {
  return colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => parseColour(style.getPropertyValue(name));
  return {
    top: read("--stage-top"),
    bottom: read("--stage-bottom"),
    ground: read("--stage-ground"),
    grid: read("--stage-grid"),
    dark: style.getPropertyValue("--dark").trim() === "1",
  };
}

function percent(value, digits = 2) {
  const text = (100 * value).toLocaleString("en", { maximumSignificantDigits: digits });
  return `${text.replace("-", "−")} %`;
}

class Legend {
  constructor(blur) {
    this.blur = blur;
    this.parts = Object.fromEntries(
      ["legend", "legend-title", "legend-bar", "legend-scale", "legend-note"].map((id) => [
        id.replace("legend-", ""), document.getElementById(id),
      ]),
    );
  }

  show(kind, range) {
    const { legend, title, bar, scale, note } = this.parts;
    legend.hidden = kind === "cloth";
    if (legend.hidden) return;
    const { signed } = MEASURES[kind];
    title.textContent = MEASURES[kind].title;
    bar.style.background = `linear-gradient(90deg, ${rampOf(kind).join(", ")})`;
    this.marks = signed
      ? [`≤ −${percent(range)}`, "0", `≥ +${percent(range)}`]
      : ["0", percent(range / 2), `≥ ${percent(range)}`];
    scale.replaceChildren(...this.marks.map((text) => {
      const mark = document.createElement("span");
      mark.textContent = text;
      return mark;
    }));
    // Only say it where it can be seen.
    this.warning = this.blur > 0.02 * range ? `Rounding in this file blurs values by ±${percent(this.blur, 1)}.` : "";
    note.textContent = this.warning;
  }

  update(kind, [low, high]) {
    if (kind === "cloth" || !(low <= high)) return;
    const plus = (value) => (value > 0 && MEASURES[kind].signed ? "+" : "") + percent(value);
    const now = `Now ${plus(low)} to ${plus(high)}`;
    this.parts.note.textContent = this.warning ? `${now}. ${this.warning}` : now;
  }

  // Draws the legend into a saved picture, `scale` pixels per CSS pixel.
  paint(context, kind, scale, height, ink) {
    if (kind === "cloth") return;
    const [left, width] = [20 * scale, 220 * scale];
    const top = height - 52 * scale;
    const gradient = context.createLinearGradient(left, 0, left + width, 0);
    const stops = rampOf(kind);
    stops.forEach((stop, k) => gradient.addColorStop(k / (stops.length - 1), stop));
    context.fillStyle = gradient;
    context.fillRect(left, top, width, 10 * scale);
    context.fillStyle = ink;
    context.font = `${12 * scale}px system-ui, sans-serif`;
    context.fillText(MEASURES[kind].title, left, top - 8 * scale);
    this.marks.forEach((text, k) => {
      context.textAlign = ["left", "center", "right"][k];
      context.fillText(text, left + (k * width) / 2, top + 25 * scale);
    });
    context.textAlign = "left";
  }
}
