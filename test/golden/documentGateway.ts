/**
 * The gateway that the examples of the OpenAPI document are recorded from: storage in memory, the catalog of a
 * development gateway and one provider that wants a key, real HTTP on both sides. Providers answer what a scene says,
 * and the clock of the process stands still but for what a request or a provider's answer moves it.
 */
import { createServer } from "node:http"
import { ServerAddress } from "../../src/http/serving/Listening.js"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, type Scope } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { inflightLimitDefault, rateBurstDefault, ratePerSecondDefault } from "../../src/domain/limits/Workspaces.js"
import { microsPerUsd } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import { billingPolicy } from "../../src/domain/TopUp.js"
import { HttpLayer } from "../../src/http/Server.js"
import { HttpSettings } from "../../src/http/Settings.js"
import { OpenIdNone } from "../../src/layers/accounts/OpenIdNone.js"
import { WalletDefaults } from "../../src/layers/accounts/WalletDefaults.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { mergeCatalogs } from "../../src/layers/catalog/Merging.js"
import { builtInContent } from "../../src/layers/compose/BuiltInContent.js"
import { EngineInMemory, StorageMemory } from "../../src/layers/compose/MemoryGateway.js"
import { CapabilityRequestsMemory } from "../../src/layers/memory/CapabilityRequestsMemory.js"
import { CallbacksNone } from "../../src/layers/providers/CallbacksSigned.js"
import { CursorKeyMemory } from "../../src/layers/memory/CursorKeyMemory.js"
import { MemoryStorageLayer } from "../../src/layers/memory/MemoryStorage.js"
import { TopUpsMemory } from "../../src/layers/memory/TopUpsMemory.js"
import { WalletMemory } from "../../src/layers/memory/WalletMemory.js"
import { DrainingMemory } from "../../src/layers/node/DrainingMemory.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { RateLimiterMemory } from "../../src/layers/node/RateLimiterMemory.js"
import { ProvidersHttp } from "../../src/layers/providers/ProvidersHttp.js"
import { fixtureOrigin } from "../../src/layers/providers/fixture/FixtureProvider.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Payments } from "../../src/services/Payments.js"
import { PublicUrl } from "../../src/services/PublicUrl.js"
import { Wallet } from "../../src/services/Wallet.js"

/** The moment of the first request. */
const begin = Date.parse("2026-06-15T12:00:00.000Z")
/** How long a provider takes. */
const providerMillis = 412

export interface HandClock {
  millis: number
}

/** From here to the end of the scope the clock of this process, and so the gateway's, is set by hand. */
export const clockByHand: Effect.Effect<HandClock, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const real = Date.now
      const clock = { millis: begin }
      Date.now = () => clock.millis
      return { clock, real }
    }),
    ({ real }) => Effect.sync(() => void (Date.now = real))
  ),
  ({ clock }) => clock
)

/** What a provider does with a call: answers, says nothing, or lets the connection break after it got the call. */
export type ProviderStep = { readonly status: number; readonly body: object } | "silence" | "broken"
export interface Providing {
  readonly [endpointId: string]: ProviderStep
}

const providers = (clock: HandClock, steps: () => Providing) =>
  Effect.map(
    listenLocally(
      createServer((request, response) => {
        request.resume().on("end", () => {
          const step = steps()[(request.url ?? "").slice("/v1/".length)]
          // Nobody waits for this one, so nobody knows when it would move the clock.
          if (step === "silence") return
          clock.millis += providerMillis
          if (step === undefined || step === "broken") return void response.destroy()
          response.writeHead(step.status, { "content-type": "application/json" }).end(JSON.stringify(step.body))
        })
      })
    ),
    (port) => `http://127.0.0.1:${port}`
  )

const keyed = JSON.stringify({
  id: "acme",
  name: "Acme",
  baseUrl: "https://api.acme.example",
  auth: { type: "bearer" },
  operations: [
    {
      id: "acme-lookup",
      name: "Lookup",
      summary: "Looks a company up.",
      method: "GET",
      path: "/lookup",
      input: { type: "object", required: ["name"], properties: { name: { type: "string", description: "Its name." } } },
      price: { basis: "per_call", micros: 300 }
    }
  ]
})

