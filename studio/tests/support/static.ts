// The page without a server, built into a folder of its own and served as any web host would.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The compiled engine, if there is one. */
export const WASM = process.env.TOILE_WASM ?? "";
const STUDIO = fileURLToPath(new URL("../../", import.meta.url));
const TYPES: Record<string, string> = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

export interface StaticPage {
  address: string;
  /** Puts the engine beside the page. */
  bringEngine(): void;
  stop(): void;
}

export async function serveStatic(): Promise<StaticPage> {
  const folder = mkdtempSync(join(tmpdir(), "toile-static-"));
  execFileSync("npx", ["vite", "build", "--mode", "static", "--outDir", folder, "--emptyOutDir"], { cwd: STUDIO, stdio: "ignore" });
  const server = createServer((request, response) => {
    const path = join(folder, normalize(new URL(request.url ?? "/", "http://x").pathname).replace(/\/$/, "/index.html"));
    if (!path.startsWith(folder) || !existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  return {
    address: `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}/`,
    bringEngine: () => {
      mkdirSync(join(folder, "engine"), { recursive: true });
      copyFileSync(WASM, join(folder, "engine/toile_web.wasm"));
    },
    stop: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
