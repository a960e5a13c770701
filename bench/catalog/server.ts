// The catalog's routes in a process of their own: the real HTTP layer over the real catalog, with the rest of the
// gateway left out and no limit on requests. Beside it, on the next port, the same answers from a bare Node server:
// rows ready in memory, written as JSON for every request, no routing, no authentication. Arguments: rows file, port.
import { createServer } from "node:http"
import { readFileSync } from "node:fs"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Logger } from "effect"
import { noFilter } from "../../src/domain/CatalogSearch.js"
import { scopes } from "../../src/domain/Scope.js"
import { TokenId } from "../../src/domain/Ids.js"
import { HttpLayer } from "../../src/http/Server.js"
import { HttpSettings } from "../../src/http/Settings.js"
import { ReadinessChecks } from "../../src/http/system/Readiness.js"
import { importJsonl } from "../../src/layers/catalog/import/ImportJsonl.js"
import { CatalogServed } from "../../src/layers/catalog/CatalogServed.js"
import { DrainingMemory } from "../../src/layers/node/DrainingMemory.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { readVocabulary } from "../../src/layers/catalog/VocabularyFiles.js"
import { Accounts } from "../../src/services/Accounts.js"
import { CapabilityRequests } from "../../src/services/CapabilityRequests.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import { Catalog } from "../../src/services/Catalog.js"
import { CatalogPublisher } from "../../src/services/CatalogPublisher.js"
import { ConnectionAuthorizations } from "../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../src/services/Connections.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { PaymentEvents } from "../../src/services/PaymentEvents.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { CallbacksNone } from "../../src/layers/providers/CallbacksSigned.js"
import { CursorKeyMemory } from "../../src/layers/memory/CursorKeyMemory.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { PublicUrl } from "../../src/services/PublicUrl.js"
import { OpenIdNone } from "../../src/layers/accounts/OpenIdNone.js"
import { Members } from "../../src/services/Members.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { EndpointStats } from "../../src/services/EndpointStats.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Reports } from "../../src/services/Reports.js"
import { Runs } from "../../src/services/Runs.js"
import { Sessions } from "../../src/services/Sessions.js"
import { Tokens } from "../../src/services/Tokens.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { unused, viewer, worldless } from "../search/Served.js"

const file = process.argv[2] ?? ""
const port = Number(process.argv[3])

const caller = {
  tokenId: TokenId.make(`tok_${"0".repeat(26)}`),
  label: "bench",
  workspaceId: viewer.workspaceId,
  workspaceName: "bench",
  scopes,
  createdAt: 0,
  expiresAt: null,
  ancestors: [],
  operator: false,
  operatorWorkspace: false,
  policy: viewer.policy,
  learnsFromUse: false
}
const decision = { allowed: true, limit: 60, remaining: 59, refillPerSecond: 10, retryAfterSeconds: 0, resetSeconds: 1 }
const vocabulary = await Effect.runPromise(Effect.provide(readVocabulary("catalog"), NodeContext.layer))

const Served = CatalogServed({ jobsMayPickFixtures: false, vocabulary }).pipe(Layer.provide(worldless))

const Http = HttpLayer.pipe(
  Layer.provide([
    unused(Accounts, { authenticate: () => Effect.succeed(caller) }),
    unused(RateLimiter, { take: () => Effect.succeed(decision), takePublic: () => Effect.succeed(decision) }),
    unused(CapabilityRequests),
    unused(ConnectionAuthorizations),
    unused(Connections),
    unused(LoginApprovals),
    unused(Members),
    unused(AutomaticTopUps),
    unused(PaymentEvents),
    unused(AuditTrail),
    unused(EndpointStats),
    unused(PlatformKeys),
    unused(ProviderHealth),
    unused(Reconciliation),
    unused(Reports),
    unused(Sessions),
    unused(Tokens),
    unused(TopUpReports),
    OpenIdNone,
    Layer.succeed(PublicUrl, `http://127.0.0.1:${port}`),
    unused(Runs),
    unused(TopUps),
    unused(Wallet),
    unused(ReadinessChecks, {}),
    CursorKeyMemory,
    CallbacksNone,
    IdsCrypto,
    Layer.succeed(HttpSettings, {
      host: "127.0.0.1",
      port,
      drainMillis: 100,
      readinessPauseMillis: 0,
      deploymentMode: "bench",
      publicUrl: `http://127.0.0.1:${port}`,
      serverUrl: "/",
      trustProxy: false,
      serviceAgents: []
    })
  ])
)

/**
 * CPU time of the thread that answers requests, in milliseconds: what is left of a wait when other programs take
 * nothing.
 */
const workedMs = (): number =>
  process.platform === "linux"
    ? Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]) / 1e6
    : performance.now()

const Publish = Layer.effectDiscard(
  Effect.gen(function* () {
    const { endpoints } = yield* importJsonl(file)
    globalThis.gc?.()
    const longest = { waitMs: 0, workMs: 0 }
    let last = performance.now()
    let worked = workedMs()
    const watch = setInterval(() => {
      const [now, work] = [performance.now(), workedMs()]
      longest.waitMs = Math.max(longest.waitMs, now - last)
      longest.workMs = Math.max(longest.workMs, work - worked)
      last = now
      worked = work
    }, 1)
    const begin = performance.now()
    yield* (yield* CatalogPublisher).publish({ jobs: [], endpoints })
    const seconds = (performance.now() - begin) / 1000
    clearInterval(watch)
    globalThis.gc?.()
    const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
    const built = {
      operations: endpoints.length,
      buildSeconds: seconds,
      longestWaitMs: longest.waitMs,
      longestWorkMs: longest.workMs,
      usedMb: (heapUsed + arrayBuffers) / 1e6,
      rssMb: rss / 1e6
    }
    const page = yield* (yield* Catalog).list({ ...noFilter, limit: 100, after: null, facets: false }, viewer)
    const found = yield* (yield* Catalog).search(
      { ...noFilter, q: "weather forecast", limit: 10, offset: 0, prefer: "balanced" },
      viewer
    )
    const etag = `"${page.revision}"`
    const bytes = new Map([
      ["/bytes/search", Buffer.from(JSON.stringify(found))],
      ["/bytes/list", Buffer.from(JSON.stringify(page))]
    ])
    createServer((request, response) => {
      if (request.url === "/built") return void response.end(JSON.stringify(built))
      if (request.headers["if-none-match"] !== undefined) return void response.writeHead(304, { etag }).end()
      response.setHeader("content-type", "application/json")
      response.end(bytes.get(request.url ?? "") ?? JSON.stringify(request.url === "/search" ? found : page))
    }).listen(port + 1, "127.0.0.1")
  })
)

const Main = Layer.provideMerge(Publish, Served)
NodeRuntime.runMain(
  Layer.launch(
    Http.pipe(
      Layer.provide([Main, DrainingMemory]),
      Layer.provide(NodeContext.layer),
      Layer.provide(Logger.remove(Logger.defaultLogger))
    )
  ),
  { disablePrettyLogger: true }
)
