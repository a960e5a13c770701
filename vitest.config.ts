import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { chaos, isolated } from "./test/isolated.js"
import LongestFirst from "./test/support/longestFirst.js"

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // As in tsconfig.json: the examples import the package by its name, and no test waits for a build of it.
    alias: {
      "provider-gateway/client": source("client/index.ts"),
      "provider-gateway/testing": source("testing.ts")
    }
  },
  test: {
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/closingLine.ts"],
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most files share the process of the run: loading the sources costs more than the tests of most files. A file that
    // would disturb others has a process of its own (test/isolated.js says which and why). Both kinds run at the same
    // time, four files in all on a machine with two cores: many wait for a process or a database most of their time.
    poolOptions: {
      threads: { isolate: false, minThreads: 1, maxThreads: 2 },
      forks: { minForks: 1, maxForks: 2 }
    },
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          pool: "threads",
          include: ["test/**/*.test.ts"],
          exclude: [...isolated, ...chaos],
          setupFiles: ["test/support/sharedProcess.ts"]
        }
      },
      { extends: true, test: { name: "isolated", pool: "forks", include: isolated } },
      { extends: true, test: { name: "chaos", pool: "forks", include: chaos } }
    ]
  }
})
