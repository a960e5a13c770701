/**
 * The whole gateway as it is started in production: real server on a free port, real Postgres, real transport, the
 * fixture provider and the built-in catalog. Everything goes with the scope.
 */
import { ServerAddress } from "../../src/http/serving/Listening.js"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Context, Effect, Layer, LogLevel, Option, Redacted, type Scope } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { GatewayConfig } from "../../src/layers/node/Config.js"
import { GatewayWithCatalog } from "../../src/layers/compose/Main.js"
import { observed } from "../../src/layers/compose/Observed.js"
import { inlineResultBytesMax } from "../../src/domain/limits/Calls.js"
import { creditAskUsdDefault } from "../../src/domain/limits/Nodes.js"
import { Micros, microsPerUsd } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Wallet } from "../../src/services/Wallet.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { eventually } from "./eventually.js"
import { temporaryFolder } from "./folders.js"
import { acquireTestDatabase, reached } from "./postgres.js"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests read any field of an answer. The OpenAPI test checks its shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

export interface RunningGateway {
  readonly url: string
  readonly services: Context.Context<Layer.Layer.Success<ReturnType<typeof GatewayWithCatalog>>>
  readonly call: (
    method: string,
    path: string,
    options?: { readonly token?: string; readonly body?: unknown; readonly headers?: Record<string, string> }
  ) => Effect.Effect<Answer>
  /** A new workspace with this balance, and a token with every scope. */
  readonly funded: (
    micros: number,
    options?: { readonly inflightLimit?: number }
  ) => Effect.Effect<{ readonly workspaceId: WorkspaceId; readonly token: string }>
}

const send =
  (url: string): RunningGateway["call"] =>
  (method, path, options = {}) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) })
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: text.startsWith("{") ? JSON.parse(text) : undefined
      }
    })

const withSealingKey = ConfigProvider.fromMap(
  new Map([["GATEWAY_SEALING_KEYS", `test:${Buffer.alloc(32, 1).toString("base64")}`]])
)

export const startGateway = (
  overrides: Partial<GatewayConfig> = {}
): Effect.Effect<RunningGateway, never, Scope.Scope> =>
  Effect.gen(function* () {
    // A test that names another database names it without a pooler.
    const database = overrides.databaseUrl === undefined ? reached(yield* acquireTestDatabase()) : undefined
    const dataDir = yield* temporaryFolder("gateway-test-")
    const config: GatewayConfig = {
      role: "all",
      host: "127.0.0.1",
      port: 0,
      databaseUrl: Option.fromNullable(database?.url),
      listenUrl: Option.fromNullable(database?.directUrl),
      poolerPrepares: false,
      databaseConnections: 10,
      dataDir,
      rateBurst: 1_000_000,
      ratePerSecond: 1_000_000,
      rates: "local",
      publicRateBurst: 1_000_000,
      publicRatePerSecond: 1_000_000,
      publicTotalRateBurst: 1_000_000,
      publicTotalRatePerSecond: 1_000_000,
      inflightLimit: 8,
      catalogFolders: [],
      egressAllow: [],
      production: false,
      logLevel: LogLevel.Info,
      fixtures: true,
      fixturePort: 0,
      fixtureOrigin: Option.none(),
      processes: 1,
      dispatchSlots: 256,
      normalized: true,
      inlineResultBytes: inlineResultBytesMax,
      billing: true,
      stripe: Option.none(),
      openId: Option.none(),
      publicUrl: "http://gateway.test",
      serverUrl: "/",
      trustProxy: false,
      serviceAgents: ["Known Agent"],
      ledgerCheckSeconds: 0,
      retention: Option.none(),
      stopPauseMillis: 0,
      drainMillis: 1_000,
      telemetry: Option.none(),
      resolveTwoPersonMicros: Option.none(),
      creditAskMicros: Micros.make(creditAskUsdDefault * microsPerUsd),
      faultPoint: Option.none(),
      ...overrides
    }
    const gateway = observed(config)(GatewayWithCatalog(config))
    const services = yield* config.production
      ? Effect.withConfigProvider(Layer.build(gateway), withSealingKey)
      : Layer.build(gateway)
    const { port } = Context.get(services, ServerAddress)
    const url = `http://127.0.0.1:${port}`
    const funded: RunningGateway["funded"] = (micros, options = {}) =>
      Effect.gen(function* () {
        const accounts = Context.get(services, Accounts)
        const { workspaceId } = yield* accounts.createWorkspace(`test ${Math.random()}`, commandLine)
        if (options.inflightLimit !== undefined)
          yield* accounts.setLimits(workspaceId, { inflightLimit: options.inflightLimit }, commandLine)
        if (micros > 0)
          yield* Context.get(services, Wallet).credit(
            {
              workspaceId,
              kind: "adjustment",
              micros,
              reason: "test",
              topUpId: null,
              key: "test"
            },
            commandLine
          )
        const { token } = yield* accounts.createToken(
          {
            workspaceId,
            label: "test",
            scopes: [...scopes],
            monthlyLimitMicros: null,
            expiresAt: null
          },
          commandLine
        )
        return { workspaceId, token: Redacted.value(token) }
      }).pipe(Effect.orDie)
    const call = send(url)
    yield* eventually(call("GET", "/readyz"), ({ status }) => status === 200)
    return { url, services, call, funded }
  }).pipe(Effect.provide(NodeContext.layer), Effect.orDie)
