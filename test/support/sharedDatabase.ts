/** One database for all tests of a file, for suites whose tests keep apart by making workspaces of their own. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { Database } from "../../src/layers/postgres/Database.js"
import { Accounts } from "../../src/services/Accounts.js"
import { testDatabase } from "./postgres.js"

/** To be called at the top of a file. */
export const sharedDatabase = (): Layer.Layer<Database> => {
  const runtime = ManagedRuntime.make(testDatabase())
  afterAll(() => runtime.dispose())
  return Layer.effectContext(Effect.map(runtime.runtimeEffect, ({ context }) => context))
}

let made = 0
/** A workspace with a name that no other test of this file has. */
export const newWorkspace = Effect.flatMap(Accounts, (accounts) =>
  Effect.suspend(() => accounts.createWorkspace(`workspace ${++made}`, commandLine))
)
