import { describe, expect, test } from "vitest";
import { FIELDS, FRAME_HEADER } from "../../src/protocol.ts";
import { kindOf, readFrame, readFrames, readWorld } from "../../src/session/wire.ts";

/** A frame of two nodes, one body and one grasp. */
function frameBytes(field: number, number = 7): ArrayBuffer {
  const bytes = FRAME_HEADER + 28 + 40 + 24 + (field ? 8 : 0);
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint8(0, 2);
  view.setUint8(1, 1);
  view.setUint32(4, 3, true);
  view.setUint32(8, number, true);
  view.setUint32(12, 2, true);
  view.setFloat64(16, 0.35, true);
  [1000, 2000, 3000].forEach((x, k) => view.setFloat64(24 + 8 * k, x, true));
  [2, 1, 1, field].forEach((count, k) => view.setUint32(48 + 4 * k, count, true));
  view.setFloat32(64, -1, true);
  view.setFloat32(68, 2, true);
  let at = FRAME_HEADER;
  const put = (...values: number[]): void => values.forEach((v) => (view.setFloat32(at, v, true), (at += 4)));
  put(1, 2, 3, 0, 0, 0, 1);
  put(5, 0, 0, 1, 0, 0, 2, 0.5, 0, -0.5);
  put(0.5, 0.25, 0.125, 4, 5, 6);
  if (field) put(0.5, NaN);
  return view.buffer as ArrayBuffer;
}

describe("frames", () => {
  test("every part is where it belongs", () => {
    const frame = readFrame(frameBytes(1));
    expect(frame).toMatchObject({ session: 3, frame: 7, time: 0.35, origin: [1000, 2000, 3000], cut: true, past: false });
    expect([...frame.poses]).toEqual([1, 2, 3, 0, 0, 0, 1]);
    expect(frame.grasps).toEqual([{ id: 5, to: [0, 0, 1], at: [0, 0, 2], force: [0.5, 0, -0.5] }]);
    expect([...frame.positions]).toEqual([0.5, 0.25, 0.125, 4, 5, 6]);
    expect(frame.field).toBe(FIELDS[1]);
    expect([...frame.values!]).toEqual([0.5, NaN]);
    expect(frame.range).toEqual([-1, 2]);
  });

  test("without a field there are no values", () => {
    expect(readFrame(frameBytes(0))).toMatchObject({ field: "none", values: null });
  });

  test("frames may follow each other, wherever they begin", () => {
    const parts = [frameBytes(1, 0), frameBytes(0, 1), frameBytes(1, 2)];
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
    parts.reduce((at, part) => (all.set(new Uint8Array(part), at), at + part.byteLength), 0);
    expect(readFrames(all.buffer).map((frame) => frame.frame)).toEqual([0, 1, 2]);
  });

  test("what is too short or of another kind is refused", () => {
    const whole = frameBytes(1);
    for (let length = 0; length < whole.byteLength; length++) expect(() => readFrame(whole.slice(0, length))).toThrow();
    const other = frameBytes(1);
    new DataView(other).setUint8(1, 9);
    expect(() => readFrame(other)).toThrow(/protocol 9/);
    expect(kindOf(whole)).toBe(2);
    expect(kindOf(new ArrayBuffer(0))).toBe(0);
  });
});

describe("worlds", () => {
  test("arrays are found behind the description", () => {
    const text = new TextEncoder().encode(JSON.stringify({ title: "Sheet", at: { offset: 8, count: 2, type: "f32" } }));
    const start = Math.ceil((16 + text.length) / 8) * 8;
    const bytes = new Uint8Array(start + 16);
    bytes.set([1, 1], 0);
    bytes.set(text, 16);
    const view = new DataView(bytes.buffer);
    view.setUint32(4, 11, true);
    view.setUint32(8, text.length, true);
    view.setFloat32(start + 8, 1.5, true);
    view.setFloat32(start + 12, -2, true);
    const { session, world, arrays } = readWorld(bytes.buffer);
    const { at } = world as unknown as { at: { offset: number; count: number; type: "f32" } };
    expect(session).toBe(11);
    expect([...arrays.floats(at)]).toEqual([1.5, -2]);
    expect([...arrays.floats(null)]).toEqual([]);
    expect(() => arrays.floats({ ...at, count: 9 })).toThrow(/outside/);
  });
});
