/**
 * A whole gateway without HTTP, over the storage that a suite is given: real admission, dispatch and settlement,
 * scripted providers, and the operations of the fixture manifests as the catalog.
 */
import { Clock, Effect, Layer } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import type { JsonObject } from "../../src/domain/Json.js"
import type { Micros } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import type { Database } from "../../src/layers/postgres/Database.js"
import { DatabaseNow } from "../../src/layers/postgres/database/Now.js"
import type { DispatcherOptions } from "../../src/layers/runs/dispatch/DispatcherQueue.js"
import { builtInContent } from "../../src/layers/compose/BuiltInContent.js"
import type { MoneyAndRuns as Storage, People } from "../../src/layers/compose/Engine.js"
import {
  billingDefaults,
  EngineInMemory,
  type EngineServices,
  StorageMemory
} from "../../src/layers/compose/MemoryGateway.js"
import { MoneyAndRunsPg } from "../../src/layers/compose/StorageOnPostgres.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { RunSignalsPg } from "../../src/layers/postgres/RunSignalsPg.js"
import type { Ids } from "../../src/services/Ids.js"
import type { Providers } from "../../src/services/Providers.js"
import type { RunRequest } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"

export type { Storage }

const inflightLimit = 8

export const storageMemory: Layer.Layer<Storage | People> = StorageMemory({ inflightLimit })

export const storagePg: Layer.Layer<Storage | People, never, Database> = MoneyAndRunsPg({
  inflightLimit,
  billing: billingDefaults,
  payments: PaymentsNone,
  signals: RunSignalsPg
})

/** The same, but its time is that of the test's clock: Postgres cannot be told what time it is. */
export const storagePgByClock: typeof storagePg = storagePg.pipe(
  Layer.provide(
    Layer.succeed(
      DatabaseNow,
      Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
    )
  )
)

/** The engine over a storage, with the given providers, and settings other than a test's usual ones. */
export const engine = (
  providers: Layer.Layer<Providers>,
  settings: Partial<DispatcherOptions> = {}
): Layer.Layer<EngineServices, never, Storage> =>
  EngineInMemory({ providers, content: builtInContent("fixtures"), dispatcher: settings })

/** A new workspace with this balance, and a token with every scope. */
export const funded = (
  micros: number,
  options: { readonly inflightLimit?: number; readonly monthlyLimitMicros?: Micros } = {}
): Effect.Effect<Principal, never, Accounts | Wallet | Ids> =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallet = yield* Wallet
    const { workspaceId } = yield* accounts.createWorkspace(`test-${Math.random()}`, commandLine)
    yield* accounts.setLimits(workspaceId, { inflightLimit: options.inflightLimit ?? 1000 }, commandLine)
    if (micros > 0)
      yield* wallet.credit(
        { workspaceId, kind: "adjustment", micros, reason: "test", topUpId: null, key: "test" },
        commandLine
      )
    return yield* principalOf(workspaceId, options.monthlyLimitMicros ?? null)
  }).pipe(Effect.orDie)

export const principalOf = (workspaceId: WorkspaceId, monthlyLimitMicros: Micros | null = null) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { token } = yield* accounts.createToken(
      {
        workspaceId,
        label: "test",
        scopes: [...scopes],
        monthlyLimitMicros,
        expiresAt: null
      },
      commandLine
    )
    return yield* accounts.authenticate(token)
  }).pipe(Effect.orDie)

let keys = 0
export const person: JsonObject = { first_name: "Ada", last_name: "Example", domain: "example.com" }
export const requestOf = (endpointId: string, changes: Partial<RunRequest> = {}): RunRequest => ({
  endpointId,
  input: person,
  fallback: null,
  outputMode: null,
  connectionId: null,
  idempotencyKey: `key-${keys++}`,
  requestId: "req_test",
  ...changes
})
