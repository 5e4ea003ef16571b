// Numbers over time, below the picture. All plots share one time and one cursor; a click goes to that moment, and to
// the face that is to blame, where the numbers name it.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { nearestIndex, readable } from "virtual:player";
import type { App } from "../app/app.ts";
import { thinned } from "../app/numbers.ts";
import { groupsOf, type PlotGroup } from "../app/series.ts";
import type { Show } from "../app/show.ts";
import { focus } from "../act/pointer.ts";
import { middleOf } from "../act/grasp.ts";
import { h } from "../ui/dom.ts";

const SYNC = "toile-time";
const REDRAW = 180; // ms between two pictures of the plots while numbers come in
const POINTS = 1200; // of a line that is drawn: more than it has pixels

interface Drawn {
  group: PlotGroup;
  plot: uPlot;
}

export class Plots {
  private readonly strip = h("div", { class: "plot-strip", tabindex: 0, role: "group", "aria-label": "Plots; scroll sideways for more" });
  private drawn: Drawn[] = [];
  private shape = "";
  private version = -1;
  private timer = 0;
  body: string | null = null;
  visible = false;

  constructor(private readonly app: App, host: HTMLElement) {
    host.append(this.strip);
    const soon = (): void => this.soon();
    for (const signal of [app.a, app.b]) signal.watch((show) => {
      show?.events.listen({ numbers: soon });
      this.shape = "";
      soon();
    });
    app.themed.on(() => {
      this.shape = "";
      soon();
    });
    app.stage.onAfter(() => this.moveTime());
    new ResizeObserver(soon).observe(host);
  }

