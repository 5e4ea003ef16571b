// What the plots need before anything is drawn: which columns belong together, units, ticks.

const TITLES = { energy: "Energy", force: "Force on bodies", stretch: "Stretch", gap: "Smallest gap", iterations: "Iterations", residual: "Residuals" };

const words = (name) => name.replace(/_/g, " ").trim();
const sentence = (name) => words(name).replace(/^./, (letter) => letter.toUpperCase());

// Energies, stretches, gap, iterations and residuals get a plot each; every other column a small one. What is zero
// all the time is only named.
function groupColumns(columns) {
  const groups = new Map(Object.keys(TITLES).map((key) => [key, { title: TITLES[key], series: [], small: false }]));
  const others = [];
  const flat = [];
  for (const column of columns) {
    const name = column.name.toLowerCase();
    if (name === "edge_worst") continue; // a name in the form of a number
    // A line along zero tells nothing that a word does not.
    if (!column.values.some((value) => Number.isFinite(value) && value !== 0)) {
      if (column.values.some(Number.isFinite)) flat.push(words(name));
      continue;
    }
    const put = (key, label) => groups.get(key).series.push({ label, values: column.values });
    if (name.startsWith("energy_")) put("energy", words(name.slice(7)));
    else if (name.includes("residual")) put("residual", words(name.replace("residual", "")) || "residual");
    else if (name.startsWith("stretch_")) put("stretch", words(name.slice(8)));
    else if (name.startsWith("force ")) put("force", column.name.slice(6));
    else if (name === "gap_smallest") put("gap", "smallest gap");
    else if (name === "iterations") put("iterations", "iterations");
    else others.push({ ...titleAndUnit(name), series: [{ label: words(name), values: column.values }], small: true });
  }
  Object.assign(groups.get("energy"), { unit: "J", wide: true });
  Object.assign(groups.get("force"), { unit: "N" });
  Object.assign(groups.get("stretch"), { unit: "%", factor: 100 });
  Object.assign(groups.get("gap"), { unit: "m" });
  Object.assign(groups.get("residual"), { log: true });
  const shown = [...groups.values()].filter((group) => group.series.length > 0);
  return { groups: [...shown, ...others], flat };
}

// A unit that the name ends with goes from the title to the axis.
function titleAndUnit(name) {
  const units = [[/_(seconds|s)$/, "s"], [/_(metres|meters|m)$/, "m"], [/_(newtons|n)$/, "N"], [/_(joules|j)$/, "J"], [/_percent$/, "%"]];
  const [ending, unit] = units.find(([pattern]) => pattern.test(name)) || ["", ""];
  const title = sentence(name.replace(ending, ""));
  return { title: title === "Wall" ? "Wall time" : title, unit };
}

// Largest and smallest finite value; on a logarithmic axis only what is above zero counts.
function valueExtent(series, factor, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of series)
    for (const raw of values) {
      const value = raw * factor;
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}

// Joule, metre and second with the prefix that leaves short numbers.
function unitScale(unit, size) {
  if (!["J", "m", "s", "N"].includes(unit) || !(size > 0)) return { unit, scale: 1 };
  const prefixes = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const usual = prefixes.filter(([power]) => power <= 1 || unit === "J" || unit === "N");
  const [power, prefix] = usual.find(([p]) => size >= p) || usual[usual.length - 1];
  return { unit: prefix + unit, scale: power };
}

function niceStep(span, count) {
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= raw * 0.999);
}

// Round numbers from `low` to `high`, about `count` of them.
function linearTicks(low, high, count, whole) {
  let step = niceStep(high - low, count);
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return { ticks, step };
}

// Powers of ten, thinned if there are many.
function decadeTicks(low, high, count) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks = [];
  for (let power = Math.ceil(first / every) * every; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function powerLabel(value) {
  const power = Math.round(Math.log10(value));
  return `10${[...String(power)].map((letter) => SUPERSCRIPTS[letter]).join("")}`;
}

function tickLabel(value, step) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(1).replace("-", "−").replace("e+", "e");
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

// A number for reading, three or four digits.
function readable(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2).replace(/-/g, "−").replace("e+", "e");
  return value.toLocaleString("en", { maximumSignificantDigits: Number.isInteger(value) ? 9 : 4 }).replace("-", "−");
}

// The vertical axis of a plot: its range, its ticks and where a value stands, from 0 (bottom) to 1.
function verticalAxis(group, count) {
  const { series, log = false, factor = 1 } = group;
  let [low, high] = valueExtent(series, factor, log);
  if (!(low <= high)) return null;
  if (log) {
    [low, high] = [low / 1.25, high * 1.25];
    if (high / low < 12) [low, high] = [low / 3, high * 3];
    const place = (value) => (value > 0 ? Math.log(value / low) / Math.log(high / low) : NaN);
    const ticks = decadeTicks(low, high, count).map((value) => ({ at: place(value), label: powerLabel(value) }));
    return { place, ticks, unit: group.unit || "", scale: 1 / factor };
  }
  const whole = series.every(({ values }) => values.every((value) => !Number.isFinite(value) || Number.isInteger(value)));
  const { unit, scale } = unitScale(group.unit || "", Math.max(Math.abs(low), Math.abs(high)));
  // Zero belongs into the picture unless the values stay far from it.
  if (low > 0 && low < 0.6 * high) low = 0;
  if (high < 0 && high > 0.6 * low) high = 0;
  if (high - low <= 1e-6 * Math.max(Math.abs(high), Math.abs(low))) {
    const pad = Math.max(0.05 * Math.abs(high), whole ? 1 : 0) || 1;
    [low, high] = [low - (low === 0 ? 0 : pad), high + pad];
  }
  const { step } = linearTicks(low / scale, high / scale, count, whole && scale === 1);
  [low, high] = [Math.floor(low / scale / step + 1e-6) * step * scale, Math.ceil(high / scale / step - 1e-6) * step * scale];
  const place = (value) => (value - low) / (high - low);
  const { ticks } = linearTicks(low / scale, high / scale, (high - low) / scale / step, whole && scale === 1);
  return {
    place,
    ticks: ticks.map((value) => ({ at: place(value * scale), label: tickLabel(value, step) })),
    unit,
    scale: scale / factor,
  };
}
