// Something to be looked at: a simulation that is running, or a recording. The rest of the page does not care which.

import type { Status, World } from "../protocol.ts";
import type { Session } from "../session/session.ts";
import type { Frame } from "../session/wire.ts";
import type { Actor } from "../view/actor.ts";
import { makeModel, type Model } from "../view/model.ts";
import type { WorldMessage } from "../session/wire.ts";
import { Emitter } from "../session/emitter.ts";
import { notify } from "../ui/toast.ts";
import { NumberTable } from "./numbers.ts";

export interface ShowEvents {
  /** Another moment is shown. */
  moment: () => void;
  /** Playing, pace, length or grasps are others than before. */
  state: () => void;
  numbers: () => void;
}

/** Where a show is in its time. */
export interface Clock {
  playing: boolean;
  time: number;
  frame: number;
  /** The last frame there is, and its time. */
  last: number;
  end: number;
  /** Simulated seconds per second; null if nothing runs. */
  factor: number | null;
}

export abstract class Show {
  readonly model: Model;
  readonly world: World;
  readonly events = new Emitter<ShowEvents>();
  table: NumberTable;
  actor: Actor | null = null;
  frame: Frame | null = null;
  /** Where the actor's coordinates begin in the world; the first frame decides. */
  origin: number[] | null = null;
  abstract readonly clock: Clock;

  constructor(message: WorldMessage) {
    this.world = message.world;
    this.model = makeModel(message.world, message.arrays);
    this.table = new NumberTable(message.world.columns ?? []);
  }

  abstract play(): void;
  abstract pause(): void;
  abstract step(count: number): void;
  abstract reset(): void;
  abstract seekFrame(frame: number): void;
  abstract timeOf(frame: number): number;
  abstract close(): void;
  /** Shows what has come since the last picture; says whether there will be more soon. */
  abstract refresh(seconds: number): boolean;

  get title(): string {
    return this.world.title || "Untitled scene";
  }

  toggle(): void {
    if (this.clock.playing) this.pause();
    else this.play();
  }

  seekTime(time: number): void {
    const step = this.world.step || 1;
    this.seekFrame(Math.max(0, Math.min(this.clock.last, Math.round(time / step))));
  }

  protected put(frame: Frame, positions = frame.positions, poses = frame.poses): void {
    this.origin ??= frame.origin;
    const shift = frame.origin.map((x, k) => x - this.origin![k]!);
    this.frame = frame;
    if (this.actor) this.actor.origin = this.origin;
    this.actor?.move(positions, poses, shift, frame.time);
    this.events.emit("moment");
  }

  /** From the actor's coordinates to the world's and back. */
  toWorld(place: ArrayLike<number>): [number, number, number] {
    const o = this.origin ?? [0, 0, 0];
    return [place[0]! + o[0]!, place[1]! + o[1]!, place[2]! + o[2]!];
  }

  /** A place of a frame, in the actor's coordinates. */
  fromFrame(place: ArrayLike<number>): [number, number, number] {
    const [a, b] = [this.frame?.origin ?? [0, 0, 0], this.origin ?? [0, 0, 0]];
    return [place[0]! + a[0]! - b[0]!, place[1]! + a[1]! - b[1]!, place[2]! + a[2]! - b[2]!];
  }
}

/** A simulation. Frames come when the engine has them; the newest is drawn, and only then the next is asked for. */
export class LiveShow extends Show {
  readonly clock: Clock = { playing: false, time: 0, frame: 0, last: 0, end: 0, factor: null };
  status: Status;
  failure: string | null = null;
  private waiting: Frame | null = null;

  constructor(message: WorldMessage, readonly session: Session) {
    super(message);
    this.status = session.opened.status;
    this.takeStatus(this.status);
  }

  takeStatus(status: Status): void {
    this.status = status;
    if (status.playing) this.failure = null;
    const { clock } = this;
    Object.assign(clock, { playing: status.playing, last: status.last, factor: status.factor });
    clock.end = this.timeOf(status.last);
    this.events.emit("state");
  }

  takeFrame(frame: Frame): void {
    // One that was never drawn makes room for the newer one; the engine must hear of it all the same.
    if (this.waiting) this.session.engine.taken(this.session.id, this.waiting.frame);
    this.waiting = frame;
  }

  get hasNews(): boolean {
    return this.waiting !== null;
  }

  override refresh(): boolean {
    const frame = this.waiting;
    if (frame) {
      this.waiting = null;
      Object.assign(this.clock, { time: frame.time, frame: frame.frame });
      this.clock.last = Math.max(this.clock.last, frame.frame);
      this.clock.end = Math.max(this.clock.end, frame.time);
      this.put(frame);
      this.session.engine.taken(this.session.id, frame.frame);
    }
    return false; // the next frame will ask for its picture
  }

  timeOf(frame: number): number {
    return this.table.timeOf(frame) ?? frame * this.world.step;
  }

  play = (): void => this.tell(this.session.play());
  pause = (): void => this.tell(this.session.pause());
  step = (count: number): void => this.tell(this.session.step(count));
  seekFrame = (frame: number): void => this.tell(this.session.seek(frame));

  // Nobody waits for the answer; a refusal is shown.
  private tell(asked: Promise<unknown>): void {
    asked.catch((error: unknown) => notify(error instanceof Error ? error.message : String(error), "error"));
  }

  reset(): void {
    this.failure = null;
    this.tell(this.session.reset());
  }

  /** The server that had it is no more; its number may mean another one now. */
  gone = false;

  close(): void {
    if (!this.gone) this.session.close().catch(() => undefined);
  }
}
