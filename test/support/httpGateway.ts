/**
 * The HTTP layer alone on a free port, over services that a test sets method by method. A method that was not set is a
 * defect that names it. Real sockets, real routing, real boundary; no storage.
 */
import { ServerAddress } from "../../src/http/serving/Listening.js"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import type { Scope as EffectScope } from "effect"
import { Unauthorized } from "../../src/domain/ApiErrors.js"
import { TokenId, WorkspaceId } from "../../src/domain/Ids.js"
import { scopes, type Scope } from "../../src/domain/Scope.js"
import { HttpLayer } from "../../src/http/Server.js"
import { HttpSettings, type HttpSettingsShape } from "../../src/http/Settings.js"
import { topUpHint } from "../../src/domain/TopUp.js"
import { billingDefaults } from "../../src/layers/compose/MemoryGateway.js"
import { CallbacksNone } from "../../src/layers/providers/CallbacksSigned.js"
import { DrainingMemory } from "../../src/layers/node/DrainingMemory.js"
import { OpenIdNone } from "../../src/layers/accounts/OpenIdNone.js"
import { IdsCounting } from "./idsCounting.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import { CapabilityRequests } from "../../src/services/CapabilityRequests.js"
import { Catalog } from "../../src/services/Catalog.js"
import { CursorKey } from "../../src/services/CursorKey.js"
import { unrestricted } from "../../src/domain/WorkspacePolicy.js"
import { ConnectionAuthorizations } from "../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../src/services/Connections.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Members } from "../../src/services/Members.js"
import { PublicUrl } from "../../src/services/PublicUrl.js"
import type { OpenId } from "../../src/services/OpenId.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { PaymentEvents } from "../../src/services/PaymentEvents.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { EndpointStats } from "../../src/services/EndpointStats.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import type { ProviderCallbacks } from "../../src/services/ProviderCallbacks.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Reports } from "../../src/services/Reports.js"
import { Runs } from "../../src/services/Runs.js"
import { Sessions } from "../../src/services/Sessions.js"
import { Tokens } from "../../src/services/Tokens.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"

