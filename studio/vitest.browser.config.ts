import { defineConfig } from "vitest/config";

// What is no test: `npm run measure` and `npm run soak`.
const other = process.env.STUDIO_SCRIPT;

// One browser at a time: the tests measure, and machines that run them have few cores.
export default defineConfig({
  test: {
    include: other ? [`tests/support/${other}.ts`] : ["tests/browser/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: other ? 7_200_000 : 180_000,
    hookTimeout: 120_000,
  },
});
