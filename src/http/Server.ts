/**
 * The HTTP server: the interface, its boundary and the node server under it, as one layer. Stops without losing a
 * request: first `/readyz` says no, then no new connection is taken, requests in flight end, and at the deadline what
 * is left is cut. Limits of time and size for headers and connections are here; those of bodies are in `Body.ts`, those
 * of readers in `SlowReaders.ts`.
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import { headerBytesMax, headersMillisMax, keepAliveMillis, requestMillisMax } from "../domain/limits/Requests.js"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerError from "@effect/platform/HttpServerError"
import { Context, Effect, Layer, Runtime, type Scope } from "effect"
import type { Accounts } from "../services/Accounts.js"
import type { AutomaticTopUps } from "../services/AutomaticTopUps.js"
import type { AuditTrail } from "../services/AuditTrail.js"
import type { CapabilityRequests } from "../services/CapabilityRequests.js"
import type { Catalog } from "../services/Catalog.js"
import type { ConnectionAuthorizations } from "../services/ConnectionAuthorizations.js"
import type { Connections } from "../services/Connections.js"
import type { CursorKey } from "../services/CursorKey.js"
import { Draining } from "../services/Draining.js"
import { Ids } from "../services/Ids.js"
import type { LoginApprovals } from "../services/LoginApprovals.js"
import type { Members } from "../services/Members.js"
import type { PaymentEvents } from "../services/PaymentEvents.js"
import type { ProviderCallbacks } from "../services/ProviderCallbacks.js"
import type { RateLimiter } from "../services/RateLimiter.js"
import type { Runs } from "../services/Runs.js"
import type { Sessions } from "../services/Sessions.js"
import type { TopUpReports } from "../services/TopUpReports.js"
import type { Tokens } from "../services/Tokens.js"
import type { TopUps } from "../services/TopUps.js"
import { makeUnderWay } from "../services/UnderWay.js"
import type { Wallet } from "../services/Wallet.js"
import type { AccessMissing } from "./Access.js"
import { AccountHandlers } from "./account/Handlers.js"
import { AuditHandlers } from "./audit/Handlers.js"
import { TokensHandlers } from "./tokens/Handlers.js"
import { Api } from "./Api.js"
import { apiRoutes } from "./ApiRoutes.js"
import { layerAuth } from "./Auth.js"
import { type Listener, makeBoundary } from "./Boundary.js"
import { CatalogHandlers, PublicCatalogHandlers } from "./catalog/Handlers.js"
import { type ConsoleServices, consolePages } from "./console/Pages.js"
import { consoleLayer, consoleRoutes, ErrorPages, isPagePath } from "./console/Serving.js"
import { ConnectionsHandlers } from "./connections/Handlers.js"
import { authorizationServerLayer, authorizationServerRoutes } from "./logins/AuthorizationServer.js"
import { LoginsHandlers } from "./logins/Handlers.js"
import { OAuthHandlers } from "./logins/OAuthHandlers.js"
import { AutomaticTopUpsHandlers } from "./payments/AutomaticHandlers.js"
import { mcpLayer, mcpRoutes } from "./mcp/Serving.js"
import { PagesHandlers } from "./pages/Handlers.js"
import { PaymentsHandlers } from "./payments/Handlers.js"
import { providerCallbackLayer, providerCallbackRoutes } from "./ProviderCallbacks.js"
import { ReadTurnsLayer } from "./ReadTurns.js"
import { RunsHandlers } from "./runs/Handlers.js"
import { holdBodiesBack } from "./serving/AnnouncedBodies.js"
import { tellAllResponses } from "./serving/HangUps.js"
import { listen, ServerAddress } from "./serving/Listening.js"
import { makeRefusing, stopping, unknownExpectation } from "./serving/Refusing.js"
import { Routes, RoutesLayer } from "./serving/Routes.js"
import { HttpSettings } from "./Settings.js"
import { boundUnreadBodies } from "./serving/UnreadBodies.js"
import { cutSlowReaders } from "./SlowReaders.js"
import { drain, type Endings, hearOnly, makeEndings } from "./Stopping.js"
import { SystemHandlers } from "./system/Handlers.js"

/** `isServed` says whether the interface listens to this server. */
const nodeServer = (
  { publicUrl }: HttpSettings["Type"],
  requestId: () => string,
  isStopping: () => boolean,
  isServed: (server: Server) => boolean
): { readonly server: Server; readonly underWay: Iterable<ServerResponse>; readonly endings: Endings } => {
  const server = createServer({
    requestTimeout: requestMillisMax,
    headersTimeout: headersMillisMax,
    keepAliveTimeout: keepAliveMillis,
    maxHeaderSize: headerBytesMax,
    // Node would answer without a body; `HeaderProblems.ts` says what is missing.
    requireHostHeader: false,
    connectionsCheckingInterval: 5_000
  })
  const underWay = makeUnderWay<ServerResponse>()
  const endings = makeEndings()
  const { answer, refuseTunnel, refuseUnreadable } = makeRefusing(requestId, endings, publicUrl)
  hearOnly(server, endings.arrived)
  tellAllResponses(server)
  server.on("request", (_, response) => {
    const ended = underWay.add(response)
    if (isStopping()) endings.endAfter(response)
    response.once("close", ended)
    // The interface takes its listener away when it stops, while connections may still bring requests: somebody has to
    // answer them.
    if (isServed(server)) return
    answer(response, stopping)
  })
  holdBodiesBack(server)
  server.on("checkExpectation", (_, response) => answer(response, unknownExpectation))
  server.on("clientError", refuseUnreadable)
  server.on("connect", refuseTunnel)
  boundUnreadBodies(server)
  return { server, underWay, endings }
}

