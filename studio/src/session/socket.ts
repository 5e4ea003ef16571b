// An engine on a server: asks and events over one WebSocket, files over HTTP. All addresses are relative to the
// page's own, which holds the secret.

import { PROTOCOL, type Job, type RecordedWorld, type Refusal, type Welcome } from "../protocol.ts";
import { Messages } from "./messages.ts";
import { RefusedError, type Abilities, type Engine } from "./session.ts";
import { readFrames, readWorld } from "./wire.ts";

const LONGEST_WAIT = 5000; // ms between two tries to connect

export class SocketEngine extends Messages implements Engine {
  readonly abilities: Abilities = { folder: true, readOnly: false };
  private socket: WebSocket | null = null;
  private tries = 0;
  private ready = false;

  constructor(private readonly base: URL) {
    super();
    this.connect();
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
    this.forsake("The connection to the server was lost.");
    this.events.emit("connection", "lost");
    const wait = Math.min(LONGEST_WAIT, 250 * 2 ** this.tries++);
    setTimeout(() => this.connect(), wait);
  }

  protected override send(message: Record<string, unknown>): boolean {
    if (!this.ready || !this.socket) return false;
    this.socket.send(JSON.stringify(message));
    return true;
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

  async readFile(path: string): Promise<string> {
    return (await this.fetch(this.fileAddress(path))).text();
  }

  fileAddress = (path: string): string => this.address("file", { path });

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
