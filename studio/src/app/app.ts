// The page's state and what can be done with it. Panels watch it; none knows another.

import type { About, Check, Field, Fabric, Template } from "../protocol.ts";
import { attachSession, openSession, RefusedError, type Connection, type Engine, type Session } from "../session/session.ts";
import type { Frame, WorldMessage } from "../session/wire.ts";
import { SchemaBook, type Schema } from "../toml/schema.ts";
import type { Stage } from "../view/stage.ts";
import { notify } from "../ui/toast.ts";
import { RecordedShow } from "./recorded.ts";
import { LiveShow, type Show } from "./show.ts";
import { Signal } from "./signal.ts";

export type ColourKind = "cloth" | "edges" | "area" | "difference" | Exclude<Field, "none">;
export type Slot = "a" | "b";

/** The scene that is being edited. */
export interface Draft {
  text: string;
  path: string | null;
  name: string;
}

const wantsWorld = 15_000; // ms; a large mesh takes a while to be made

export class App {
  readonly a = new Signal<Show | null>(null);
  readonly b = new Signal<Show | null>(null);
  readonly connection = new Signal<Connection>("connecting");
  readonly about = new Signal<About | null>(null);
  readonly book = new Signal<SchemaBook | null>(null);
  readonly draft = new Signal<Draft>({ text: "", path: null, name: "scene" });
  /** The text that show A was made of; the draft may be ahead of it. */
  readonly running = new Signal("");
  readonly check = new Signal<Check | null>(null);
  readonly colour = new Signal<ColourKind>("cloth");
  readonly hover = new Signal<{ show: Show; face: number } | null>(null);
  /** A face to be looked at, such as the one with the largest strain. */
  readonly marked = new Signal<{ show: Show; face: number } | null>(null);
  readonly cloth = new Signal<string | null>(null);
  readonly opening = new Signal(false);
  /** Counts changes of the theme. */
  readonly themed = new Signal(0);
  readonly panel = new Signal<string | null>(null);
  /** What to call A and B. */
  labels: (string | undefined)[] = [];
  /** What the live B was made of. */
  private variant: Draft | null = null;
  templates: Template[] = [];
  fabrics: Fabric[] = [];
  private server = "";
  private readonly worlds = new Map<number, (world: WorldMessage) => void>();
  private readonly early = new Map<number, Frame>();

  constructor(readonly engine: Engine, readonly stage: Stage) {
    engine.listen({
      connection: (state) => (this.connection.value = state),
      welcome: (welcome) => void this.welcomed(welcome.server),
      world: (message) => {
        const waiting = this.worlds.get(message.session);
        if (waiting) waiting(message);
        else this.held.set(message.session, message);
      },
      frame: (frame) => this.takeFrame(frame),
      status: (id, status) => {
        this.live(id)?.takeStatus(status);
        this.stage.request();
      },
      numbers: (id, numbers) => {
        const show = this.live(id);
        show?.table.take(numbers);
        show?.events.emit("numbers");
      },
      failed: (id, message, time) => this.failed(id, message, time),
      closed: (id, why) => {
        if (this.live(id)) notify(`The simulation has ended: ${why}`, "warning");
      },
    });
    // Sessions that nobody can see any more need not wait to be forgotten.
    addEventListener("pagehide", () => {
      for (const show of this.shows()) show.close();
    });
    stage.isMoving = () => this.shows().some((show) => show.clock.playing);
    let last = 0;
    stage.onBefore((now) => {
      const seconds = Math.min(0.25, (now - last) / 1000); // a tab from the background must not jump
      last = now;
      return this.advance(seconds);
    });
  }

  shows(): Show[] {
    return [this.a.value, this.b.value].filter((show): show is Show => show !== null);
  }

  private live(session: number): LiveShow | undefined {
    return this.shows().find((show): show is LiveShow => show instanceof LiveShow && show.session.id === session);
  }

  liveA(): LiveShow | null {
    return this.a.value instanceof LiveShow ? this.a.value : null;
  }

