/**
 * A whole gateway inside a test: everything real but the storage, which is memory, and the providers, which answer what
 * the test says. With HTTP on a free port for clients (`listen`, or `http` as a layer), or as services only, where time
 * is the test's own clock. Nothing leaves the machine, nothing survives the test. docs/testing.md shows the use.
 */
import { ServerAddress } from "./http/serving/Listening.js"
import { Cause, Context, Effect, Exit, Layer, Logger, LogLevel, ManagedRuntime, Redacted, Schema } from "effect"
import { commandLine } from "./domain/AuditEntry.js"
import type { WorkspaceId } from "./domain/Ids.js"
import { unknownId } from "./domain/KnownProviders.js"
import { inflightLimitDefault } from "./domain/limits/Workspaces.js"
import { microsPerUsd } from "./domain/Micros.js"
import { scopes as allScopes } from "./domain/Scope.js"
import { quoteRequestOf, RunRequestBody } from "./http/runs/RunRequestBody.js"
import { HttpLayer } from "./http/Server.js"
import { HttpSettings } from "./http/Settings.js"
import { CapabilityRequestsMemory } from "./layers/memory/CapabilityRequestsMemory.js"
import { decodeCatalog } from "./layers/catalog/ManifestReading.js"
import { mergeCatalogs } from "./layers/catalog/Merging.js"
import { builtInContent } from "./layers/compose/BuiltInContent.js"
import { PublicUrl } from "./services/PublicUrl.js"
import { OpenIdNone } from "./layers/accounts/OpenIdNone.js"
import type { MoneyAndRuns, People } from "./layers/compose/Engine.js"
import { mistakeIn, TestGatewayInvalid, type TestGatewayOptions, textsOf } from "./layers/compose/TestGatewayOptions.js"
import { EngineInMemory, type EngineServices, StorageMemory } from "./layers/compose/MemoryGateway.js"
import { ProvidersScripted, type ScriptedProviders } from "./layers/providers/ProvidersScripted.js"
import { scriptMistake } from "./layers/providers/ScriptMistakes.js"
import { CallbacksNone } from "./layers/providers/CallbacksSigned.js"
import { CursorKeyMemory } from "./layers/memory/CursorKeyMemory.js"
import { DrainingMemory } from "./layers/node/DrainingMemory.js"
import { inventedKey } from "./layers/providers/InventedKeys.js"
import { exampleValues } from "./layers/providers/Variables.js"
import { RateLimiterMemory } from "./layers/node/RateLimiterMemory.js"
import { ReconciliationStored } from "./layers/runs/ReconciliationStored.js"
import { Accounts, type Principal } from "./services/Accounts.js"
import type { CatalogContent } from "./services/CatalogPublisher.js"
import { Ids } from "./services/Ids.js"
import { PlatformKeys } from "./services/PlatformKeys.js"
import type { Reconciliation } from "./services/Reconciliation.js"
import { type CreatedRun, type CreateError, Runs } from "./services/Runs.js"
import { Wallet } from "./services/Wallet.js"

export * from "./layers/providers/ScriptedSteps.js"
export { type Manifest, TestGatewayInvalid, type TestGatewayOptions } from "./layers/compose/TestGatewayOptions.js"
/** What `fail` takes, such as `new failures.RateLimited()`. */
export * as failures from "./layers/providers/ScriptedFailures.js"
export { Accounts } from "./services/Accounts.js"
export { Catalog } from "./services/Catalog.js"
export { PlatformKeys } from "./services/PlatformKeys.js"
export { ProviderHealth } from "./services/ProviderHealth.js"
export { Reconciliation } from "./services/Reconciliation.js"
export { Runs } from "./services/Runs.js"
export { Wallet } from "./services/Wallet.js"

/** The token's owner: a workspace of its own with money. */
export class Caller extends Context.Tag("gateway/testing/Caller")<
  Caller,
  {
    readonly principal: Principal
    readonly token: string
  }
>() {}

/** Where the gateway listens, such as `http://127.0.0.1:40123`. */
export class Address extends Context.Tag("gateway/testing/Address")<Address, { readonly url: string }>() {}

