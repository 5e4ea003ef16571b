// How far two shows are apart: node by node where they have the same mesh, else from each node to the nearest one.

import type { Show } from "./show.ts";

export function differences(show: Show, other: Show, out: Float32Array): Float32Array {
  const [p, q] = [show.actor!.positions, other.actor!.positions];
  const shift = [0, 1, 2].map((k) => (other.origin?.[k] ?? 0) - (show.origin?.[k] ?? 0));
  const values = out.subarray(0, show.model.nodeCount);
  if (sameMesh(show, other)) {
    for (let k = 0; k < values.length; k++)
      values[k] = Math.hypot(
        q[3 * k]! + shift[0]! - p[3 * k]!, q[3 * k + 1]! + shift[1]! - p[3 * k + 1]!, q[3 * k + 2]! + shift[2]! - p[3 * k + 2]!,
      );
    return values;
  }
  const grid = new Grid(q, shift);
  for (let k = 0; k < values.length; k++) values[k] = grid.nearest(p[3 * k]!, p[3 * k + 1]!, p[3 * k + 2]!);
  return values;
}

function sameMesh(a: Show, b: Show): boolean {
  const [f, g] = [a.model.faces, b.model.faces];
  return a.model.nodeCount === b.model.nodeCount && f.length === g.length && f.every((node, k) => node === g[k]);
}

/** Points in cells, so that the nearest one is found without looking at all. */
export class Grid {
  private readonly cells = new Map<string, number[]>();
  private readonly size: number;
  private readonly low = [Infinity, Infinity, Infinity];
  private readonly reach: number;

  constructor(private readonly points: Float32Array, private readonly shift: number[] = [0, 0, 0]) {
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < points.length; k++) {
      const axis = k % 3;
      this.low[axis] = Math.min(this.low[axis]!, points[k]! + shift[axis]!);
      high[axis] = Math.max(high[axis]!, points[k]! + shift[axis]!);
    }
    const length = Math.hypot(...high.map((x, k) => x - this.low[k]!)) || 1;
    this.size = length / Math.max(1, Math.sqrt(points.length / 3));
    this.reach = Math.ceil(length / this.size) + 1;
    for (let k = 0; k < points.length / 3; k++) {
      const key = this.cell(points[3 * k]! + shift[0]!, points[3 * k + 1]! + shift[1]!, points[3 * k + 2]! + shift[2]!);
      const list = this.cells.get(key.join());
      if (list) list.push(k);
      else this.cells.set(key.join(), [k]);
    }
  }

  private cell(x: number, y: number, z: number): [number, number, number] {
    const at = (value: number, axis: number): number => Math.floor((value - this.low[axis]!) / this.size);
    return [at(x, 0), at(y, 1), at(z, 2)];
  }

  /** Distance to the nearest point, looked for in growing boxes. */
  nearest(x: number, y: number, z: number): number {
    const centre = this.cell(x, y, z).map((c) => Math.max(-1, Math.min(this.reach, c)));
    let best = Infinity;
    for (let ring = 0; ring <= 2 * this.reach; ring++) {
      this.visit(centre, ring, (k) => {
        const p = this.points;
        const distance = Math.hypot(
          p[3 * k]! + this.shift[0]! - x, p[3 * k + 1]! + this.shift[1]! - y, p[3 * k + 2]! + this.shift[2]! - z,
        );
        if (distance < best) best = distance;
      });
      // A ring farther out can hold nothing nearer.
      if (best < ring * this.size) break;
    }
    return best;
  }

  private visit(centre: number[], ring: number, look: (point: number) => void): void {
    for (let i = -ring; i <= ring; i++)
      for (let j = -ring; j <= ring; j++) {
        const whole = Math.abs(i) === ring || Math.abs(j) === ring;
        for (let k = -ring; k <= ring; k += whole || ring === 0 ? 1 : 2 * ring)
          this.cells.get(`${centre[0]! + i},${centre[1]! + j},${centre[2]! + k}`)?.forEach(look);
      }
  }
}