  private takeFrame(frame: Frame): void {
    const show = this.live(frame.session);
    if (show) show.takeFrame(frame);
    else this.early.set(frame.session, frame);
    this.stage.request();
  }

  private failed(id: number, message: string, time: number): void {
    const show = this.live(id);
    if (!show) return;
    show.failure = message;
    notify(`The simulation stopped at ${time.toFixed(3)} s: ${message}`, "error", 12_000);
    show.events.emit("state");
  }

  // B follows A's clock unless the engine keeps both in step.
  private advance(seconds: number): boolean {
    const [a, b] = [this.a.value, this.b.value];
    let more = a?.refresh(seconds) ?? false;
    if (a && b instanceof RecordedShow) {
      if (Math.abs(b.clock.time - a.clock.time) > 1e-6 || !b.frame) b.seekTime(a.clock.time);
      b.refresh(0);
    } else if (b) more = b.refresh(seconds) || more;
    return more;
  }

  // ----- connecting

  private async welcomed(server: string): Promise<void> {
    const again = this.server !== "";
    const same = this.server === server;
    this.server = server;
    try {
      if (again) await this.reconnected(same);
      else await this.start();
    } catch (error) {
      this.complain(error);
    }
  }

  private async start(): Promise<void> {
    const { engine } = this;
    const [about, schema, templates, fabrics] = await Promise.all([
      engine.about(), engine.schema(), engine.templates(), engine.fabrics(),
    ]);
    this.book.value = new SchemaBook(schema as Schema);
    this.templates = templates;
    this.fabrics = fabrics;
    this.about.value = about;
    const first = about.scene ?? templates.find((t) => t.name === "hello") ?? templates[0];
    if (!first) return;
    await this.openScene({ text: first.text, path: "path" in first ? first.path : null, name: first.name });
  }

  // A server that was only out of reach still has the sessions; a new one has none, so what ran starts again.
  private async reconnected(same: boolean): Promise<void> {
    if (!same) for (const one of this.shows()) if (one instanceof LiveShow) one.gone = true;
    for (const one of this.shows()) if (one instanceof RecordedShow) one.goOn();
    const show = this.liveA();
    if (!show) return;
    if (same) {
      try {
        const other = this.b.value instanceof LiveShow ? this.b.value : null;
        await this.place("a", await attachSession(this.engine, show.session.id), true, true);
        if (other) await this.place("b", await attachSession(this.engine, other.session.id), true, true);
        return void notify("Connected again.");
      } catch {
        // The session was dropped meanwhile.
      }
    }
    await this.startAgain();
    notify("The server was started anew, and so was the scene.");
  }

  // What ran, not what is being written, which may be wrong at the moment; and what stood beside it.
  private async startAgain(): Promise<void> {
    const [draft, running, labels, colour] = [this.draft.value, this.running.value, this.labels, this.colour.value];
    const [other, variant] = [this.b.value, this.variant];
    if (!(await this.openScene({ ...draft, text: running || draft.text }, true))) return;
    this.draft.value = draft;
    if (!other) return;
    this.labels = labels;
    if (other instanceof RecordedShow) await this.openRecording(other.path, "b");
    else if (variant) await this.setB(variant);
    if (this.b.value) this.setColour(colour);
  }

  // ----- scenes

  /** Starts a scene in place of what is there. With `keep`, the camera stays. */
  async openScene(draft: Draft, keep = false): Promise<boolean> {
    this.opening.value = true;
    try {
      const session = await openSession(this.engine, draft.text, draft.path, draft.name);
      this.draft.value = draft;
      this.running.value = draft.text;
      await this.setB(null);
      await this.place("a", session, keep);
      return true;
    } catch (error) {
      this.draft.value = draft;
      this.complain(error);
      return false;
    } finally {
      this.opening.value = false;
    }
  }

