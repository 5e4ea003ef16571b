import { defineConfig } from "vite";
import { player } from "./build/player.ts";

// `--mode static` makes the page that has the engine within itself and needs no server.
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [player()],
  define: { __STATIC__: JSON.stringify(mode === "static") },
  build: {
    outDir: mode === "static" ? "dist-static" : "dist",
    target: "es2022",
    assetsInlineLimit: 0, // the page's security policy does not allow data addresses for scripts
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
}));
