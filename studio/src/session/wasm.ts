// An engine that the page brought along, compiled to WebAssembly: no server, no folder, the same messages.

import { PROTOCOL, type About, type Welcome } from "../protocol.ts";
import { Messages } from "./messages.ts";
import type { Abilities, Engine } from "./session.ts";

const MISSING = "this page was built without the engine: `cargo xtask studio --static` says what is missing";

const noFolder = (): Promise<never> =>
  Promise.reject(new Error("A page without a server has no folder. `toile studio` on your own machine has one."));

export async function loadWasmEngine(folder: URL): Promise<Engine> {
  const address = new URL("toile_web.wasm", folder);
  const found = await fetch(address, { method: "HEAD" }).catch(() => null);
  if (!found?.ok) throw new Error(MISSING);
  const worker = new Worker(new URL("./wasm-worker.ts", import.meta.url), { type: "module" });
  await new Promise<void>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ ready?: boolean; failed?: string }>) =>
      data.failed ? reject(new Error(data.failed)) : resolve();
    worker.postMessage({ begin: address.href });
  });
  return new WasmEngine(worker);
}

class WasmEngine extends Messages implements Engine {
  readonly abilities: Abilities = { folder: false, readOnly: true };

  constructor(private readonly worker: Worker) {
    super();
    worker.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => this.receive(data);
    // Listeners come after this; the first word is spoken when they are there.
    setTimeout(() => void this.greet());
  }

  private async greet(): Promise<void> {
    const welcome = (await this.ask({ op: "hello", protocol: PROTOCOL })) as unknown as Welcome;
    this.events.emit("connection", "open");
    this.events.emit("welcome", welcome);
  }

  protected override send(message: Record<string, unknown>): boolean {
    this.worker.postMessage("get" in message ? { get: message } : { message });
    return true;
  }

  private async get<T>(what: string, more: object = {}): Promise<T> {
    return (await this.request({ get: what, ...more })).value as T;
  }

  about = () => this.get<About>("about");
  schema = () => this.get<unknown>("schema");
  templates = () => this.get<never>("templates");
  fabrics = () => this.get<never>("fabrics");
  check = (text: string) => this.get<never>("check", { text });
  scenes = noFolder;
  readScene = noFolder;
  writeScene = noFolder;
  upload = noFolder;
  shelf = noFolder;
  readFile = noFolder;
  fileAddress = () => "";
  recordedWorld = noFolder;
  recordedFrames = noFolder;
  recordedNumbers = noFolder;
  experiments = noFolder;
  startJob = noFolder;
  stopJob = noFolder;
  jobs = () => Promise.resolve([]);
  exportAddress = () => "";
}
