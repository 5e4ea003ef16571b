// From changed text to a changed simulation: what can change while it goes changes, the rest starts again.

import { RefusedError } from "../session/session.ts";
import { apply, readValue, setValue, type Change } from "../toml/edit.ts";
import { scan, type Path } from "../toml/scan.ts";
import type { Vec3 } from "../protocol.ts";
import type { App } from "./app.ts";
import type { LiveShow } from "./show.ts";

export interface Edit {
  path: Path;
  value: unknown;
}

/** What differs between two texts, if it is nothing but single values of the same fields; null if it is more. */
export function valueEdits(before: string, after: string): Edit[] | null {
  const [a, b] = [scan(before), scan(after)];
  const leaves = (found: typeof a) =>
    new Map(found.entries.filter((e) => !e.raw.startsWith("{")).map((e) => [e.path.join("."), e]));
  const [old, fresh] = [leaves(a), leaves(b)];
  if (old.size !== fresh.size) return null;
  const edits: Edit[] = [];
  for (const [name, entry] of fresh) {
    const other = old.get(name);
    if (!other) return null;
    const [x, y] = [readValue(other.raw), readValue(entry.raw)];
    if (JSON.stringify(x) !== JSON.stringify(y)) edits.push({ path: entry.path, value: y });
  }
  return edits;
}

/** Changes something while it goes. Says whether it could. */
export async function setLive(show: LiveShow, { path, value }: Edit): Promise<boolean> {
  const name = path.join(".");
  const vector = Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === "number");
  try {
    if (name === "environment.gravity" && vector) await show.session.command({ do: "gravity", value: value as Vec3 });
    else if (name === "environment.air.wind" && vector && show.world.hasAir)
      await show.session.command({ do: "wind", value: value as Vec3 });
    else if (typeof value === "number") await show.session.command({ do: "set", name, value });
    else return false;
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

/** Nothing but the words of the title: not worth a new start. */
const harmless = (edit: Edit): boolean => edit.path[0] === "title" || edit.path[0] === "expect" || edit.path[0] === "output";

/** Brings the simulation up to the draft. */
export async function applyDraft(app: App): Promise<void> {
  const draft = app.draft.value;
  const live = app.liveA();
  const edits = live ? valueEdits(app.running.value, draft.text) : null;
  if (live && edits && edits.length > 0 && edits.length <= 8) {
    const results = [];
    for (const edit of edits) results.push(harmless(edit) || (await setLive(live, edit)));
    if (results.every(Boolean)) return void (app.running.value = draft.text);
  }
  const wasPlaying = live?.clock.playing ?? false;
  if ((await app.openScene(draft, true)) && wasPlaying) app.a.value?.play();
}

/** Changes the draft's text in one place. */
export function changeDraft(app: App, change: Change): void {
  const draft = app.draft.value;
  app.draft.value = { ...draft, text: apply(draft.text, change) };
}

export function setInDraft(app: App, path: Path, raw: string): void {
  changeDraft(app, setValue(app.draft.value.text, path, raw));
}
