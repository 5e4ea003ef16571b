// Binary messages of the protocol, read without copying more than alignment asks for.

import {
  FIELDS, FLAG_CUT, FLAG_PAST, FRAME_HEADER, KIND_FRAME, KIND_WORLD, PROTOCOL,
  type ArrayRef, type Field, type Vec3, type World,
} from "../protocol.ts";

/** The arrays that a world points at. */
export interface Arrays {
  floats(ref: ArrayRef | null): Float32Array;
  integers(ref: ArrayRef | null): Uint32Array;
}

export interface WorldMessage<W extends World = World> {
  session: number;
  world: W;
  arrays: Arrays;
}

export interface GraspState {
  id: number;
  /** Where it pulls to and where it holds (m). */
  to: Vec3;
  at: Vec3;
  /** On the gripper (N). */
  force: Vec3;
}

export interface Frame {
  session: number;
  frame: number;
  past: boolean;
  cut: boolean;
  time: number;
  origin: Vec3;
  /** Seven numbers for each body. */
  poses: Float32Array;
  grasps: GraspState[];
  /** From the origin. */
  positions: Float32Array;
  field: Field;
  range: [number, number];
  values: Float32Array | null;
  bytes: number;
}

export class WireError extends Error {}

function header(view: DataView, kind: number): number {
  if (view.byteLength < 8) throw new WireError("the message is shorter than its header");
  if (view.getUint8(0) !== kind) throw new WireError(`kind ${view.getUint8(0)} instead of ${kind}`);
  if (view.getUint8(1) !== PROTOCOL) throw new WireError(`protocol ${view.getUint8(1)} instead of ${PROTOCOL}`);
  return view.getUint32(4, true);
}

export const kindOf = (buffer: ArrayBuffer): number => (buffer.byteLength ? new DataView(buffer).getUint8(0) : 0);

export function readWorld<W extends World = World>(buffer: ArrayBuffer): WorldMessage<W> {
  const view = new DataView(buffer);
  const session = header(view, KIND_WORLD);
  const length = view.getUint32(8, true);
  const end = 16 + length;
  if (end > buffer.byteLength) throw new WireError("the world ends within its description");
  const world = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length))) as W;
  const start = Math.ceil(end / 8) * 8;
  const place = (ref: ArrayRef): [ArrayBuffer, number, number] => {
    if (start + ref.offset + 4 * ref.count > buffer.byteLength) throw new WireError("an array ends outside the world");
    return [buffer, start + ref.offset, ref.count];
  };
  return {
    session,
    world,
    arrays: {
      floats: (ref) => (ref ? new Float32Array(...place(ref)) : new Float32Array(0)),
      integers: (ref) => (ref ? new Uint32Array(...place(ref)) : new Uint32Array(0)),
    },
  };
}

const vector = (view: DataView, at: number): Vec3 => [
  view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true),
];

/** Length of the frame that begins at `at`. */
export function frameLength(view: DataView, at: number): number {
  const count = (offset: number): number => view.getUint32(at + offset, true);
  const field = count(60) === 0 ? 0 : 4 * count(48);
  return FRAME_HEADER + 28 * count(52) + 40 * count(56) + 12 * count(48) + field;
}

export function readFrame(buffer: ArrayBuffer, at = 0): Frame {
  const view = new DataView(buffer, at);
  const session = header(view, KIND_FRAME);
  if (view.byteLength < FRAME_HEADER) throw new WireError("the frame ends within its header");
  const bytes = frameLength(view, 0);
  if (bytes > view.byteLength) throw new WireError("the frame is shorter than its header says");
  const [nodes, bodies, grasps, field] = [48, 52, 56, 60].map((offset) => view.getUint32(offset, true)) as
    [number, number, number, number];
  const flags = view.getUint32(12, true);
  let offset = FRAME_HEADER;
  const floats = (count: number): Float32Array => {
    const start = at + offset;
    offset += 4 * count;
    return start % 4 === 0 ? new Float32Array(buffer, start, count)
      : new Float32Array(buffer.slice(start, start + 4 * count));
  };
  const poses = floats(7 * bodies);
  const states: GraspState[] = [];
  for (let k = 0; k < grasps; k++) {
    const base = offset + 40 * k;
    states.push({
      id: view.getFloat32(base, true),
      to: vector(view, base + 4), at: vector(view, base + 16), force: vector(view, base + 28),
    });
  }
  offset += 40 * grasps;
  const positions = floats(3 * nodes);
  return {
    session,
    frame: view.getUint32(8, true),
    past: (flags & FLAG_PAST) !== 0,
    cut: (flags & FLAG_CUT) !== 0,
    time: view.getFloat64(16, true),
    origin: [view.getFloat64(24, true), view.getFloat64(32, true), view.getFloat64(40, true)],
    poses,
    grasps: states,
    positions,
    field: FIELDS[field] ?? "none",
    range: [view.getFloat32(64, true), view.getFloat32(68, true)],
    values: field === 0 ? null : floats(nodes),
    bytes,
  };
}

/** Frames that follow each other in one piece of memory. */
export function readFrames(buffer: ArrayBuffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + FRAME_HEADER <= buffer.byteLength;) {
    const frame = readFrame(buffer, at);
    frames.push(frame);
    at += frame.bytes;
  }
  return frames;
}
