// Where things stand in a TOML text. Not a judge of it (the engine is): a scanner that finds keys, values and tables
// with their places, also in text that is being typed and is wrong somewhere else.

export type Path = (string | number)[];

export interface Entry {
  path: Path;
  keyFrom: number;
  keyTo: number;
  from: number;
  to: number;
  /** The value as it stands in the text. */
  raw: string;
  /** Inside `{ … }`: an entry of an inline table. */
  inline: boolean;
}

export interface Table {
  path: Path;
  /** Of the header's line. */
  from: number;
  to: number;
  /** Where the table's own entries end: after its last entry. */
  end: number;
  /** One of `[[…]]`. */
  listed: boolean;
}

export interface Scan {
  entries: Entry[];
  tables: Table[];
}

class Scanner {
  at = 0;
  readonly entries: Entry[] = [];
  readonly tables: Table[] = [];
  private current: Table = { path: [], from: 0, to: 0, end: 0, listed: false };
  private readonly counts = new Map<string, number>();

  constructor(readonly text: string) {
    this.tables.push(this.current);
  }

  run(): Scan {
    while (this.at < this.text.length) {
      this.skip(true);
      if (this.at >= this.text.length) break;
      if (this.text[this.at] === "[") this.header();
      else this.line();
    }
    return { entries: this.entries, tables: this.tables };
  }

  // Blanks and comments; line ends too if asked for.
  private skip(lines: boolean): void {
    for (;;) {
      const c = this.text[this.at];
      if (c === " " || c === "\t" || (lines && (c === "\n" || c === "\r"))) this.at++;
      else if (c === "#") this.toLineEnd();
      else return;
    }
  }

  private toLineEnd(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private header(): void {
    const from = this.at;
    const listed = this.text.startsWith("[[", this.at);
    this.at += listed ? 2 : 1;
    const keys = this.keys();
    while (this.text[this.at] === "]") this.at++;
    const path = this.resolve(keys, listed);
    this.current = { path, from, to: this.at, end: this.at, listed };
    this.tables.push(this.current);
    this.toLineEnd();
  }

  // A header below a list of tables means the last of them.
  private resolve(keys: string[], listed: boolean): Path {
    const path: Path = [];
    keys.forEach((key, k) => {
      path.push(key);
      const name = JSON.stringify(path);
      const last = k === keys.length - 1;
      if (last && listed) this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      const count = this.counts.get(name);
      if (count && (!last || listed)) path.push(count - 1);
    });
    return path;
  }

  private line(): void {
    const found = this.pair(this.current.path, false);
    if (found) this.current.end = this.at;
    this.toLineEnd();
  }

  private pair(prefix: Path, inline: boolean): boolean {
    const keyFrom = this.at;
    const keys = this.keys();
    const keyTo = this.keyEnd;
    if (keys.length === 0 || this.text[this.at] !== "=") return false;
    this.at++;
    this.skip(false);
    const from = this.at;
    const path = [...prefix, ...keys];
    const index = this.entries.length;
    this.value(path);
    const to = this.at;
    this.entries.splice(index, 0, { path, keyFrom, keyTo, from, to, raw: this.text.slice(from, to), inline });
    return true;
  }

  private keyEnd = 0;

  private keys(): string[] {
    const keys: string[] = [];
    for (;;) {
      this.skip(false);
      const c = this.text[this.at];
      if (c === '"' || c === "'") {
        const from = this.at;
        this.string();
        keys.push(this.text.slice(from + 1, this.at - 1));
      } else {
        const match = /[A-Za-z0-9_-]*/y;
        match.lastIndex = this.at;
        const word = match.exec(this.text)![0];
        if (!word) return keys;
        this.at += word.length;
        keys.push(word);
      }
      this.keyEnd = this.at;
      this.skip(false);
      if (this.text[this.at] !== ".") return keys;
      this.at++;
    }
  }

  private value(path: Path): void {
    const c = this.text[this.at];
    if (c === "{") this.inlineTable(path);
    else if (c === "[") this.list(path);
    else if (c === '"' || c === "'") this.string();
    else {
      const match = /[^,\]}\n\r#]*/y;
      match.lastIndex = this.at;
      this.at += match.exec(this.text)![0].trimEnd().length;
    }
  }

  private string(): void {
    const quote = this.text[this.at]!;
    const long = quote.repeat(3);
    if (this.text.startsWith(long, this.at)) {
      const end = this.text.indexOf(long, this.at + 3);
      this.at = end < 0 ? this.text.length : end + 3;
      return;
    }
    this.at++;
    while (this.at < this.text.length && this.text[this.at] !== quote && this.text[this.at] !== "\n")
      this.at += quote === '"' && this.text[this.at] === "\\" ? 2 : 1;
    if (this.text[this.at] === quote) this.at++;
  }

  private inlineTable(path: Path): void {
    this.at++;
    for (;;) {
      this.skip(true);
      const before = this.at;
      if (this.at >= this.text.length) return;
      if (this.text[this.at] === "}") return void this.at++;
      if (this.text[this.at] === ",") this.at++;
      else this.pair(path, true);
      if (this.at === before) return; // something that is no pair: not ours to mend
    }
  }

  private list(path: Path): void {
    this.at++;
    for (let index = 0; ;) {
      this.skip(true);
      const before = this.at;
      if (this.at >= this.text.length) return;
      if (this.text[this.at] === "]") return void this.at++;
      if (this.text[this.at] === ",") {
        this.at++;
        index++;
      } else this.value([...path, index]);
      if (this.at === before) return;
    }
  }
}

export const scan = (text: string): Scan => new Scanner(text).run();

export const samePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((part, k) => String(part) === String(b[k]));

/** In which table a place is, and which entries are around it. */
export function placeAt(text: string, offset: number): { path: Path; entry: Entry | null } {
  const { entries, tables } = scan(text);
  const around = entries.filter((e) => e.keyFrom <= offset && offset <= e.to);
  const entry = around.reduce<Entry | null>((best, e) => (!best || e.to - e.from < best.to - best.from ? e : best), null);
  const table = tables.filter((t) => t.from <= offset).at(-1);
  return { path: entry?.path ?? table?.path ?? [], entry };
}
