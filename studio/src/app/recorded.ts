// A finished run. Its frames are fetched in pieces, from the beginning on, and those that somebody asks for first.

import { mix } from "virtual:player";
import type { RecordedWorld } from "../protocol.ts";
import type { Engine } from "../session/session.ts";
import type { Frame, WorldMessage } from "../session/wire.ts";
import { NumberTable } from "./numbers.ts";
import { Show, type Clock } from "./show.ts";

const PIECE_BYTES = 4 << 20;

export class RecordedShow extends Show {
  readonly clock: Clock;
  private readonly frames: (Frame | undefined)[];
  private loading = false;
  private readonly piece: number;
  private readonly mixed: Float32Array;
  private readonly mixedPoses: Float32Array;
  private closed = false;
  speed = 1;

  constructor(message: WorldMessage<RecordedWorld>, private readonly engine: Engine, readonly path: string) {
    super(message);
    const count = message.world.frames;
    this.frames = new Array<Frame | undefined>(count);
    const bytes = 72 + 12 * message.world.nodes + 28 * message.world.bodies.length;
    this.piece = Math.max(1, Math.min(256, Math.floor(PIECE_BYTES / bytes)));
    this.mixed = new Float32Array(3 * message.world.nodes);
    this.mixedPoses = new Float32Array(7 * message.world.bodies.length);
    const end = this.timeOf(Math.max(0, count - 1));
    this.clock = { playing: false, time: 0, frame: 0, last: Math.max(0, count - 1), end, factor: null };
    void this.loadNumbers();
    void this.load();
  }

  static async open(engine: Engine, path: string): Promise<RecordedShow> {
    return new RecordedShow(await engine.recordedWorld(path), engine, path);
  }

  private async loadNumbers(): Promise<void> {
    try {
      this.table = NumberTable.of(await this.engine.recordedNumbers(this.path));
      this.events.emit("numbers");
    } catch {
      // A recording without numbers can still be looked at.
    }
  }

  /** Fetches what is missing still, after a connection was lost and found. */
  goOn(): void {
    if (this.table.rows === 0) void this.loadNumbers();
    void this.load();
  }

  // What is shown first, then the rest in order.
  private async load(): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    await this.fetchAll();
    this.loading = false;
  }

  private async fetchAll(): Promise<void> {
    while (!this.closed) {
      const missing = this.nextMissing();
      if (missing === null) return;
      try {
        const frames = await this.engine.recordedFrames(this.path, missing, this.piece);
        if (frames.length === 0) return;
        frames.forEach((frame, k) => (this.frames[missing + k] = frame));
        if (missing <= this.clock.frame + 1) this.events.emit("state");
        this.stale = true;
        this.wake?.();
      } catch {
        return; // without a connection; `goOn` is called when there is one again
      }
    }
  }

  /** Called when frames have come that may have been waited for. */
  wake: (() => void) | null = null;
  private stale = true;

  private nextMissing(): number | null {
    for (let k = this.clock.frame; k < this.frames.length; k++) if (!this.frames[k]) return k;
    const before = this.frames.findIndex((frame) => !frame);
    return before < 0 ? null : before;
  }

  /** Share of the frames that have been fetched. */
  get loaded(): number {
    return this.frames.filter(Boolean).length / Math.max(1, this.frames.length);
  }

  override refresh(seconds: number): boolean {
    const { clock } = this;
    if (clock.playing) {
      clock.time += seconds * this.speed;
      if (clock.time > clock.end) clock.time = clock.end > 0 ? clock.time % clock.end : 0;
      this.stale = true;
    }
    if (this.stale) this.draw();
    return clock.playing;
  }

  private draw(): void {
    const { clock } = this;
    const place = clock.time / (this.world.step || 1);
    const index = Math.max(0, Math.min(clock.last, Math.floor(place + 1e-6)));
    const [a, b] = [this.frames[index], this.frames[Math.min(index + 1, clock.last)]];
    clock.frame = index;
    if (!a) return;
    this.stale = false;
    const blend = clock.playing && b && !b.cut ? Math.max(0, Math.min(1, place - index)) : 0;
    if (blend === 0 || !b || a.origin.some((x, k) => x !== b.origin[k])) return this.put(a);
    mix(a.positions, b.positions, blend, this.mixed);
    mixPoses(a.poses, b.poses, blend, this.mixedPoses);
    this.put({ ...a, time: clock.time }, this.mixed, this.mixedPoses);
  }

  /** The frame of a number, if it has been fetched: for measures that compare moments. */
  frameAt(index: number): Frame | null {
    return this.frames[index] ?? null;
  }

  timeOf(frame: number): number {
    return this.frames?.[frame]?.time ?? frame * (this.world.step || 0);
  }

  play(): void {
    if (this.clock.time >= this.clock.end) this.clock.time = 0;
    this.set({ playing: this.clock.last > 0 });
  }

  pause = (): void => this.set({ playing: false });
  step = (count: number): void => this.seekFrame(Math.min(this.clock.last, this.clock.frame + count));
  reset = (): void => this.seekFrame(0);
  seekFrame = (frame: number): void => this.set({ playing: false, frame, time: this.timeOf(frame) });

  override seekTime(time: number): void {
    this.set({ playing: false, time: Math.max(0, Math.min(this.clock.end, time)) });
  }

  private set(change: Partial<Clock>): void {
    Object.assign(this.clock, change);
    this.stale = true;
    this.events.emit("state");
    this.wake?.();
  }

  close(): void {
    this.closed = true;
  }
}

// A quaternion and its negative are the same rotation; the short way is taken.
function mixPoses(a: Float32Array, b: Float32Array, blend: number, out: Float32Array): void {
  for (let at = 0; at < a.length; at += 7) {
    let dot = 0;
    for (let k = 3; k < 7; k++) dot += a[at + k]! * b[at + k]!;
    let length = 0;
    for (let k = 0; k < 7; k++) {
      const end = k > 2 && dot < 0 ? -b[at + k]! : b[at + k]!;
      out[at + k] = a[at + k]! + (end - a[at + k]!) * blend;
      if (k > 2) length += out[at + k]! ** 2;
    }
    for (let k = 3; k < 7; k++) out[at + k]! /= Math.sqrt(length) || 1;
  }
}

