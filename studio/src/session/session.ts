// What the page needs of an engine, wherever that is: on a server behind a WebSocket, or compiled into the page.

import type {
  About, Ask, Check, Command, Contacts, Experiment, Fabric, Failing, Field, Job, JobOrder, Numbers, Opened,
  RecordedWorld, Refusal, SceneFile, ShelfItem, Status, Table, Template, Uploaded, Welcome,
} from "../protocol.ts";
import type { Frame, WorldMessage } from "./wire.ts";

export class RefusedError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

export type Connection = "connecting" | "open" | "lost";

export interface EngineEvents {
  connection: (state: Connection) => void;
  welcome: (welcome: Welcome) => void;
  world: (message: WorldMessage) => void;
  frame: (frame: Frame) => void;
  status: (session: number, status: Status) => void;
  numbers: (session: number, numbers: Numbers) => void;
  failed: (session: number, message: string, time: number) => void;
  closed: (session: number, why: string) => void;
  job: (job: Job) => void;
}

/** What there is besides sessions. A page without a server has less of it. */
export interface Abilities {
  /** Reads and writes a folder: scenes, shelf, uploads, jobs. */
  folder: boolean;
  readOnly: boolean;
}

/** An engine that runs simulations, and what belongs to it. */
export interface Engine {
  readonly abilities: Abilities;
  /** Largest index that was shown; the engine may send the next frames. */
  taken(session: number, frame: number): void;
  listen(events: Partial<EngineEvents>): () => void;
  ask(ask: Ask): Promise<Record<string, unknown>>;
  about(): Promise<About>;
  schema(): Promise<unknown>;
  templates(): Promise<Template[]>;
  fabrics(): Promise<Fabric[]>;
  check(text: string, path?: string): Promise<Check>;
  scenes(): Promise<SceneFile[]>;
  readScene(path: string): Promise<string>;
  writeScene(path: string, text: string, replace: boolean): Promise<string>;
  upload(name: string, bytes: ArrayBuffer): Promise<Uploaded>;
  shelf(): Promise<ShelfItem[]>;
  /** A text, a picture, a table of the folder: its text, and where a browser gets it. */
  readFile(path: string): Promise<string>;
  fileAddress(path: string): string;
  recordedWorld(path: string): Promise<WorldMessage<RecordedWorld>>;
  recordedFrames(path: string, from: number, count: number): Promise<Frame[]>;
  recordedNumbers(path: string): Promise<Table>;
  exportAddress(path: string, format: "glb" | "usda" | "vtu" | "csv"): string;
  experiments(): Promise<Experiment[]>;
  startJob(order: JobOrder): Promise<Job>;
  jobs(): Promise<Job[]>;
  stopJob(id: number): Promise<void>;
}

/** One simulation of an engine. */
export class Session {
  constructor(readonly engine: Engine, readonly opened: Opened) {}

  get id(): number {
    return this.opened.session;
  }

  play = (): Promise<unknown> => this.engine.ask({ op: "play", session: this.id });
  pause = (): Promise<unknown> => this.engine.ask({ op: "pause", session: this.id });
  step = (count = 1): Promise<unknown> => this.engine.ask({ op: "step", session: this.id, count });
  reset = (): Promise<unknown> => this.engine.ask({ op: "reset", session: this.id });
  close = (): Promise<unknown> => this.engine.ask({ op: "close", session: this.id });
  leave = (): Promise<unknown> => this.engine.ask({ op: "leave", session: this.id });
  seek = (frame: number): Promise<unknown> => this.engine.ask({ op: "seek", session: this.id, frame });
  pace = (factor: number): Promise<unknown> => this.engine.ask({ op: "pace", session: this.id, factor });
  show = (field: Field): Promise<unknown> => this.engine.ask({ op: "show", session: this.id, field });

  command(command: Command): Promise<Record<string, unknown>> {
    return this.engine.ask({ op: "command", session: this.id, command });
  }

  async contacts(limit?: number): Promise<Contacts> {
    return (await this.engine.ask({ op: "contacts", session: this.id, limit })) as unknown as Contacts;
  }

  async failing(): Promise<Failing> {
    return (await this.engine.ask({ op: "failing", session: this.id })) as unknown as Failing;
  }
}

export async function openSession(engine: Engine, text: string, path?: string | null, name?: string): Promise<Session> {
  const opened = await engine.ask({ op: "open", text, path: path ?? undefined, name });
  return new Session(engine, opened as unknown as Opened);
}

export async function attachSession(engine: Engine, session: number): Promise<Session> {
  const opened = await engine.ask({ op: "attach", session });
  return new Session(engine, opened as unknown as Opened);
}