export type TestServices = MoneyAndRuns | People | EngineServices | Reconciliation | Caller

export interface Listening {
  readonly url: string
  /** Goes into `Authorization: Bearer …`. */
  readonly token: string
  readonly workspaceId: WorkspaceId
  readonly close: () => Promise<void>
}

export interface TestGateway extends Pick<ScriptedProviders, "calls"> {
  /**
   * Replaces what is left of an endpoint's script. Throws `TestGatewayInvalid` for an endpoint that is not there, and
   * for a step that is none.
   */
  readonly script: ScriptedProviders["script"]
  /**
   * Without HTTP; works under `TestClock`. Each build is a new gateway, with one script and one log of calls for all of
   * them.
   */
  readonly services: Layer.Layer<TestServices>
  /** With HTTP as well. Needs the live clock (`it.live`): sockets do not wait for a test's one. */
  readonly http: Layer.Layer<TestServices | Address>
  /** With HTTP, for tests that do not use Effect. Rejects with `TestGatewayInvalid` when an option is wrong. */
  readonly listen: () => Promise<Listening>
}

const notInCatalog = (unknown: ReadonlyArray<string>, known: ReadonlySet<string>) =>
  new TestGatewayInvalid({
    message: unknown.map((id) => `the script of "${id}" ${unknownId("endpoint", id, known)}`).join("; ")
  })

/** The catalog of a test gateway, which has each endpoint that is scripted so far. */
const contentOf = (options: TestGatewayOptions, scripted: () => ReadonlyArray<string>): Effect.Effect<CatalogContent> =>
  Effect.gen(function* () {
    const { catalog = "fixtures", manifests = [] } = options
    const mistake = mistakeIn(options)
    if (mistake !== null) return yield* new TestGatewayInvalid({ message: mistake })
    const builtIn = yield* builtInContent(catalog)
    const own = yield* Effect.mapError(
      decodeCatalog(textsOf(manifests), { thorough: true, otherJobs: builtIn.jobs }),
      ({ message }) => new TestGatewayInvalid({ message })
    )
    const { endpoints, jobs } = mergeCatalogs(builtIn, own)
    const ids = new Set<string>(endpoints.map(({ operation }) => operation.id))
    const unknown = scripted().filter((endpointId) => !ids.has(endpointId))
    if (unknown.length > 0) return yield* notInCatalog(unknown, ids)
    return { jobs, endpoints }
  }).pipe(Effect.orDie)

/** Every provider that wants a key has one, so that the scripts and not missing keys decide what happens. */
const platformKeys = (content: Effect.Effect<CatalogContent>) =>
  Effect.gen(function* () {
    const keys = yield* PlatformKeys
    const providers = new Map((yield* content).endpoints.map(({ provider }) => [provider.id, provider]))
    for (const { auth, id, platformKey, variables } of providers.values()) {
      if (platformKey && auth.type !== "none")
        yield* keys.set(
          id,
          Redacted.make(inventedKey(auth, "test-user", "test-password", "test-key")),
          commandLine,
          exampleValues(variables)
        )
    }
  }).pipe(Effect.orDie)

const caller = ({ scopes = allScopes, usd = 100 }: TestGatewayOptions) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallet = yield* Wallet
    const { workspaceId } = yield* accounts.createWorkspace("test", commandLine)
    const micros = Math.round(usd * microsPerUsd)
    if (micros !== 0)
      yield* wallet.credit(
        { workspaceId, kind: "adjustment", micros, reason: "test", topUpId: null, key: "test" },
        commandLine
      )
    const { token } = yield* accounts.createToken(
      {
        workspaceId,
        label: "test",
        scopes,
        monthlyLimitMicros: null,
        expiresAt: null
      },
      commandLine
    )
    return { principal: yield* accounts.authenticate(token), token: Redacted.value(token) }
  }).pipe(Effect.orDie)

const settings = {
  host: "127.0.0.1",
  port: 0,
  drainMillis: 100,
  readinessPauseMillis: 0,
  deploymentMode: "test",
  publicUrl: "http://gateway.test",
  serverUrl: "/",
  trustProxy: false,
  serviceAgents: []
}
const unlimited = { burst: 1_000_000, refillPerSecond: 1_000_000 }
const publicUnlimited = { publicRate: unlimited, publicTotalRate: unlimited }

