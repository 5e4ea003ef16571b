// Single values of a TOML text, read and changed in their places, so that comments and order stay.

import { samePath, scan, type Entry, type Path, type Scan } from "./scan.ts";

export type Value = string | number | boolean | Value[] | { [key: string]: Value };

export interface Change { from: number; to: number; insert: string }

export function readValue(raw: string): Value | undefined {
  const text = raw.trim();
  if (text === "true" || text === "false") return text === "true";
  if (/^["']/.test(text)) return unquote(text);
  if (text.startsWith("[")) return readList(text);
  const number = Number(text.replace(/_/g, ""));
  return text !== "" && !Number.isNaN(number) ? number : undefined;
}

function unquote(text: string): string {
  if (text.startsWith('"')) {
    try {
      return JSON.parse(text) as string;
    } catch {
      return text.replace(/^"+|"+$/g, "");
    }
  }
  return text.replace(/^'+|'+$/g, "");
}

function readList(text: string): Value[] | undefined {
  const { entries } = scan(`x = ${text}`);
  const inside = entries[0]?.raw.slice(1, -1) ?? "";
  const parts = inside.replace(/#.*$/gm, "").split(",").map((part) => part.trim()).filter(Boolean);
  const values = parts.map(readValue);
  return values.includes(undefined) ? undefined : (values as Value[]);
}

export function writeValue(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(", ")}]`;
  return `{ ${Object.entries(value).map(([key, v]) => `${key} = ${writeValue(v)}`).join(", ")} }`;
}

/** Short, and always of the same kind: a float stays one. */
export function writeNumber(value: number, whole = false): string {
  if (whole || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const short = Number(value.toPrecision(6));
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return short.toExponential().replace("e+", "e");
  const text = String(short);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export const entryAt = (found: Scan, path: Path): Entry | undefined =>
  found.entries.find((entry) => samePath(entry.path, path));

export function valueAt(text: string, path: Path): Value | undefined {
  const entry = entryAt(scan(text), path);
  return entry && readValue(entry.raw);
}

/** Whether anything of the text says something about this path or below it. */
export function mentions(found: Scan, path: Path): boolean {
  const under = (other: Path): boolean => path.every((part, k) => String(part) === String(other[k]));
  return found.entries.some((e) => under(e.path)) || found.tables.some((t) => under(t.path));
}

/** The change that gives a path a value. Where the path is new it goes into the nearest table that is there. */
export function setValue(text: string, path: Path, raw: string): Change {
  const found = scan(text);
  const entry = entryAt(found, path);
  if (entry) return { from: entry.from, to: entry.to, insert: raw };
  const inside = inlineParent(found, path);
  if (inside) return inside(raw);
  const table = found.tables
    .filter((t) => t.path.length < path.length && t.path.every((part, k) => String(part) === String(path[k])))
    .reduce((best, t) => (t.path.length >= best.path.length ? t : best), found.tables[0]!);
  const key = path.slice(table.path.length).map(writeKey).join(".");
  const line = `${key} = ${raw}`;
  if (table.path.length === 0 && table.end === 0) return { from: 0, to: 0, insert: `${line}\n` };
  return { from: table.end, to: table.end, insert: `\n${line}` };
}

/** The change that takes a path away, with its line. */
export function removeValue(text: string, path: Path): Change | null {
  const entry = entryAt(scan(text), path);
  if (!entry || entry.inline) return null;
  const from = text.lastIndexOf("\n", entry.keyFrom - 1) + 1;
  const end = text.indexOf("\n", entry.to);
  return { from, to: end < 0 ? text.length : end + 1, insert: "" };
}

function inlineParent(found: Scan, path: Path): ((raw: string) => Change) | null {
  for (let length = path.length - 1; length > 0; length--) {
    const parent = entryAt(found, path.slice(0, length));
    if (!parent) continue;
    const inside = parent.raw.slice(1, -1).trimEnd();
    if (!parent.raw.startsWith("{")) return null;
    const at = parent.from + 1 + inside.length;
    const key = path.slice(length).map(writeKey).join(".");
    return (raw) => ({ from: at, to: at, insert: `${inside.trim() ? "," : ""} ${key} = ${raw}` });
  }
  return null;
}

const writeKey = (part: string | number): string =>
  /^[A-Za-z0-9_-]+$/.test(String(part)) ? String(part) : JSON.stringify(part);

export const apply = (text: string, change: Change): string =>
  text.slice(0, change.from) + change.insert + text.slice(change.to);
