import { defineConfig } from "vitest/config";

// One browser at a time: the tests measure, and machines that run them have few cores.
export default defineConfig({
  test: {
    include: process.env.MEASURE ? ["tests/support/measure.ts"] : ["tests/browser/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
