// What may be written at a place of a scene, and what the field there means.

import { placeAt, scan, type Path } from "./scan.ts";
import type { SchemaBook } from "./schema.ts";

export interface Option {
  label: string;
  insert: string;
  doc: string;
  kind: "property" | "enum";
  required: boolean;
}

export function completionsAt(book: SchemaBook, text: string, at: number): { from: number; options: Option[] } | null {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const before = text.slice(lineStart, at);
  if (/^[^"']*#/.test(before)) return null;
  const header = /^\s*\[{1,2}([\w.-]*)$/.exec(before);
  if (header) return headerOptions(book, text, header[1]!, at);
  const value = /=\s*("?[\w-]*)$/.exec(before);
  if (value) return valueOptions(book, text, at - value[1]!.length);
  const key = /([\w-]+(?:\.[\w-]+)*\.)?([\w-]*)$/.exec(before)!;
  const prefix = (key[1] ?? "").split(".").filter(Boolean);
  const base = tableAround(text, at);
  const from = at - key[2]!.length;
  const taken = new Set(scan(text).entries.filter((e) => e.keyFrom !== from).map((e) => e.path.join(".")));
  const options = book.keys([...base, ...prefix]).filter(({ name }) => !taken.has([...base, ...prefix, name].join(".")))
    .map(({ name, schema, required }): Option => {
      const path = [...base, ...prefix, name];
      return { label: name, insert: name, doc: schema.description ?? book.describe(path), kind: "property", required };
    });
  return { from, options };
}

// The table or inline table that a new key at this place would belong to.
function tableAround(text: string, at: number): Path {
  const { entries, tables } = scan(text);
  const inside = entries
    .filter((e) => e.raw.startsWith("{") && e.from < at && at <= e.to && !(at === e.to && e.raw.endsWith("}")))
    .sort((a, b) => a.to - a.from - (b.to - b.from))[0];
  return inside?.path ?? tables.filter((t) => t.from < at).at(-1)?.path ?? [];
}

function headerOptions(book: SchemaBook, text: string, written: string, at: number): { from: number; options: Option[] } {
  const parts = written.split(".");
  const last = parts.pop()!;
  const names = new Set(scan(text).tables.map((t) => t.path).filter((p) => parts.every((part, k) => p[k] === part))
    .map((p) => String(p[parts.length] ?? "")).filter(Boolean));
  const known = book.keys(parts).map(({ name, schema }) => ({ name, doc: schema.description ?? "" }));
  const all = [...known, ...[...names].filter((n) => !known.some((k) => k.name === n)).map((name) => ({ name, doc: "" }))];
  return {
    from: at - last.length,
    options: all.map(({ name, doc }) => ({ label: name, insert: name, doc, kind: "property", required: false })),
  };
}

function valueOptions(book: SchemaBook, text: string, from: number): { from: number; options: Option[] } | null {
  const path = placeAt(text, from).entry?.path ?? placeAt(text, Math.max(0, from - 1)).path;
  const words = book.words(path);
  if (words.length === 0) return null;
  return {
    from,
    options: words.map(({ text: word, description }) => ({
      label: word, insert: word, doc: description, kind: "enum", required: false,
    })),
  };
}

export function docAt(book: SchemaBook, text: string, at: number): { from: number; to: number; text: string } | null {
  const { entry } = placeAt(text, at);
  if (!entry) return null;
  const { path } = entry;
  const description = book.describe(path);
  if (!description) return null;
  const fallback = book.defaultOf(path);
  const tail = fallback === undefined || fallback === null ? "" : `\nDefault: ${JSON.stringify(fallback)}`;
  return { from: entry.keyFrom, to: entry.to, text: `${path.join(".")}\n${description}${tail}` };
}
