// Which face is under the pointer. A plain loop over all triangles: for the sizes that run at real time it takes less
// than a millisecond, and needs nothing to be kept up to date while the cloth moves.

import { NO_CORNER } from "virtual:player";
import type { Vec3 } from "../protocol.ts";

export interface Ray {
  from: Vec3;
  /** Of length 1. */
  along: Vec3;
}

export interface Hit {
  face: number;
  distance: number;
  place: Vec3;
  /** One for each corner of the face; their sum is 1. */
  weights: number[];
}

/** Nearest face that the ray meets, from either side. */
export function pick(faces: Uint32Array, positions: Float32Array, ray: Ray): Hit | null {
  let best: Hit | null = null;
  const consider = (face: number, a: number, b: number, c: number, slots: [number, number, number]): void => {
    const met = meet(positions, 3 * a, 3 * b, 3 * c, ray, best?.distance ?? Infinity);
    if (!met) return;
    const weights = faces[4 * face + 3] === NO_CORNER ? [0, 0, 0] : [0, 0, 0, 0];
    slots.forEach((slot, k) => (weights[slot] = met.weights[k]!));
    const place = ray.from.map((x, k) => x + met.distance * ray.along[k]!) as Vec3;
    best = { face, distance: met.distance, place, weights };
  };
  for (let face = 0; face < faces.length / 4; face++) {
    const [a, b, c, d] = [faces[4 * face]!, faces[4 * face + 1]!, faces[4 * face + 2]!, faces[4 * face + 3]!];
    consider(face, a, b, c, [0, 1, 2]);
    if (d !== NO_CORNER) consider(face, a, c, d, [0, 2, 3]);
  }
  return best;
}

// Möller and Trumbore (1997).
function meet(
  p: Float32Array, a: number, b: number, c: number, ray: Ray, nearest: number,
): { distance: number; weights: [number, number, number] } | null {
  const ux = p[b]! - p[a]!, uy = p[b + 1]! - p[a + 1]!, uz = p[b + 2]! - p[a + 2]!;
  const vx = p[c]! - p[a]!, vy = p[c + 1]! - p[a + 1]!, vz = p[c + 2]! - p[a + 2]!;
  const [dx, dy, dz] = ray.along;
  const hx = dy * vz - dz * vy, hy = dz * vx - dx * vz, hz = dx * vy - dy * vx;
  const determinant = ux * hx + uy * hy + uz * hz;
  if (Math.abs(determinant) < 1e-20) return null;
  const sx = ray.from[0] - p[a]!, sy = ray.from[1] - p[a + 1]!, sz = ray.from[2] - p[a + 2]!;
  const u = (sx * hx + sy * hy + sz * hz) / determinant;
  if (u < 0 || u > 1) return null;
  const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
  const v = (dx * qx + dy * qy + dz * qz) / determinant;
  if (v < 0 || u + v > 1) return null;
  const distance = (vx * qx + vy * qy + vz * qz) / determinant;
  if (distance <= 1e-9 || distance >= nearest) return null;
  return { distance, weights: [1 - u - v, u, v] };
}

/** The node with the largest weight: what is nearest to the place that was met. */
export function nearestCorner(faces: Uint32Array, hit: Hit): number {
  const slot = hit.weights.indexOf(Math.max(...hit.weights));
  return faces[4 * hit.face + slot]!;
}

export function rotate(q: ArrayLike<number>, v: ArrayLike<number>): Vec3 {
  const [x, y, z, w] = [q[0]!, q[1]!, q[2]!, q[3]!];
  const cx = y * v[2]! - z * v[1]! + w * v[0]!;
  const cy = z * v[0]! - x * v[2]! + w * v[1]!;
  const cz = x * v[1]! - y * v[0]! + w * v[2]!;
  return [v[0]! + 2 * (y * cz - z * cy), v[1]! + 2 * (z * cx - x * cz), v[2]! + 2 * (x * cy - y * cx)];
}
