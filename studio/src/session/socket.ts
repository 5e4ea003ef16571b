// An engine on a server: asks and events over one WebSocket, files over HTTP. All addresses are relative to the
// page's own, which holds the secret.

import {
  KIND_FRAME, KIND_WORLD, PROTOCOL,
  type Answer, type Ask, type Event, type Job, type RecordedWorld, type Refusal, type Welcome,
} from "../protocol.ts";
import { Emitter } from "./emitter.ts";
import { RefusedError, type Abilities, type Engine, type EngineEvents } from "./session.ts";
import { kindOf, readFrame, readFrames, readWorld } from "./wire.ts";

const LONGEST_WAIT = 5000; // ms between two tries to connect

interface Waiting {
  resolve: (answer: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

export class SocketEngine implements Engine {
  readonly abilities: Abilities = { folder: true, readOnly: false };
  private readonly events = new Emitter<EngineEvents>();
  private readonly waiting = new Map<number, Waiting>();
  private socket: WebSocket | null = null;
  private asks = 0;
  private tries = 0;
  private ready = false;

  constructor(private readonly base: URL) {
    this.connect();
  }

  listen(events: Partial<EngineEvents>): () => void {
    return this.events.listen(events);
  }

  private connect(): void {
    this.events.emit("connection", "connecting");
    const address = new URL("socket", this.base);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.greet();
    socket.onmessage = (message) => this.receive(message.data as string | ArrayBuffer);
    socket.onclose = () => this.lost();
  }

  private greet(): void {
    this.ready = true;
    this.ask({ op: "hello", protocol: PROTOCOL }).then(
      (answer) => {
        const welcome = answer as unknown as Welcome;
        this.tries = 0;
        this.abilities.readOnly = welcome.readOnly;
        this.events.emit("welcome", welcome);
        this.events.emit("connection", "open");
      },
      () => this.socket?.close(),
    );
  }

  private lost(): void {
    this.ready = false;
    this.socket = null;
    for (const { reject } of this.waiting.values()) reject(new Error("The connection to the server was lost."));
    this.waiting.clear();
    this.events.emit("connection", "lost");
    const wait = Math.min(LONGEST_WAIT, 250 * 2 ** this.tries++);
    setTimeout(() => this.connect(), wait);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      if (kindOf(data) === KIND_FRAME) this.events.emit("frame", readFrame(data));
      else if (kindOf(data) === KIND_WORLD) this.events.emit("world", readWorld(data));
      return;
    }
    const message = JSON.parse(data) as Answer | Event;
    if ("answer" in message) this.settle(message);
    else this.announce(message);
  }

  private settle(answer: Answer): void {
    const waiting = this.waiting.get(answer.answer);
    this.waiting.delete(answer.answer);
    if (!waiting) return;
    if (answer.ok) waiting.resolve(answer);
    else waiting.reject(new RefusedError(answer.error));
  }

  private announce(event: Event): void {
    switch (event.event) {
      case "status": return this.events.emit("status", event.session, event);
      case "numbers": return this.events.emit("numbers", event.session, event);
      case "failed": return this.events.emit("failed", event.session, event.message, event.time);
      case "closed": return this.events.emit("closed", event.session, event.why);
      case "job": return this.events.emit("job", event.job);
    }
  }

  ask(ask: Ask): Promise<Record<string, unknown>> {
    if (!this.ready || !this.socket) return Promise.reject(new Error("There is no connection to the server."));
    const number = ++this.asks;
    this.socket.send(JSON.stringify({ ...ask, ask: number }));
    return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
  }

  taken(session: number, frame: number): void {
    if (this.ready) this.socket?.send(JSON.stringify({ op: "taken", session, frame, ask: 0 }));
  }

  private address(path: string, query: Record<string, string | number | undefined> = {}): string {
    const url = new URL(`api/${path}`, this.base);
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value));
    return url.href;
  }

  private async fetch(address: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(address, init);
    if (response.ok) return response;
    const body = (await response.json().catch(() => null)) as { error?: Refusal } | null;
    if (body?.error) throw new RefusedError(body.error);
    throw new Error(`The server answered ${response.status} ${response.statusText}.`);
  }

  private async json<T>(path: string, query = {}, init?: RequestInit): Promise<T> {
    return (await this.fetch(this.address(path, query), init)).json() as Promise<T>;
  }

  private post<T>(path: string, body: unknown): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.json(path, {}, { method: "POST", headers, body: JSON.stringify(body) });
  }

  about = () => this.json<never>("about");
  schema = () => this.json<unknown>("schema");
  templates = () => this.json<never>("templates");
  fabrics = () => this.json<never>("fabrics");
  check = (text: string, path?: string) => this.post<never>("check", { text, path });
  scenes = () => this.json<never>("scenes");
  shelf = () => this.json<never>("shelf");
  experiments = () => this.json<never>("experiments");
  jobs = () => this.json<never>("jobs");
  startJob = (order: unknown) => this.post<Job>("jobs", order);

  async stopJob(id: number): Promise<void> {
    await this.fetch(this.address("jobs", { id }), { method: "DELETE" });
  }

  async readScene(path: string): Promise<string> {
    return (await this.fetch(this.address("scene", { path }))).text();
  }

  async writeScene(path: string, text: string, replace: boolean): Promise<string> {
    const init = { method: "PUT", body: text };
    return (await this.json<{ path: string }>("scene", { path, replace: replace ? 1 : 0 }, init)).path;
  }

  upload(name: string, bytes: ArrayBuffer): Promise<never> {
    return this.json("mesh", { name }, { method: "POST", body: bytes });
  }

  async recordedWorld(path: string) {
    const response = await this.fetch(this.address("recording", { path }));
    return readWorld<RecordedWorld>(await response.arrayBuffer());
  }

  async recordedFrames(path: string, from: number, count: number) {
    const response = await this.fetch(this.address("recording/frames", { path, from, count }));
    return readFrames(await response.arrayBuffer());
  }

  recordedNumbers = (path: string) => this.json<never>("recording/numbers", { path });

  exportAddress(path: string, format: string): string {
    return this.address("export", { path, format });
  }
}