  private soon(): void {
    if (this.timer || !this.visible) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.refresh();
    }, REDRAW) as unknown as number;
  }

  refresh(): void {
    const show = this.app.a.value;
    if (!show || !this.visible) return;
    const groups = groupsOf(show.table, this.body);
    const shape = JSON.stringify([groups, this.strip.clientHeight, this.app.b.value !== null]);
    if (shape !== this.shape) this.build(groups, shape);
    else if (this.version === show.table.version + (this.app.b.value?.table.version ?? 0)) return;
    this.version = show.table.version + (this.app.b.value?.table.version ?? 0);
    for (const { group, plot } of this.drawn) {
      plot.setData(dataOf(this.app.shows(), group, POINTS));
      this.showValues(plot);
    }
  }

  // While no pointer is over it, a plot's legend has the values of the moment in the picture.
  private showValues(plot: uPlot): void {
    if ((plot.cursor.left ?? -1) >= 0) return;
    const times = plot.data[0] as number[];
    if (times.length) plot.setLegend({ idx: nearestIndex(times, this.app.a.value?.clock.time ?? 0) });
  }


  private build(groups: PlotGroup[], shape: string): void {
    this.shape = shape;
    for (const { plot } of this.drawn) plot.destroy();
    const height = Math.max(90, this.strip.clientHeight - 62);
    const empty = groups.length === 0 ? [h("p", { class: "quiet" }, "There are no numbers for this recording.")] : [];
    const figures = groups.map((group) => h("figure", { class: "plot", "aria-label": `${group.title} over time` }));
    this.strip.replaceChildren(...figures, ...empty);
    this.drawn = groups.map((group, k) => ({ group, plot: this.plot(group, figures[k]!, height) }));
  }

  private plot(group: PlotGroup, host: HTMLElement, height: number): uPlot {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const names = this.app.shows().flatMap((_, k) => group.series.map((series) =>
      ({ label: this.app.shows().length > 1 ? `${"AB"[k]} ${series.label}` : series.label, dash: k === 1 })));
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--hair"), width: 1 }, ticks: { stroke: colour("--hair"), width: 1 } };
    const { log } = group;
    const plot = new uPlot({
      width: 330, height,
      title: group.unit ? `${group.title} (${group.unit})` : group.title,
      scales: { x: { time: false }, y: log ? { distr: 3, log: 10 } : {} },
      axes: [{ ...axis, size: 26, gap: 2 }, { ...axis, size: 52, values: (_, splits) => splits.map((v) => (v === null ? "" : readable(v))) }],
      series: [
        { label: "s", value: (_, v) => (v === null ? "–" : v.toFixed(3)) },
        ...names.map(({ label, dash }, k) => ({
          label, stroke: colour(`--series-${(k % group.series.length) % 6}`), width: 1.5, points: { show: false },
          dash: dash ? [5, 4] : undefined, value: (_: uPlot, v: number | null) => (v === null ? "–" : readable(v)),
        })),
      ],
      cursor: { sync: { key: SYNC, setSeries: false }, drag: { x: false, y: false }, points: { size: 6 } },
      legend: { live: true },
      hooks: { draw: [(u) => this.drawTime(u, colour("--ink"))] },
    }, dataOf(this.app.shows(), group, POINTS), host);
    plot.over.addEventListener("click", () => this.goTo(plot, group));
    return plot;
  }

  // The moment that the picture shows.
  private drawTime(plot: uPlot, ink: string): void {
    const time = this.app.a.value?.clock.time ?? 0;
    const x = Math.round(plot.valToPos(time, "x", true));
    const { ctx, bbox } = plot;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = ink;
    ctx.globalAlpha = 0.55;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private shownTime = -1;

  private moveTime(): void {
    const show = this.app.a.value;
    if (!this.visible || !show || show.clock.time === this.shownTime) return;
    if (show.clock.playing && this.timer) return; // new numbers draw it anyway
    this.shownTime = show.clock.time;
    for (const { plot } of this.drawn) {
      plot.redraw(false, false);
      this.showValues(plot);
    }
  }

  /** To the moment under the cursor: near it, to the peak that somebody meant. */
  private goTo(plot: uPlot, group: PlotGroup): void {
    const show = this.app.a.value;
    const index = plot.cursor.idx;
    if (!show || index === null || index === undefined) return;
    // Of all rows, not only of those that are drawn.
    const all = dataOf(this.app.shows(), group);
    const [times, near] = [all[0] as number[], plot.data[0]![index]!];
    const peak = peakNear(all, nearestIndex(times, near), Math.max(2, Math.round(times.length * 0.015)));
    const time = times[peak]!;
    this.app.each((s) => s.pause());
    this.app.seek(time);
    if (group.face) setTimeout(() => this.showFace(show, group.face!, time), 250);
  }

  private showFace(show: Show, column: string, time: number): void {
    const face = show.table.at(column, time);
    if (!Number.isInteger(face) || face < 0 || face >= show.model.faces.length / 4 || !show.actor) return;
    this.app.marked.value = { show, face };
    focus(this.app, middleOf(show, face));
  }
}

/** The row of the largest value close to a row; the row itself if nothing stands out. */
export function peakNear(data: uPlot.AlignedData, index: number, reach: number): number {
  let best = index;
  let most = -Infinity;
  for (let k = Math.max(0, index - reach); k <= Math.min(data[0]!.length - 1, index + reach); k++)
    for (let series = 1; series < data.length; series++) {
      const value = Math.abs(data[series]![k] ?? NaN);
      if (value > most) [most, best] = [value, k];
    }
  return best;
}

function dataOf(shows: Show[], group: PlotGroup, most = Infinity): uPlot.AlignedData {
  const tables = shows.map((show) => {
    const columns = group.series.map(({ column }) => show.table.column(column) ?? []);
    const read = (column: number[]) => (row: number): number | null => {
      const value = column[row]! * group.factor;
      return !Number.isFinite(value) || (group.log && value <= 0) ? null : value;
    };
    return thinned(show.table.times, columns.map(read), most);
  });
  if (tables.length === 1) return tables[0] as uPlot.AlignedData;
  return uPlot.join(tables as uPlot.AlignedData[]);
}