const content = Effect.gen(function* () {
  const builtIn = yield* builtInContent("fixtures")
  const own = yield* decodeCatalog({ jobs: [], providers: [{ file: "acme", text: keyed }] })
  return mergeCatalogs(builtIn, own)
}).pipe(Effect.orDie)

const publicUrl = "https://gateway.example.com"
const rate = { burst: rateBurstDefault, refillPerSecond: ratePerSecondDefault }

/** Top-ups with a processor that opens a page for each, in a storage of their own. */
const TopUpsPaid = TopUpsMemory(
  billingPolicy({ enabled: true, dashboardUrl: (workspaceId) => `${publicUrl}/console/${workspaceId}/top-up` })
).pipe(
  Layer.provide(Layer.provide(WalletMemory, Layer.succeed(WalletDefaults, { inflightLimit: inflightLimitDefault }))),
  Layer.provide(
    Layer.merge(
      PaymentsNone,
      Layer.succeed(
        Payments,
        Payments.of({
          configured: true,
          createCheckout: () => Effect.succeed({ checkoutUrl: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3" })
        })
      )
    )
  ),
  Layer.provide([IdsCrypto, MemoryStorageLayer])
)

/** The owner of `token`: a workspace with this balance. */
const owner = (name: string, usd: number) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { workspaceId } = yield* accounts.createWorkspace(name, commandLine)
    yield* (yield* Wallet).credit(
      {
        workspaceId,
        kind: "adjustment",
        micros: Math.round(usd * microsPerUsd),
        reason: "welcome",
        topUpId: null,
        key: "welcome"
      },
      commandLine
    )
    const { token } = yield* accounts.createToken(
      { workspaceId, label: "server", scopes, monthlyLimitMicros: null, expiresAt: null },
      commandLine
    )
    return { principal: yield* accounts.authenticate(token), token: Redacted.value(token) }
  })

/** Starts one for as long as the scope lives; `slots` says how many runs it dispatches at a time. */
export const documentGateway = (clock: HandClock, slots: number | null) =>
  Effect.gen(function* () {
    let providing: Providing = {}
    let entered = 0
    const origin = yield* providers(clock, () => providing)
    const services = ReconciliationStored({ twoPersonAboveMicros: null }).pipe(
      Layer.provideMerge(
        EngineInMemory({
          providers: ProvidersHttp({ origins: { [fixtureOrigin]: origin } }),
          content,
          dispatcher: slots === null ? {} : { slots }
        })
      ),
      Layer.provideMerge(StorageMemory({ inflightLimit: inflightLimitDefault }))
    )
    const context = yield* Layer.build(
      HttpLayer.pipe(
        Layer.provide([
          CapabilityRequestsMemory,
          CursorKeyMemory,
          CallbacksNone,
          OpenIdNone,
          TopUpsPaid,
          Layer.succeed(PublicUrl, publicUrl),
          RateLimiterMemory({ ...rate, publicRate: rate, publicTotalRate: rate }),
          Layer.succeed(HttpSettings, {
            host: "127.0.0.1",
            port: 0,
            drainMillis: 100,
            readinessPauseMillis: 0,
            deploymentMode: "production",
            publicUrl,
            serverUrl: publicUrl,
            trustProxy: false,
            serviceAgents: []
          })
        ]),
        Layer.provideMerge(Layer.merge(services, DrainingMemory)),
        Layer.provide(Logger.minimumLogLevel(LogLevel.Warning))
      )
    )
    const { port } = Context.get(context, ServerAddress)
    return {
      context,
      port,
      /** A workspace of its own with this balance; from now on providers do this. */
      enter: (usd: number, steps: Providing) =>
        Effect.suspend(() => {
          providing = steps
          entered += 1
          return Effect.provide(owner(entered === 1 ? "Example Ltd" : `Example ${entered} Ltd`, usd), context)
        })
    }
  })

export type DocumentGateway = Effect.Effect.Success<ReturnType<typeof documentGateway>>
