import { defineConfig } from "vitest/config";
import { player } from "./build/player.ts";

export default defineConfig({
  plugins: [player()],
  define: { __STATIC__: "false" },
  test: { include: ["tests/unit/**/*.test.ts"] },
});
