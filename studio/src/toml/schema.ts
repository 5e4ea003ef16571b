// The JSON schema of scenes, asked by path: which keys may stand here, what they mean, which words a value may be.

import type { Path } from "./scan.ts";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

export interface Key {
  name: string;
  schema: Schema;
  required: boolean;
}

export interface Word {
  /** As it stands in TOML. */
  text: string;
  description: string;
}

export class SchemaBook {
  constructor(private readonly root: Schema) {}

  /** All schemas that may describe what is at a path. */
  at(path: Path): Schema[] {
    let here = this.open(this.root);
    for (const part of path) here = here.flatMap((schema) => this.enter(schema, part)).flatMap((s) => this.open(s));
    return here;
  }

  /** The schema itself, what it refers to, and each of its choices. */
  private open(schema: Schema, depth = 0): Schema[] {
    if (depth > 12) return [];
    const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
    const target = schema.$ref ? this.resolve(schema.$ref) : null;
    const opened = [...parts, ...(target ? [target] : [])].flatMap((part) => this.open(part, depth + 1));
    return [schema, ...opened];
  }

  private resolve(ref: string): Schema | null {
    let here: unknown = this.root;
    for (const part of ref.replace(/^#\/?/, "").split("/").filter(Boolean))
      here = (here as Record<string, unknown> | undefined)?.[part.replace(/~1/g, "/").replace(/~0/g, "~")];
    return (here as Schema | undefined) ?? null;
  }

  private enter(schema: Schema, part: string | number): Schema[] {
    if (typeof part === "number") {
      const item = schema.prefixItems?.[part] ?? schema.items;
      return item ? [item] : [];
    }
    const own = schema.properties?.[part];
    if (own) return [own];
    for (const [pattern, inside] of Object.entries(schema.patternProperties ?? {}))
      if (new RegExp(pattern).test(part)) return [inside];
    return typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
  }

  keys(path: Path): Key[] {
    const keys = new Map<string, Key>();
    for (const schema of this.at(path))
      for (const [name, inside] of Object.entries(schema.properties ?? {}))
        if (!keys.has(name)) keys.set(name, { name, schema: inside, required: schema.required?.includes(name) ?? false });
    return [...keys.values()];
  }

  words(path: Path): Word[] {
    const words = new Map<string, Word>();
    const add = (value: unknown, description = ""): void => {
      const text = JSON.stringify(value);
      if (!words.has(text)) words.set(text, { text, description });
    };
    for (const schema of this.at(path)) {
      if (schema.const !== undefined) add(schema.const, schema.description);
      for (const value of schema.enum ?? []) add(value, schema.enum!.length === 1 ? schema.description : "");
      if (schema.type === "boolean") [true, false].forEach((value) => add(value));
      if (typeof schema.default === "string") add(schema.default);
    }
    return [...words.values()];
  }

  /** What a field means, in the words of the engine. */
  describe(path: Path): string {
    return this.at(path).find((schema) => schema.description)?.description ?? "";
  }

  defaultOf(path: Path): unknown {
    return this.at(path).find((schema) => schema.default !== undefined)?.default;
  }

  types(path: Path): Set<string> {
    return new Set(this.at(path).flatMap((schema) => schema.type ?? []));
  }
}
