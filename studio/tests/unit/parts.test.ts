import { describe, expect, test } from "vitest";
import { RAMPS, locate, vertexNormals } from "virtual:player";
import { declaredNames } from "../../build/player.ts";
import { valueEdits } from "../../src/app/drafting.ts";
import { Grid } from "../../src/app/difference.ts";
import { NumberTable, cellsOf, thinned } from "../../src/app/numbers.ts";
import { groupsOf } from "../../src/app/series.ts";
import { COLUMNS } from "../../src/protocol.ts";
import { rimOf } from "../../src/view/model.ts";
import { nearestCorner, pick, rotate } from "../../src/view/picking.ts";
import { Pace } from "../../src/view/pace.ts";

const NONE = 0xffffffff;
const QUAD = new Uint32Array([0, 1, 2, 3]);
const SQUARE = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);

describe("the player's scripts", () => {
  test("are one module with the report", () => {
    expect(declaredNames("const A = 1;\nfunction b() {\n  const inner = 2;\n}\nclass C {}")).toEqual(["A", "b", "C"]);
    expect(RAMPS.diverging).toHaveLength(7);
    expect(locate([0, 1, 2], 1.25)).toEqual({ index: 1, blend: 0.25 });
    const normals = new Float32Array(12);
    vertexNormals(QUAD, SQUARE, normals);
    expect([...normals.subarray(0, 3)]).toEqual([0, 0, 1]);
  });
});

describe("picking", () => {
  const down = { along: [0, 0, -1] as [number, number, number] };

  test("both halves of a quad are met, with weights that give the place back", () => {
    for (const [x, y] of [[0.8, 0.3], [0.2, 0.9]] as const) {
      const hit = pick(QUAD, SQUARE, { from: [x, y, 2], ...down })!;
      expect(hit.distance).toBeCloseTo(2);
      expect(hit.weights.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1);
      const place = [0, 1].map((axis) => hit.weights.reduce((sum, w, k) => sum + w * SQUARE[3 * k + axis]!, 0));
      expect(place[0]).toBeCloseTo(x);
      expect(place[1]).toBeCloseTo(y);
    }
    expect(pick(QUAD, SQUARE, { from: [2, 2, 2], ...down })).toBeNull();
  });

  test("the nearest face wins, also from behind", () => {
    const faces = new Uint32Array([0, 1, 2, NONE, 3, 4, 5, NONE]);
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1]);
    expect(pick(faces, positions, { from: [0.2, 0.2, 3], ...down })!.face).toBe(1);
    const hit = pick(faces, positions, { from: [0.1, 0.2, -3], along: [0, 0, 1] })!;
    expect(hit.face).toBe(0);
    expect(nearestCorner(faces, hit)).toBe(0);
  });

  test("quaternions turn", () => {
    const turned = rotate([0, 0, Math.SQRT1_2, Math.SQRT1_2], [1, 0, 0]);
    [0, 1, 0].forEach((x, k) => expect(turned[k]).toBeCloseTo(x));
  });
});

test("the rim is every edge of one face, in order", () => {
  const faces = new Uint32Array([0, 1, 4, 3, 1, 2, 5, 4]);
  const edges = [];
  const rim = rimOf(faces);
  for (let k = 0; k < rim.length; k += 3) edges.push(`${rim[k]}-${rim[k + 1]}`);
  expect(edges.sort()).toEqual(["0-1", "1-2", "2-5", "3-0", "4-3", "5-4"]);
});

describe("numbers", () => {
  test("rows are appended, and replaced after going back", () => {
    const table = new NumberTable(["frame", "time", "gap"]);
    table.take({ from: 0, rows: [[0, 0, null], [1, 0.1, 5], [2, 0.2, 6]] });
    table.take({ from: 1, rows: [[1, 0.1, 9]] });
    expect(table.rows).toBe(2);
    expect(table.at("gap", 0.15)).toBe(9);
    expect(table.at("gap", 0.05)).toBeNaN();
    expect(table.latest("time")).toBe(0.1);
  });

  test("columns find their plots", () => {
    const table = new NumberTable([...COLUMNS, "body.ball.force.x"]);
    const titles = groupsOf(table, "ball").map((group) => group.title);
    expect(titles).toEqual(["Strain", "Energy", "Gap", "Force", "Residual", "Iterations", "Milliseconds a step"]);
    expect(groupsOf(table, "ball").find((g) => g.title === "Force")!.series).toHaveLength(2);
    const old = new NumberTable(["time", "stretch_worst", "gap_smallest", "energy_kinetic"]);
    expect(groupsOf(old, null).map((group) => group.title)).toEqual(["Strain", "Energy", "Gap"]);
  });
});

