// The engine in a worker, so that a long step does not hold up the page. It speaks the messages of the protocol; how
// bytes go in and out is said in `Exports`.

interface Exports {
  memory: WebAssembly.Memory;
  alloc(length: number): number;
  release(place: number, length: number): void;
  /** A message as over the socket. */
  ask(place: number, length: number): void;
  /** What a server answers over HTTP: { get, ask, … }. */
  get(place: number, length: number): void;
  /** Lets sessions step for so many milliseconds of wall time. */
  tick(milliseconds: number): void;
  /** Place of the next outgoing message: kind (0 text, 1 bytes), length, content. 0 if there is none. */
  next(): number;
}

const TICK = 8; // ms between two looks at the clock

let engine: Exports | null = null;
let last = 0;

function give(call: (place: number, length: number) => void, message: unknown): void {
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  const place = engine!.alloc(bytes.length);
  new Uint8Array(engine!.memory.buffer, place, bytes.length).set(bytes);
  call(place, bytes.length);
  engine!.release(place, bytes.length);
}

function drain(): void {
  for (let place = engine!.next(); place !== 0; place = engine!.next()) {
    const head = new DataView(engine!.memory.buffer, place, 8);
    const bytes = engine!.memory.buffer.slice(place + 8, place + 8 + head.getUint32(4, true));
    if (head.getUint32(0, true) === 0) postMessage(new TextDecoder().decode(bytes));
    else postMessage(bytes, { transfer: [bytes] });
  }
}

function run(): void {
  const now = performance.now();
  engine!.tick(Math.min(250, now - last));
  last = now;
  drain();
  setTimeout(run, TICK);
}

async function begin(address: string): Promise<void> {
  // A module that wants anything from outside is not ours.
  const { instance } = await WebAssembly.instantiateStreaming(fetch(address), { env: { now: () => performance.now() } });
  engine = instance.exports as unknown as Exports;
  last = performance.now();
  postMessage({ ready: true });
  run();
}

addEventListener("message", (event: MessageEvent<{ begin?: string; get?: unknown; message?: unknown }>) => {
  const { begin: address, get, message } = event.data;
  if (address) begin(address).catch((error: unknown) => postMessage({ failed: String(error) }));
  else if (engine && get) give(engine.get, get);
  else if (engine && message) give(engine.ask, message);
  if (engine) drain();
});
