// Which numbers belong into one plot, for live simulations and for recordings, whose columns have other names.

import type { NumberTable } from "./numbers.ts";

export interface Series {
  column: string;
  label: string;
}

export interface PlotGroup {
  title: string;
  unit: string;
  factor: number;
  log: boolean;
  series: Series[];
  /** The column that names the face to blame for a peak. */
  face: string | null;
}

interface Rule {
  title: string;
  unit: string;
  factor?: number;
  log?: boolean;
  face?: string;
  /** The column, and what to call it. */
  match: (column: string) => string | null;
}

const words = (text: string): string =>
  text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ").trim().toLowerCase();

const named = (names: Record<string, string>) => (column: string): string | null => names[column] ?? null;

const RULES: Rule[] = [
  {
    title: "Strain", unit: "%", factor: 100, face: "worstFace",
    match: named({
      strainMax: "largest", strainMin: "smallest", stretchWorst: "edges", strain_max: "largest", strain_min: "smallest",
      stretch_worst: "edges", stretch_mean: "edges, mean",
    }),
  },
  { title: "Energy", unit: "J", match: (c) => (/^energy/.test(c) ? words(c.replace(/^energy_?/, "")) : null) },
  { title: "Gap", unit: "mm", factor: 1000, match: named({ gap: "to bodies", gap_smallest: "to bodies", contact_gap: "between cloths" }) },
  { title: "Force", unit: "N", match: named({ graspForce: "grasps" }) },
  {
    title: "Residual", unit: "", log: true,
    match: named({ residual: "solve", limitResidual: "limit", linear_residual: "solve", limit_residual: "limit" }),
  },
  { title: "Iterations", unit: "", match: named({ iterations: "solve", limit_iterations: "limit" }) },
  { title: "Milliseconds a step", unit: "ms", match: (c) => (/^ms[A-Z]/.test(c) ? words(c.slice(2)) : null) },
];

export function groupsOf(table: NumberTable, body: string | null): PlotGroup[] {
  const groups = RULES.map((rule): PlotGroup => ({
    title: rule.title, unit: rule.unit, factor: rule.factor ?? 1, log: rule.log ?? false, face: rule.face ?? null,
    series: table.columns.flatMap((column) => {
      const label = rule.match(column);
      return label === null ? [] : [{ column, label }];
    }),
  }));
  const force = groups.find((group) => group.title === "Force")!;
  if (body)
    for (const axis of ["x", "y", "z"])
      if (table.columns.includes(`body.${body}.force.${axis}`))
        force.series.push({ column: `body.${body}.force.${axis}`, label: `${body} ${axis}` });
  return groups.filter((group) => group.series.length > 0);
}
