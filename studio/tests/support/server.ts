// Starts the program for a test, in a folder of its own, and stops exactly that one.

import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const BINARY = process.env.TOILE_BIN ?? "";
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

export interface Server {
  address: string;
  folder: string;
  /** Of the process that serves now. */
  readonly pid: number;
  restart(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Starts `toile studio` on a folder with these files in it. */
export async function startServer(files: Record<string, string>, scene?: string): Promise<Server> {
  if (!BINARY) throw new Error("TOILE_BIN must be the path of the program `toile`");
  const folder = mkdtempSync(join(tmpdir(), "toile-studio-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const port = await freePort();
  const environment = {
    ...process.env,
    TOILE_STUDIO_SECRET: randomBytes(16).toString("hex"),
  };
  let child: ChildProcess;
  const begin = async (): Promise<string> => {
    const target = scene ? join(folder, scene) : folder;
    child = spawn(BINARY, ["studio", target, "--no-open", "--port", String(port), "--page", DIST], { env: environment, cwd: folder });
    return addressOf(child);
  };
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      const dying = child; // the next one must not be met
      if (dying.exitCode !== null || dying.signalCode !== null) return resolve();
      const timer = setTimeout(() => dying.kill("SIGKILL"), 4000);
      dying.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      dying.kill("SIGINT");
    });
  const server: Server = {
    address: await begin(),
    folder,
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    restart: async () => {
      await kill();
      await begin();
    },
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (bytes: Buffer): void => {
      said += bytes.toString();
      const address = /http:\/\/[^\s]+\//.exec(said);
      if (address) resolve(address[0]);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    setTimeout(() => reject(new Error(`the server said no address: ${said}`)), 20_000).unref();
  });
}
