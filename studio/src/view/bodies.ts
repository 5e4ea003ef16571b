// Surfaces of bodies as triangles with a normal at each corner.

import { NO_CORNER, locate, mix, vertexNormals } from "virtual:player";
import type { ModelBody } from "./model.ts";

export function bodyVertices(positions: Float32Array, faces: Uint32Array, smooth: boolean) {
  const normals = new Float32Array(positions.length);
  vertexNormals(faces, positions, normals);
  let corners = 0;
  for (let f = 0; f < faces.length; f += 4) corners += faces[f + 3] === NO_CORNER ? 3 : 6;
  const [places, directions] = [new Float32Array(3 * corners), new Float32Array(3 * corners)];
  let at = 0;
  for (let f = 0; f < faces.length; f += 4) {
    const [a, b, c, d] = [faces[f]!, faces[f + 1]!, faces[f + 2]!, faces[f + 3]!];
    const flat = smooth ? null : flatNormal(positions, a, b, c);
    for (const node of d === NO_CORNER ? [a, b, c] : [a, b, c, a, c, d]) {
      for (let axis = 0; axis < 3; axis++) {
        places[at + axis] = positions[3 * node + axis]!;
        directions[at + axis] = flat ? flat[axis]! : normals[3 * node + axis]!;
      }
      at += 3;
    }
  }
  return { places, directions };
}

function flatNormal(p: Float32Array, a: number, b: number, c: number): number[] {
  const u = [0, 1, 2].map((axis) => p[3 * b + axis]! - p[3 * a + axis]!);
  const v = [0, 1, 2].map((axis) => p[3 * c + axis]! - p[3 * a + axis]!);
  const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
  const length = Math.hypot(...n) || 1;
  return n.map((x) => x / length);
}

/** The surface of a body that changes its shape, at a time. */
export function shapeAt(body: ModelBody, time: number): Float32Array {
  if (!body.morph) return body.positions;
  const { times, positions } = body.morph;
  const { index, blend } = locate(times, time);
  const length = body.positions.length;
  const at = (frame: number): Float32Array => positions.subarray(frame * length, (frame + 1) * length);
  const shape = new Float32Array(length);
  mix(at(index), at(blend > 0 ? index + 1 : index), blend, shape);
  return shape;
}
