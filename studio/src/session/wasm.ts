// The engine compiled to WebAssembly, in a worker of its own. Filled in by the static build.

import type { Engine } from "./session.ts";

export async function loadWasmEngine(folder: URL): Promise<Engine> {
  const found = await fetch(new URL("toile_web_bg.wasm", folder), { method: "HEAD" }).catch(() => null);
  if (!found?.ok)
    throw new Error("this page was built without the engine. `cargo xtask studio --static` says what it needs.");
  throw new Error("the engine of this page is of another version.");
}