const AddressOfServer = Layer.effect(
  Address,
  Effect.map(ServerAddress, ({ port }) => ({ url: `http://127.0.0.1:${port}` }))
)

/** What goes wrong is told, what goes well is not. */
const quiet = Logger.minimumLogLevel(LogLevel.Warning)

export const testGateway = (options: TestGatewayOptions = {}): TestGateway => {
  const scripted = ProvidersScripted(options.providers)
  /** Empty until a gateway is built, which checks what was scripted before. */
  let known: ReadonlySet<string> = new Set()
  const content = Effect.tap(contentOf(options, scripted.scripted), ({ endpoints }) =>
    Effect.sync(() => {
      known = new Set(endpoints.map(({ operation }) => operation.id))
    })
  )
  const services: TestGateway["services"] = Layer.effect(Caller, caller(options)).pipe(
    Layer.provideMerge(
      Layer.merge(ReconciliationStored({ twoPersonAboveMicros: null }), Layer.effectDiscard(platformKeys(content)))
    ),
    Layer.provideMerge(EngineInMemory({ providers: scripted.layer, content, dispatcher: options.dispatcher ?? {} })),
    Layer.provideMerge(StorageMemory({ inflightLimit: options.inflightLimit ?? inflightLimitDefault })),
    Layer.provide(quiet)
  )
  const http: TestGateway["http"] = AddressOfServer.pipe(
    Layer.provide(Layer.orDie(HttpLayer)),
    Layer.provide([
      CapabilityRequestsMemory,
      CursorKeyMemory,
      CallbacksNone,
      DrainingMemory,
      OpenIdNone,
      Layer.succeed(PublicUrl, settings.publicUrl),
      RateLimiterMemory({ ...publicUnlimited, ...(options.requestRate ?? unlimited) }),
      Layer.succeed(HttpSettings, settings)
    ]),
    Layer.provideMerge(services),
    Layer.provide(quiet)
  )
  return {
    services,
    http,
    listen: async () => {
      const runtime = ManagedRuntime.make(http)
      const started = await runtime.runPromiseExit(Effect.all({ address: Address, owner: Caller }))
      if (Exit.isFailure(started)) {
        await runtime.dispose()
        // The error itself: `runPromise` would wrap it, and nobody could tell its class.
        return Promise.reject(Cause.squash(started.cause))
      }
      const { address, owner } = started.value
      return {
        url: address.url,
        token: owner.token,
        workspaceId: owner.principal.workspaceId,
        close: () => runtime.dispose()
      }
    },
    script: (endpointId, ...steps) => {
      const wrong = scriptMistake(`the script of "${endpointId}"`, steps)
      const mistake =
        wrong !== null
          ? new TestGatewayInvalid({ message: wrong })
          : known.size > 0 && !known.has(endpointId)
            ? notInCatalog([endpointId], known)
            : null
      // A mistake of the test itself, outside of any effect.
      // eslint-disable-next-line no-restricted-syntax
      if (mistake !== null) throw mistake
      scripted.script(endpointId, ...steps)
    },
    calls: scripted.calls
  }
}

const decodeBody = Schema.decodeUnknown(RunRequestBody)

/**
 * A run of the caller, with the body of `POST /v1/runs`; a key is made up when there is none. Waits 20 seconds of the
 * clock for its end.
 */
export const run = (
  body: typeof RunRequestBody.Encoded,
  waitSeconds = 20
): Effect.Effect<CreatedRun, CreateError, Caller | Ids | Runs> =>
  Effect.gen(function* () {
    const { principal } = yield* Caller
    const ids = yield* Ids
    const runs = yield* Runs
    const decoded = yield* Effect.orDie(decodeBody(body, { onExcessProperty: "error" }))
    const request = quoteRequestOf(decoded, `req_${yield* ids.suffix}`)
    return yield* runs.create(
      principal,
      { ...request, idempotencyKey: decoded.idempotencyKey ?? (yield* ids.suffix) },
      waitSeconds
    )
  })