/** Gives the requests of the server to a listener, for as long as the scope lives. */
class Requests extends Context.Tag("gateway/http/Server/Requests")<
  Requests,
  { readonly to: (listener: Listener) => Effect.Effect<void, never, Scope.Scope> }
>() {}

const NodeServer: Layer.Layer<Requests | ServerAddress, HttpServerError.ServeError, Draining | HttpSettings | Ids> =
  Layer.scopedContext(
    Effect.gen(function* () {
      const settings = yield* HttpSettings
      const ids = yield* Ids
      const runSync = Runtime.runSync(yield* Effect.runtime())
      const draining = yield* Draining
      let ours = 0
      const { endings, server, underWay } = nodeServer(
        settings,
        () => `req_${runSync(ids.suffix)}`,
        () => runSync(draining.announced),
        (made) => made.listenerCount("request") > ours
      )
      yield* cutSlowReaders(server, settings.readers)
      ours = server.listenerCount("request")
      const address = yield* listen(server, { host: settings.host, port: settings.port })
      yield* Effect.addFinalizer(() =>
        drain(server, underWay, endings, { endWaits: draining.endWaits, millis: settings.drainMillis })
      )
      return Context.make(ServerAddress, address).pipe(
        Context.add(Requests, {
          to: (listener) =>
            Effect.acquireRelease(
              Effect.sync(() => server.on("request", listener)),
              () => Effect.sync(() => server.off("request", listener))
            )
        })
      )
    })
  )

const Serving = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { to } = yield* Requests
    const { of } = yield* ErrorPages
    const { probesOnly, publicUrl } = yield* HttpSettings
    const { find } = yield* Routes
    const unserved = apiRoutes.filter(({ method, path }) => find(method, path) === null)
    if (unserved.length > 0)
      return yield* Effect.dieMessage(
        `Nothing serves ${unserved.map(({ method, path }) => `${method} ${path}`).join(", ")}`
      )
    if (probesOnly === true)
      return yield* to(
        yield* makeBoundary(
          apiRoutes.filter(({ access }) => access === "probe"),
          { isPage: () => false, answer: of },
          "these alone"
        )
      )
    const besides = [
      ...consoleRoutes(consolePages),
      ...mcpRoutes,
      ...providerCallbackRoutes,
      ...authorizationServerRoutes(publicUrl)
    ]
    yield* to(yield* makeBoundary([...apiRoutes, ...besides], { isPage: isPagePath, answer: of }))
  })
)

const Interface = HttpApiBuilder.api(Api).pipe(
  Layer.provide([
    AccountHandlers,
    AutomaticTopUpsHandlers,
    AuditHandlers,
    TokensHandlers,
    CatalogHandlers,
    ConnectionsHandlers,
    LoginsHandlers,
    OAuthHandlers,
    PagesHandlers,
    PaymentsHandlers,
    PublicCatalogHandlers,
    RunsHandlers,
    SystemHandlers
  ]),
  Layer.provide([layerAuth(apiRoutes), ReadTurnsLayer])
)

const Console = Layer.provide(consoleLayer(consolePages), ReadTurnsLayer)
const Agents = Layer.provide(mcpLayer, ReadTurnsLayer)

/**
 * Says "not ready" for a while, and serves as before, before anything stops. Built last, so it is the first to be told.
 */
const ReadinessPause = Layer.scopedDiscard(
  Effect.gen(function* () {
    const settings = yield* HttpSettings
    const draining = yield* Draining
    yield* Effect.addFinalizer(() => Effect.zipRight(draining.announce, Effect.sleep(settings.readinessPauseMillis)))
  })
)

type HttpServices =
  | Accounts
  | AutomaticTopUps
  | AuditTrail
  | CapabilityRequests
  | Catalog
  | ConnectionAuthorizations
  | Connections
  | ConsoleServices
  | CursorKey
  | Draining
  | Ids
  | LoginApprovals
  | Members
  | PaymentEvents
  | ProviderCallbacks
  | RateLimiter
  | Runs
  | Sessions
  | Tokens
  | TopUpReports
  | TopUps
  | Wallet

/** Serves the whole interface; where, is in the `ServerAddress` that it gives. */
export const HttpLayer: Layer.Layer<
  ServerAddress,
  AccessMissing | HttpServerError.ServeError,
  HttpServices | HttpSettings
> = ReadinessPause.pipe(
  Layer.provide(Serving),
  Layer.provideMerge(NodeServer),
  Layer.provide([Interface, Console, Agents, authorizationServerLayer, providerCallbackLayer]),
  Layer.provide(RoutesLayer)
)
