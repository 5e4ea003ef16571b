// What is drawn, taken from a world: all cloths in one numbering, quads still quads, and what the measures of the
// player want to know of a surface.

import { NO_CORNER, type Surface } from "virtual:player";
import type { Body, Cloth, Vec3, World } from "../protocol.ts";
import type { Arrays } from "../session/wire.ts";

export interface ModelCloth {
  name: string;
  firstNode: number;
  nodeCount: number;
  firstFace: number;
  faceCount: number;
  colours: [Vec3, Vec3];
  thickness: number;
  stretchLimit: number | null;
}

export interface ModelBody {
  name: string;
  positions: Float32Array;
  faces: Uint32Array;
  smooth: boolean;
  ground: number | null;
  colour: Vec3;
  movable: boolean;
  morph: { times: Float32Array; positions: Float32Array } | null;
}

export interface Model extends Surface {
  title: string;
  live: boolean;
  cloths: ModelCloth[];
  bodies: ModelBody[];
  pins: { nodes: Uint32Array; moves: boolean }[];
  seams: Uint32Array;
  /** Warp and weft coordinates of each face's corners (m): 8 per face; NaN where not known. */
  rest: Float32Array;
  /** Place of each node in the flat pattern (m): 3 per node, or nothing. */
  pattern: Float32Array | null;
  /** Edges of only one face: node, the node after it, and the node opposite. */
  rim: Uint32Array;
}

export function cornersOf(faces: Uint32Array, face: number): number[] {
  const corners = [faces[4 * face]!, faces[4 * face + 1]!, faces[4 * face + 2]!];
  const fourth = faces[4 * face + 3]!;
  return fourth === NO_CORNER ? corners : [...corners, fourth];
}

const shifted = (node: number, by: number): number => (node === NO_CORNER ? node : node + by);

export function makeModel(world: World, arrays: Arrays): Model {
  const faces = joined(world.cloths, (c) => arrays.integers(c.faces).map((node) => shifted(node, c.firstNode)));
  const edges = joined(world.cloths, (c) => arrays.integers(c.edges).map((node) => node + c.firstNode));
  const restLengths = joinedFloats(world.cloths, (c) => arrays.floats(c.restLengths));
  const rest = joinedFloats(world.cloths, (c) => restOf(c, arrays));
  let firstFace = 0;
  const cloths = world.cloths.map((cloth) => {
    const faceCount = cloth.faces.count / 4;
    firstFace += faceCount;
    return modelCloth(cloth, firstFace - faceCount, faceCount);
  });
  return {
    title: world.title, live: world.live, nodeCount: world.nodes,
    faces, edges, restLengths, rest, cloths,
    restAreas: restAreas(faces, rest),
    bodies: world.bodies.map((body) => modelBody(body, arrays)),
    pins: world.pins.map((pin) => ({ nodes: arrays.integers(pin.nodes), moves: pin.moves })),
    seams: arrays.integers(world.seams),
    pattern: patternOf(world, arrays),
    rim: rimOf(faces),
  };
}

function modelCloth(cloth: Cloth, firstFace: number, faceCount: number): ModelCloth {
  const { name, firstNode, nodeCount, thickness, stretchLimit } = cloth;
  return { name, firstNode, nodeCount, firstFace, faceCount, colours: cloth.colors, thickness, stretchLimit };
}

function modelBody(body: Body, arrays: Arrays): ModelBody {
  return {
    name: body.name,
    positions: arrays.floats(body.positions),
    faces: arrays.integers(body.faces),
    smooth: body.smooth,
    ground: body.ground,
    colour: body.color,
    movable: body.movable,
    morph: body.morph && {
      times: arrays.floats(body.morph.times),
      positions: arrays.floats(body.morph.positions),
    },
  };
}

function joined(cloths: Cloth[], part: (cloth: Cloth) => Uint32Array): Uint32Array {
  const parts = cloths.map(part);
  const all = new Uint32Array(parts.reduce((sum, p) => sum + p.length, 0));
  parts.reduce((at, p) => (all.set(p, at), at + p.length), 0);
  return all;
}