describe("what differs between two texts", () => {
  test("values of the same fields", () => {
    const before = "a = 1\nb = { c = 2, d = [1, 2] }\n";
    expect(valueEdits(before, "a = 1\nb = { c = 3, d = [1, 2] } # more\n")).toEqual([{ path: ["b", "c"], value: 3 }]);
    expect(valueEdits(before, before)).toEqual([]);
    expect(valueEdits(before, "a = 1\n")).toBeNull();
    expect(valueEdits(before, "a = 1\nb = { c = 2, e = 3 }\n")).toBeNull();
  });
});

test("the nearest point is found, near and far", () => {
  const points = new Float32Array(Array.from({ length: 300 }, (_, k) => Math.sin(12.9898 * k) * 3));
  const grid = new Grid(points);
  for (const [x, y, z] of [[0, 0, 0], [1.5, -2, 0.3], [9, 9, 9], [-40, 0, 2]] as const) {
    let best = Infinity;
    for (let k = 0; k < points.length; k += 3)
      best = Math.min(best, Math.hypot(points[k]! - x, points[k + 1]! - y, points[k + 2]! - z));
    expect(grid.nearest(x, y, z)).toBeCloseTo(best, 5);
  }
});

test("pixels are given up while pictures are slow and come back at rest", () => {
  const pace = new Pace(true, 1);
  expect(pace.ratio).toBe(1.25);
  pace.tick(false);
  expect(pace.ratio).toBe(1.25); // a single picture, after a click, may be a slow one
  for (let k = 0; k < 100; k++) pace.note(60);
  expect(pace.tick(true)).toBe(true);
  expect(pace.ratio).toBe(0.4);
  for (let k = 0; k < 200; k++) pace.note(10);
  pace.tick(true);
  expect(pace.ratio).toBe(1);
  expect(pace.still()).toBe(true);
  expect(pace.ratio).toBe(1.25);
});

test("a table of numbers forgets its oldest rows, and finds times of frames all the same", () => {
  const table = new NumberTable(["frame", "time"]);
  for (let from = 1; from < 80_000; from += 500)
    table.take({ from, rows: Array.from({ length: 500 }, (_, k) => [from + k, 0.01 * (from + k)]) });
  expect(table.rows).toBeLessThanOrEqual(60_000);
  expect(table.timeOf(79_990)).toBeCloseTo(799.9);
  expect(table.timeOf(1)).toBeNull();
  // Going back cuts it, also when its beginning is forgotten.
  table.take({ from: 79_000, rows: [[79_000, 790]] });
  expect(table.latest("frame")).toBe(79_000);
});

test("a line that is drawn with fewer points keeps its peaks", () => {
  const times = Array.from({ length: 10_001 }, (_, k) => k);
  const values = times.map((t) => (t === 4321 ? 7 : t === 6000 ? -3 : Math.sin(t) * 0.1));
  const [drawn, line] = thinned(times, [(row) => values[row]!], 500);
  expect(drawn!.length).toBeLessThanOrEqual(502);
  expect(drawn!.length).toBe(line!.length);
  expect(Math.max(...(line as number[]))).toBe(7);
  expect(Math.min(...(line as number[]))).toBe(-3);
  expect((drawn as number[]).every((t, k, all) => k === 0 || t > all[k - 1]!)).toBe(true);
  expect(thinned([0, 1], [(row) => row], 500)).toEqual([[0, 1], [0, 1]]);
});

test("cells of a table may be quoted", () => {
  expect(cellsOf('a,"b, ""c""",,4')).toEqual(["a", 'b, "c"', "", "4"]);
  expect(cellsOf("")).toEqual([""]);
});