export const id = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, "0")}`
export const workspaceId = WorkspaceId.make(id("ws", 1))

/** A caller whose token is the text `token`, or `only:<scopes>` for fewer scopes. */
export const caller = (granted: ReadonlyArray<Scope> = scopes): Principal => ({
  tokenId: TokenId.make(id("tok", 1)),
  label: "tests",
  workspaceId,
  workspaceName: "demo",
  scopes: granted,
  createdAt: 1_700_000_000_000,
  expiresAt: null,
  ancestors: [],
  operator: false,
  operatorWorkspace: false,
  policy: unrestricted,
  learnsFromUse: false
})

const authenticate: Accounts["Type"]["authenticate"] = (token) => {
  const text = Redacted.value(token)
  if (text === "token") return Effect.succeed(caller())
  if (!text.startsWith("only:")) return Effect.fail(new Unauthorized())
  return Effect.succeed(caller(scopes.filter((scope) => text.slice(5).split(",").includes(scope))))
}

/** What was not set answers with a defect that says so. */
const partial = <Id, Shape extends object>(tag: Context.Tag<Id, Shape>, methods: Partial<Shape>): Layer.Layer<Id> =>
  Layer.succeed(
    tag,
    new Proxy(methods, {
      get: (target, name) =>
        Reflect.get(target, name) ??
        (() => Effect.die(new Error(`${tag.key}.${String(name)} was not set by this test`)))
    }) as Shape
  )

export interface Services {
  readonly accounts?: Partial<Accounts["Type"]>
  readonly auditTrail?: Partial<AuditTrail["Type"]>
  readonly tokens?: Partial<Tokens["Type"]>
  readonly capabilityRequests?: Partial<CapabilityRequests["Type"]>
  readonly catalog?: Partial<Catalog["Type"]>
  /** Instead of `catalog`. */
  readonly catalogLayer?: Layer.Layer<Catalog>
  readonly connections?: Partial<Connections["Type"]>
  readonly authorizations?: Partial<ConnectionAuthorizations["Type"]>
  readonly callbacksLayer?: Layer.Layer<ProviderCallbacks>
  readonly cursorKey?: Uint8Array
  readonly logins?: Partial<LoginApprovals["Type"]>
  readonly members?: Partial<Members["Type"]>
  readonly platformKeys?: Partial<PlatformKeys["Type"]>
  readonly openIdLayer?: Layer.Layer<OpenId>
  readonly sessions?: Partial<Sessions["Type"]>
  readonly limiter?: Partial<RateLimiter["Type"]>
  readonly reports?: Partial<Reports["Type"]>
  readonly runs?: Partial<Runs["Type"]>
  readonly automaticTopUps?: Partial<AutomaticTopUps["Type"]>
  readonly paymentEvents?: Partial<PaymentEvents["Type"]>
  readonly topUpReports?: Partial<TopUpReports["Type"]>
  readonly topUps?: Partial<TopUps["Type"]>
  readonly wallet?: Partial<Wallet["Type"]>
  readonly settings?: Partial<HttpSettingsShape>
}

export const generous: RateLimiter["Type"]["take"] = () =>
  Effect.succeed({
    allowed: true,
    limit: 60,
    remaining: 59,
    refillPerSecond: 10,
    retryAfterSeconds: 0,
    resetSeconds: 1
  })

export const httpSettings: HttpSettingsShape = {
  host: "127.0.0.1",
  port: 0,
  drainMillis: 1_000,
  readinessPauseMillis: 0,
  deploymentMode: "test",
  publicUrl: "https://gateway.test",
  serverUrl: "/",
  trustProxy: false,
  serviceAgents: []
}

export const gatewayLayer = (services: Services): Layer.Layer<ServerAddress, unknown> =>
  HttpLayer.pipe(
    Layer.provide([
      partial(Accounts, { authenticate, ...services.accounts }),
      partial(CapabilityRequests, services.capabilityRequests ?? {}),
      services.catalogLayer ??
        partial(Catalog, { revision: Effect.succeed("r1"), providers: Effect.succeed([]), ...services.catalog }),
      partial(Connections, services.connections ?? {}),
      partial(ConnectionAuthorizations, services.authorizations ?? {}),
      partial(LoginApprovals, services.logins ?? {}),
      partial(Members, services.members ?? {}),
      partial(Sessions, { find: () => Effect.succeed(null), ...services.sessions }),
      services.openIdLayer ?? OpenIdNone,
      Layer.succeed(PublicUrl, services.settings?.publicUrl ?? "https://gateway.test"),
      partial(RateLimiter, { take: generous, takePublic: generous, ...services.limiter }),
      partial(Runs, { getSmall: () => Effect.succeed(null), ...services.runs }),
      partial(EndpointStats, { comparedAnswers: Effect.succeed(new Map()) }),
      partial(PlatformKeys, services.platformKeys ?? {}),
      services.callbacksLayer ?? CallbacksNone,
      partial(ProviderHealth, {}),
      partial(Reconciliation, {}),
      partial(AuditTrail, services.auditTrail ?? {}),
      partial(Tokens, services.tokens ?? {}),
      partial(Reports, services.reports ?? {}),
      partial(TopUps, {
        hint: (asked) => Effect.succeed(topUpHint(billingDefaults, { ...asked, processorConfigured: false })),
        ...services.topUps
      }),
      partial(AutomaticTopUps, services.automaticTopUps ?? {}),
      partial(PaymentEvents, services.paymentEvents ?? {}),
      partial(TopUpReports, services.topUpReports ?? {}),
      partial(Wallet, services.wallet ?? {}),
      DrainingMemory,
      IdsCounting,
      Layer.succeed(CursorKey, Redacted.make(services.cursorKey ?? new Uint8Array(32))),
      Layer.succeed(HttpSettings, { ...httpSettings, ...services.settings })
    ])
  )

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
export type Loose = any

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined when it is not JSON. */
  readonly json: Loose
}

export interface Gateway {
  readonly base: string
  readonly port: number
  /** Sends with the all-scope token unless `authorization` says otherwise (null: none). */
  readonly send: (method: string, path: string, options?: SendOptions) => Effect.Effect<Answer>
  readonly get: (path: string, options?: SendOptions) => Effect.Effect<Answer>
  readonly post: (path: string, body: unknown, options?: SendOptions) => Effect.Effect<Answer>
}

interface SendOptions {
  readonly authorization?: string | null
  readonly headers?: Record<string, string>
  readonly body?: NonNullable<RequestInit["body"]>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const client = (base: string, port: number): Gateway => {
  const send: Gateway["send"] = (method, path, options = {}) =>
    Effect.promise(async () => {
      const authorization = options.authorization === undefined ? "Bearer token" : options.authorization
      const response = await fetch(base + path, {
        method,
        redirect: "manual",
        headers: { ...(authorization === null ? {} : { authorization }), ...options.headers },
        ...(options.body === undefined ? {} : { body: options.body, duplex: "half" })
      } as RequestInit)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parsed(text) }
    })
  return {
    base,
    port,
    send,
    get: (path, options) => send("GET", path, options),
    post: (path, body, options = {}) =>
      send("POST", path, {
        ...options,
        headers: { "content-type": "application/json", ...options.headers },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })
  }
}

/** Starts it for as long as the scope lives. Logs of the server are dropped: tests look at answers. */
export const startGateway = (services: Services): Effect.Effect<Gateway, unknown, EffectScope.Scope> =>
  Layer.build(gatewayLayer(services).pipe(Layer.provide(Logger.remove(Logger.defaultLogger)))).pipe(
    Effect.map((context) => {
      const { port } = Context.get(context, ServerAddress)
      return client(`http://127.0.0.1:${port}`, port)
    })
  )