function joinedFloats(cloths: Cloth[], part: (cloth: Cloth) => Float32Array): Float32Array {
  const parts = cloths.map(part);
  const all = new Float32Array(parts.reduce((sum, p) => sum + p.length, 0));
  parts.reduce((at, p) => (all.set(p, at), at + p.length), 0);
  return all;
}

function restOf(cloth: Cloth, arrays: Arrays): Float32Array {
  if (cloth.rest) return arrays.floats(cloth.rest);
  return new Float32Array(2 * cloth.faces.count).fill(NaN);
}

function restAreas(faces: Uint32Array, rest: Float32Array): Float32Array {
  const areas = new Float32Array(faces.length / 4);
  for (let f = 0; f < areas.length; f++) {
    const at = (corner: number): [number, number] => [rest[8 * f + 2 * corner]!, rest[8 * f + 2 * corner + 1]!];
    const d = faces[4 * f + 3] === NO_CORNER ? 0 : 3;
    const [p, q, r, s] = [at(0), at(1), at(2), at(d)];
    areas[f] = 0.5 * Math.abs((r[0] - p[0]) * (s[1] - q[1]) - (r[1] - p[1]) * (s[0] - q[0]));
  }
  return areas;
}

function patternOf(world: World, arrays: Arrays): Float32Array | null {
  if (!world.cloths.length || world.cloths.some((cloth) => !cloth.pattern)) return null;
  const pattern = new Float32Array(3 * world.nodes);
  for (const cloth of world.cloths) pattern.set(arrays.floats(cloth.pattern), 3 * cloth.firstNode);
  return pattern;
}

export function rimOf(faces: Uint32Array): Uint32Array {
  const once = new Map<number, [number, number, number]>();
  const most = faces.reduce((m, node) => (node !== NO_CORNER && node > m ? node : m), 0) + 1;
  for (let f = 0; f < faces.length / 4; f++) {
    const corners = cornersOf(faces, f);
    corners.forEach((from, k) => {
      const to = corners[(k + 1) % corners.length]!;
      const key = Math.min(from, to) * most + Math.max(from, to);
      if (once.has(key)) once.delete(key);
      else once.set(key, [from, to, corners[(k + 2) % corners.length]!]);
    });
  }
  return new Uint32Array([...once.values()].flat());
}

/** Places of each corner in the flat cloth for the weave: continuous from face to face where the cloth is flat. */
export function weaveCoordinates(model: Model): Float32Array {
  const out = new Float32Array(model.rest);
  const { pattern } = model;
  if (!pattern) return out;
  for (const cloth of model.cloths) {
    if (!flat(pattern, cloth)) continue;
    const turn = warpTurn(model, cloth, pattern);
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++)
      cornersOf(model.faces, f).forEach((node, k) => {
        const [x, y] = [pattern[3 * node]!, pattern[3 * node + 1]!];
        out[8 * f + 2 * k] = c * x + s * y;
        out[8 * f + 2 * k + 1] = c * y - s * x;
      });
  }
  return out;
}

export function flat(pattern: Float32Array, cloth: ModelCloth): boolean {
  const height = pattern[3 * cloth.firstNode + 2]!;
  for (let k = cloth.firstNode; k < cloth.firstNode + cloth.nodeCount; k++)
    if (Math.abs(pattern[3 * k + 2]! - height) > 1e-5) return false;
  return true;
}

// By how much the warp is turned against the pattern's x axis, from the first face.
function warpTurn(model: Model, cloth: ModelCloth, pattern: Float32Array): number {
  if (cloth.faceCount === 0) return 0;
  const [a, b] = cornersOf(model.faces, cloth.firstFace) as [number, number];
  const at = 8 * cloth.firstFace;
  const inPattern = Math.atan2(pattern[3 * b + 1]! - pattern[3 * a + 1]!, pattern[3 * b]! - pattern[3 * a]!);
  const inRest = Math.atan2(model.rest[at + 3]! - model.rest[at + 1]!, model.rest[at + 2]! - model.rest[at]!);
  return Number.isFinite(inRest) ? inPattern - inRest : 0;
}
