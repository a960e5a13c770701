import { defineConfig } from "vitest/config"
import LongestFirst from "./test/support/longestFirst.js"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/closingLine.ts"],
    // One process per file keeps the servers and databases of a file to itself. Three run at once on a machine with two
    // cores: many wait for a process, a lease or a stopped database most of their time.
    pool: "forks",
    poolOptions: { forks: { maxForks: 3, minForks: 1 } },
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
