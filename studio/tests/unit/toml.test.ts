import { describe, expect, test } from "vitest";
import { apply, readValue, removeValue, setValue, valueAt, writeNumber, writeValue } from "../../src/toml/edit.ts";
import { placeAt, scan } from "../../src/toml/scan.ts";
import { SchemaBook } from "../../src/toml/schema.ts";

const SCENE = `# A sheet.
title = "Sheet # not a comment"

[cloth.sheet]
mesh.grid = { size = [1.0, 2.0], cells = [40, 40] } # cells
damping = 0.6

[[cloth.sheet.pin]]
select.corners = [2, 3]
[[cloth.sheet.pin]]
select.corners = [
  0, # first
  1,
]

[cloth.sheet.material]
bend = 4e-5
`;

const paths = (text: string): string[] => scan(text).entries.map((entry) => entry.path.join("."));

describe("finding things in TOML", () => {
  test("every key has its path", () => {
    expect(paths(SCENE)).toEqual([
      "title", "cloth.sheet.mesh.grid", "cloth.sheet.mesh.grid.size", "cloth.sheet.mesh.grid.cells",
      "cloth.sheet.damping", "cloth.sheet.pin.0.select.corners", "cloth.sheet.pin.1.select.corners",
      "cloth.sheet.material.bend",
    ]);
  });

  test("values are found where they stand", () => {
    for (const entry of scan(SCENE).entries) expect(SCENE.slice(entry.from, entry.to)).toBe(entry.raw);
    expect(valueAt(SCENE, ["cloth", "sheet", "mesh", "grid", "size"])).toEqual([1, 2]);
    expect(valueAt(SCENE, ["cloth", "sheet", "pin", 1, "select", "corners"])).toEqual([0, 1]);
    expect(valueAt(SCENE, ["title"])).toBe("Sheet # not a comment");
    expect(valueAt(SCENE, ["cloth", "sheet", "nothing"])).toBeUndefined();
  });

  test("text that is not finished does not hang the scanner", () => {
    for (let length = 0; length < SCENE.length; length++) scan(SCENE.slice(0, length));
    for (const text of ["[", "[[a", "a = {", "a = [", "a = {b", "= 3", "a = \"", "a.=3", "{}", "a = [[}", "]]"]) scan(text);
  });

  test("the place of the cursor is known", () => {
    expect(placeAt(SCENE, SCENE.indexOf("4e-5") + 1).path.join(".")).toBe("cloth.sheet.material.bend");
    expect(placeAt(SCENE, SCENE.indexOf("cells =")).path.join(".")).toBe("cloth.sheet.mesh.grid.cells");
    expect(placeAt(SCENE, SCENE.length).path.join(".")).toBe("cloth.sheet.material");
  });
});

describe("changing values", () => {
  const changed = (path: (string | number)[], raw: string): string => apply(SCENE, setValue(SCENE, path, raw));

  test("a value that is there is replaced, and nothing else", () => {
    const text = changed(["cloth", "sheet", "material", "bend"], "1e-6");
    expect(text).toBe(SCENE.replace("4e-5", "1e-6"));
  });

  test("a new value goes into its table", () => {
    const text = changed(["cloth", "sheet", "material", "density"], "0.2");
    expect(text).toContain("bend = 4e-5\ndensity = 0.2\n");
    expect(valueAt(text, ["cloth", "sheet", "material", "density"])).toBe(0.2);
  });

  test("where there is no table of its own it goes into the nearest", () => {
    const text = changed(["cloth", "sheet", "limit", "stretch"], "0.01");
    expect(text).toContain("damping = 0.6\nlimit.stretch = 0.01\n");
    expect(valueAt(changed(["time", "duration"], "2.0"), ["time", "duration"])).toBe(2);
  });

  test("inline tables are entered", () => {
    const text = changed(["cloth", "sheet", "mesh", "grid", "pattern"], '"alternating"');
    expect(text).toContain('cells = [40, 40], pattern = "alternating" } # cells');
  });

  test("a value can be taken away", () => {
    const change = removeValue(SCENE, ["cloth", "sheet", "damping"])!;
    expect(apply(SCENE, change)).toBe(SCENE.replace("damping = 0.6\n", ""));
  });

  test("numbers are short and stay what they are", () => {
    expect([0.1, 1, 4e-5, 1e6, 0.30000000000000004].map((x) => writeNumber(x))).toEqual(["0.1", "1.0", "4e-5", "1e6", "0.3"]);
    expect(writeNumber(40, true)).toBe("40");
    expect(writeValue({ size: [1, 0.5], name: 'a "b"' })).toBe('{ size = [1.0, 0.5], name = "a \\"b\\"" }');
    expect(readValue("1_000")).toBe(1000);
  });
});

describe("the schema", () => {
  const book = new SchemaBook({
    properties: {
      cloth: { additionalProperties: { $ref: "#/$defs/Cloth" } },
      body: { type: "object", patternProperties: { "^[a-z]+$": { properties: { friction: { type: "number" } } } } },
    },
    $defs: {
      Cloth: {
        required: ["mesh"],
        properties: {
          mesh: { oneOf: [{ properties: { grid: { properties: { cells: {} } } } }, { const: "none" }] },
          model: { description: "What it is.", anyOf: [{ $ref: "#/$defs/Model" }] },
          pin: { items: { properties: { select: {} } } },
        },
      },
      Model: { oneOf: [{ const: "mass-spring", description: "Springs." }, { enum: ["choi-ko", "area"] }] },
    },
  });

  test("keys, words and descriptions by path", () => {
    expect(book.keys(["cloth", "sheet"]).map((key) => key.name)).toEqual(["mesh", "model", "pin"]);
    expect(book.keys(["cloth", "sheet", "mesh", "grid"]).map((key) => key.name)).toEqual(["cells"]);
    expect(book.keys(["cloth", "sheet", "pin", 3]).map((key) => key.name)).toEqual(["select"]);
    expect(book.keys(["body", "table"]).map((key) => key.name)).toEqual(["friction"]);
    expect(book.words(["cloth", "sheet", "model"]).map((word) => word.text)).toEqual(['"mass-spring"', '"choi-ko"', '"area"']);
    expect(book.describe(["cloth", "sheet", "model"])).toBe("What it is.");
    expect(book.at(["nothing", "here"])).toEqual([]);
  });
});
