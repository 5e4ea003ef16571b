// The player of report.html as a module. Its scripts are plain ones that share a scope, because the Rust side puts
// them into a page as they are, without Node. Here the same files are joined and their names exported, so that
// camera, colour maps, measures, frame times and shaders have one source for the report, the lab's page and this one.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

export const PLAYER_ID = "virtual:player";
const RESOLVED = "\0" + PLAYER_ID;
const FOLDER = new URL("../../crates/toile-scene/src/report/", import.meta.url);
const SCRIPTS = ["data", "measure", "colours", "camera", "shaders", "axes"];

const pathOf = (name: string): string => fileURLToPath(new URL(`${name}.js`, FOLDER));

/** Every name that a script declares at its outermost level. */
export function declaredNames(script: string): string[] {
  return [...script.matchAll(/^(?:const|let|class|function)\s+([A-Za-z_$][\w$]*)/gm)].map((match) => match[1]!);
}

export function playerModule(): string {
  const scripts = SCRIPTS.map((name) => readFileSync(pathOf(name), "utf8"));
  return `${scripts.join("\n")}\nexport { ${scripts.flatMap(declaredNames).join(", ")} };\n`;
}

export function player(): Plugin {
  return {
    name: "toile-player",
    resolveId: (id) => (id === PLAYER_ID ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      for (const name of SCRIPTS) this.addWatchFile(pathOf(name));
      return playerModule();
    },
  };
}
