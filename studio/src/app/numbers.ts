// A table of numbers over time that grows, and is cut back when somebody goes back in time.

import type { Numbers, Table } from "../protocol.ts";

/** Rows that a page keeps: the newest quarter of an hour or so. The older half is forgotten when there are more. */
const MOST_ROWS = 60_000;

export class NumberTable {
  readonly values: number[][];
  /** Counts every change, so that plots know when to draw. */
  version = 0;

  constructor(readonly columns: string[]) {
    this.values = columns.map(() => []);
  }

  static of(table: Table): NumberTable {
    // Tables of recordings begin with the time; rows of live worlds with the frame.
    const numbers = new NumberTable(table.columns);
    numbers.append(table.rows);
    return numbers;
  }

  get rows(): number {
    return this.values[0]?.length ?? 0;
  }

  private append(rows: (number | null)[][]): void {
    for (const row of rows) this.values.forEach((column, k) => column.push(row[k] ?? NaN));
    this.version++;
  }

  /** Rows of a live world. Frames count from 0, and each has one row. */
  take({ from, rows }: Numbers): void {
    const first = this.values[0]?.[0] ?? from;
    const keep = Math.max(0, Math.min(this.rows, from - first));
    for (const column of this.values) column.length = keep;
    this.append(rows);
    if (this.rows > MOST_ROWS) for (const column of this.values) column.splice(0, column.length - MOST_ROWS / 2);
  }

  /** The time of a frame of a live world, if it has a row. */
  timeOf(frame: number): number | null {
    const first = this.column("frame")?.[0];
    return first === undefined ? null : this.times[frame - first] ?? null;
  }

  clear(): void {
    for (const column of this.values) column.length = 0;
    this.version++;
  }

  column(name: string): number[] | null {
    const index = this.columns.indexOf(name);
    return index < 0 ? null : this.values[index]!;
  }

  get times(): number[] {
    return this.column("time") ?? [];
  }

  /** The newest number of a column. */
  latest(name: string): number {
    return this.column(name)?.at(-1) ?? NaN;
  }

  /** Number of a column at a time: of the last row that is not after it. */
  at(name: string, time: number): number {
    const [times, column] = [this.times, this.column(name)];
    if (!column || times.length === 0) return NaN;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle]! <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return column[low]!;
  }
}

/** Columns over time with at most so many points. Of each span of rows the least and the greatest stay, so no peak is lost. */
export function thinned(times: number[], columns: ((row: number) => number | null)[], most: number): (number | null)[][] {
  const span = Math.ceil((2 * times.length) / most);
  if (!(span > 2)) return [times, ...columns.map((read) => times.map((_, row) => read(row)))];
  const out: (number | null)[][] = [[], ...columns.map(() => [])];
  for (let first = 0; first < times.length; first += span) {
    const last = Math.min(first + span, times.length) - 1;
    out[0]!.push(times[first]!);
    if (last > first) out[0]!.push(times[last]!);
    columns.forEach((read, k) => {
      let [low, high]: (number | null)[] = [null, null];
      let lowComesFirst = true;
      for (let row = first; row <= last; row++) {
        const value = read(row);
        if (value === null) continue;
        if (low === null || value < low!) [low, lowComesFirst] = [value, false];
        if (high === null || value > high!) [high, lowComesFirst] = [value, true];
      }
      if (last === first) out[k + 1]!.push(low!);
      else out[k + 1]!.push(lowComesFirst ? low! : high!, lowComesFirst ? high! : low!);
    });
  }
  return out;
}

/** The cells of a line; quoted ones may have commas, and quotes written twice. */
export function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain! : quoted.replace(/""/g, '"'));
}