  // `again`: what was there before is the same session, which must not be closed.
  private async place(slot: Slot, session: Session, keep: boolean, again = false): Promise<LiveShow> {
    const old = this[slot].value;
    if (again && old instanceof LiveShow) old.gone = true;
    const world = await this.worldOf(session.id);
    const show = new LiveShow(world, session);
    this.put(slot, show, keep);
    const early = this.early.get(session.id);
    this.early.delete(session.id);
    if (early) show.takeFrame(early);
    void this.showField(show);
    this.stage.request();
    return show;
  }

  private worldOf(session: number): Promise<WorldMessage> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("The engine did not send the scene.")), wantsWorld);
      this.worlds.set(session, (message) => {
        clearTimeout(timer);
        this.worlds.delete(session);
        resolve(message);
      });
      const known = this.held.get(session);
      if (known) this.worlds.get(session)!(known);
      this.held.delete(session);
    });
  }

  /** Worlds that came before somebody waited for them. */
  private readonly held = new Map<number, WorldMessage>();

  private put(slot: Slot, show: Show | null, keep: boolean): void {
    const signal = this[slot];
    const old = signal.value;
    if (old) {
      if (old.actor) this.stage.remove(old.actor);
      old.close();
    }
    signal.value = show;
    if (!show) return this.stage.surround(true);
    show.actor = this.stage.add(show.model);
    // Actors stand in the picture in the order of their slots.
    if (slot === "a" && this.stage.actors.length > 1) this.stage.actors.reverse();
    if (slot === "a") this.cloth.value = show.model.cloths[0]?.name ?? null;
    let first = true;
    show.events.listen({
      moment: () => {
        if (first) this.stage.surround(keep || slot === "b");
        first = false;
      },
      state: () => this.stage.request(),
    });
    if (show instanceof RecordedShow) show.wake = () => this.stage.request();
  }

  async openRecording(path: string, slot: Slot = "a"): Promise<void> {
    this.opening.value = true;
    try {
      const show = await RecordedShow.open(this.engine, path);
      if (slot === "a") await this.setB(null);
      this.put(slot, show, slot === "b");
      this.stage.request();
    } catch (error) {
      this.complain(error);
    } finally {
      this.opening.value = false;
    }
  }

  /** A variant of the scene beside it, in the same clock; null takes it away. */
  async setB(draft: Draft | null): Promise<boolean> {
    const [a, old] = [this.liveA(), this.b.value];
    if (old instanceof LiveShow) await this.engine.ask({ op: "link", sessions: [] }).catch(() => undefined);
    this.variant = draft;
    if (!draft) {
      this.put("b", null, true);
      if (this.colour.value === "difference") this.setColour("cloth");
      return true;
    }
    this.opening.value = true;
    try {
      const session = await openSession(this.engine, draft.text, draft.path, `${draft.name} B`);
      const show = await this.place("b", session, true);
      if (a) {
        a.reset();
        await this.engine.ask({ op: "link", sessions: [a.session.id, show.session.id] });
      }
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    } finally {
      this.opening.value = false;
    }
  }

  // ----- what is shown

  setColour(kind: ColourKind): void {
    this.colour.value = kind;
    for (const show of this.shows()) if (show instanceof LiveShow) void this.showField(show);
    this.stage.request();
  }

  private async showField(show: LiveShow): Promise<void> {
    const kind = this.colour.value;
    const own = kind === "cloth" || kind === "edges" || kind === "area" || kind === "difference";
    await show.session.show(own ? "none" : kind).catch(() => undefined);
  }

  // ----- time

  each(action: (show: Show) => void): void {
    for (const show of this.shows()) action(show);
    this.stage.request();
  }

  toggle(): void {
    const a = this.a.value;
    if (!a) return;
    if (a.clock.playing) this.each((show) => show.pause());
    else if (this.b.value instanceof RecordedShow) a.play();
    else this.each((show) => show.play());
    this.stage.request();
  }

  seek(time: number): void {
    this.each((show) => show.seekTime(time));
  }

  complain(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    notify(message, "error", 9000);
    if (error instanceof RefusedError && error.refusal.problems) {
      this.check.value = { ok: false, problems: error.refusal.problems, warnings: [], world: null };
    }
  }
}
