// A table of numbers over time that grows, and is cut back when somebody goes back in time.

import type { Numbers, Table } from "../protocol.ts";

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
