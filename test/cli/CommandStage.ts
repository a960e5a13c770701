/** What the suites of commands stand on: workspaces, folders and a manifest of their own. */
import type { Vitest } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import { CommandLine, type CommandLineTest, json } from "./commandLine.js"

/** The tests of one suite; all suites share the command line and its database. */
export type CommandTests = Vitest.MethodsNonLive<Layer.Layer.Success<typeof CommandLineTest>, true>

export const nobody = "0".repeat(26)
let names = 0
/** A name that no other test has. */
export const newName = (word: string): string => `${word}-${names++}`
export const workspace = Effect.suspend(() =>
  Effect.map(json(`workspace create ${newName("team")}`), ({ workspaceId }) => String(workspaceId))
)

export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-files-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

export const statement = (text: string) =>
  Effect.flatMap(CommandLine, ({ url }) =>
    Effect.promise(async () => {
      const client = new Pg.Client(Redacted.value(url))
      await client.connect()
      await client.query(text).finally(() => client.end())
    })
  )

export const batManifest = [
  "id: bats",
  "name: Bats",
  "baseUrl: https://api.bats.example",
  "operations:",
  "  - id: bats-list",
  "    name: List bats",
  "    summary: Lists bats.",
  "    category: nature",
  "    method: GET",
  "    path: /bats",
  "    input: { type: object }",
  "    price: { basis: free, micros: 0 }",
  "    provenance: { docs: https://bats.example/docs, verified: false }"
].join("\n")
