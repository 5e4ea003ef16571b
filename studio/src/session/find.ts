// Which engine this page has: a server that it came from, or the one it brought along.

import type { Engine } from "./session.ts";
import { SocketEngine } from "./socket.ts";

export async function findEngine(): Promise<Engine> {
  if (__STATIC__) return (await import("./wasm.ts")).loadWasmEngine(new URL("engine/", document.baseURI));
  // For work on the page alone: `npm run dev`, then the address with #mock.
  if (import.meta.env.DEV && location.hash === "#mock")
    return (await import("../../tests/support/mock-engine.ts")).mockEngine();
  return new SocketEngine(new URL("./", document.baseURI));
}
