/**
 * Everything that an operator can set, read once at start-up from the environment, with its defaults. The README's
 * table says the same in words. A value that cannot be used stops the start and names the variable.
 */
import { Config, ConfigError, Effect, Either, LogLevel, Option, Redacted } from "effect"
import { availableParallelism } from "node:os"
import { Micros, microsPerUsd } from "../../domain/Micros.js"
import { type NodeRole, nodeRoles } from "../../domain/NodeRole.js"
import * as Limits from "../../domain/Limits.js"
import { readUrl } from "../../domain/Url.js"
import type { RetentionSettings } from "../../services/Retention.js"
import { amount, atLeast, list, onOff, oneOf, secret, whole } from "./ConfigValues.js"
import { type Kill, parseKill } from "./FaultPointsKill.js"
import { readTelemetry, type TelemetrySettings } from "./TelemetryConfig.js"

/** How payments go through Stripe. */
export interface StripeSettings {
  readonly secretKey: Redacted.Redacted
  /** Each signs events; during a rotation there are two. */
  readonly webhookSecrets: ReadonlyArray<Redacted.Redacted>
  /** A server of tests in the place of Stripe's own. */
  readonly apiBase: Option.Option<URL>
}

export interface OpenIdSettings {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly scopes: ReadonlyArray<string>
}

export interface GatewayConfig {
  readonly role: NodeRole
  readonly host: string
  readonly port: number
  /** Absent: the gateway starts a Postgres of its own. Required in production. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  /** Given where `databaseUrl` is a pooler: the database without it, for what needs a session, such as LISTEN. */
  readonly listenUrl: Option.Option<Redacted.Redacted>
  /** Whether that pooler keeps the named statements of its clients. */
  readonly poolerPrepares: boolean
  readonly databaseConnections: number
  readonly dataDir: string
  readonly rateBurst: number
  readonly ratePerSecond: number
  /** Whether each node counts the requests of workspaces for itself, or all of them together. */
  readonly rates: "local" | "shared"
  /** Of one address without a token, and of all of them together. */
  readonly publicRateBurst: number
  readonly publicRatePerSecond: number
  readonly publicTotalRateBurst: number
  readonly publicTotalRatePerSecond: number
  readonly inflightLimit: number
  /** Catalog folders beside the built-in one. */
  readonly catalogFolders: ReadonlyArray<string>
  readonly egressAllow: ReadonlyArray<string>
  readonly production: boolean
  /** The least level of the lines that are logged. */
  readonly logLevel: LogLevel.LogLevel
  /** Whether the fixture provider runs and its operations are in the catalog. */
  readonly fixtures: boolean
  readonly fixturePort: number
  /** A fixture provider that runs already, such as that of a benchmark; then none is started. */
  readonly fixtureOrigin: Option.Option<string>
  /** How many processes of this machine serve, on one port. */
  readonly processes: number
  readonly dispatchSlots: number
  readonly normalized: boolean
  /** Answers of providers up to this stand inline in `result`; larger ones are kept as files. */
  readonly inlineResultBytes: number
  readonly billing: boolean
  /** None: the gateway takes no payments, and operators add money to balances. */
  readonly stripe: Option.Option<StripeSettings>
  /** The URL by which clients reach this gateway, without a slash at the end. */
  readonly publicUrl: string
  /** The same for the OpenAPI document: `/` unless the operator has set the URL. */
  readonly serverUrl: string
  /** Whether a proxy of the operator stands in front and names the client; see HttpSettings. */
  readonly trustProxy: boolean
  /** The agents that `/metrics` counts by the name they give in `X-Service-Agent`. */
  readonly serviceAgents: ReadonlyArray<string>
  /** The OpenID provider by which people may sign in. */
  readonly openId: Option.Option<OpenIdSettings>
  /** Two operators decide about an uncertain run that holds more than this; none: one does. */
  readonly resolveTwoPersonMicros: Option.Option<Micros>
  /** `gateway credit` asks before it moves more than this, in either direction. */
  readonly creditAskMicros: Micros
  /** How long between two checks of the whole ledger for the drift gauge; 0 turns them off. */
  readonly ledgerCheckSeconds: number
  /** None: runs are kept for good, in the hot tables. */
  readonly retention: Option.Option<RetentionSettings>
  /** How long a stopping node says that it is not ready, and works on, before it closes. */
  readonly stopPauseMillis: number
  readonly drainMillis: number
  /** The collector of OpenTelemetry that hears of what this process does; none: nobody does. */
  readonly telemetry: Option.Option<TelemetrySettings>
  /** Where this process kills itself, for tests of what survives; see FaultPointsKill. */
  readonly faultPoint: Option.Option<Kill>
}

/** An address as a URL has it: IPv6 in brackets. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"])

/** `auto` is as many as the machine has cores for this program. */
const processes = Config.nonEmptyString("GATEWAY_PROCESSES").pipe(
  Config.mapOrFail((text) => {
    const count = text === "auto" ? availableParallelism() : Number(text)
    return Number.isInteger(count) && count >= 1 && count <= Limits.processesMax
      ? Either.right(count)
      : Either.left(ConfigError.InvalidData([], `must be a whole number from 1 to ${Limits.processesMax}, or auto`))
  }),
  Config.withDefault(1)
)

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)

/**
 * The warning of the start where links would hold an address that no client can reach (0.0.0.0 or [::]), or one to
 * which tokens travel unprotected; else null.
 */
export const publicUrlProblem = ({ publicUrl }: Pick<GatewayConfig, "publicUrl">): string | null => {
  const url = readUrl(publicUrl)
  if (url === null) return null
  if (everyAddress.has(url.hostname))
    return `Links say ${publicUrl}, which clients cannot reach: set GATEWAY_PUBLIC_URL to the address that they use`
  return url.protocol === "https:" || isLoopback(url)
    ? null
    : `Links say ${publicUrl}, which is not https: everybody on the way could read tokens and sign-ins. Set GATEWAY_PUBLIC_URL to an https address`
}

const stripe: Config.Config<Option.Option<StripeSettings>> = Config.all({
  secretKey: secret("GATEWAY_STRIPE_SECRET_KEY"),
  webhookSecret: secret("GATEWAY_STRIPE_WEBHOOK_SECRET"),
  apiBase: Config.option(Config.url("GATEWAY_STRIPE_API_BASE"))
}).pipe(
  Config.mapOrFail(({ apiBase, secretKey, webhookSecret }) => {
    if (Option.isSome(apiBase) && apiBase.value.protocol !== "https:" && !isLoopback(apiBase.value))
      return Either.left(ConfigError.InvalidData(["GATEWAY_STRIPE_API_BASE"], "must be https, or http on loopback"))
    if (Option.isNone(secretKey) && Option.isNone(webhookSecret)) return Either.right(Option.none())
    if (Option.isNone(secretKey) || Option.isNone(webhookSecret)) {
      const [missing, present] = Option.isNone(secretKey)
        ? ["GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET"]
        : ["GATEWAY_STRIPE_WEBHOOK_SECRET", "GATEWAY_STRIPE_SECRET_KEY"]
      return Either.left(ConfigError.MissingData([missing], `is needed beside ${present}: without it no payment works`))
    }
    if (!/^(?:sk|rk)_(?:live|test)_\w+$/.test(Redacted.value(secretKey.value)))
      return Either.left(
        ConfigError.InvalidData(
          ["GATEWAY_STRIPE_SECRET_KEY"],
          "must be a secret or restricted key of Stripe, such as sk_test_… or rk_live_…"
        )
      )
    const webhookSecrets = Redacted.value(webhookSecret.value)
      .split(",")
      .map((text) => text.trim())
    if (!webhookSecrets.every((text) => /^whsec_\S+$/.test(text)))
      return Either.left(
        ConfigError.InvalidData(
          ["GATEWAY_STRIPE_WEBHOOK_SECRET"],
          "must be a signing secret of Stripe, whsec_…, or several with commas between them"
        )
      )
    return Either.right(
      Option.some({
        secretKey: secretKey.value,
        webhookSecrets: webhookSecrets.map((text) => Redacted.make(text)),
        apiBase
      })
    )
  })
)

const logLevels: ReadonlyMap<string, LogLevel.LogLevel> = new Map([
  ["debug", LogLevel.Debug],
  ["info", LogLevel.Info],
  ["warning", LogLevel.Warning],
  ["error", LogLevel.Error]
])

/** `GATEWAY_LOG_LEVEL`. The command line reads it by itself, because some of its commands read no other setting. */
export const readLogLevel = (otherwise: LogLevel.LogLevel): Config.Config<LogLevel.LogLevel> =>
  Config.string("GATEWAY_LOG_LEVEL").pipe(
    Config.mapOrFail((text) =>
      Either.fromNullable(logLevels.get(text), () =>
        ConfigError.InvalidData([], `must be one of ${Array.from(logLevels.keys()).join(", ")}`)
      )
    ),
    Config.withDefault(otherwise)
  )

const days = (name: string, least: number, why: string) =>
  Config.option(
    Config.integer(name).pipe(
      Config.validate({
        message: `must be a whole number of days from ${least} to ${Limits.keptDaysMax}${why}`,
        validation: (value) => value >= least && value <= Limits.keptDaysMax
      })
    )
  )
const promised = `: for ${Limits.keyDaysPromised} days a repeated idempotency key is answered with its run`

const retention: Config.Config<Option.Option<RetentionSettings>> = Config.all({
  history: days("GATEWAY_HISTORY_DAYS", 1, ""),
  result: days("GATEWAY_RESULT_DAYS", Limits.keyDaysPromised, promised),
  run: days("GATEWAY_RUN_DAYS", Limits.keyDaysPromised, promised),
  archiveDir: Config.option(Config.nonEmptyString("GATEWAY_ARCHIVE_DIR"))
}).pipe(
  Config.mapOrFail(({ archiveDir, history, result, run }) => {
    if (Option.isSome(archiveDir) && Option.isNone(run))
      return Either.left(
        ConfigError.MissingData(
          ["GATEWAY_RUN_DAYS"],
          "is needed beside GATEWAY_ARCHIVE_DIR: without it no run leaves the database"
        )
      )
    if (Option.isNone(history) && Option.isNone(result) && Option.isNone(run)) return Either.right(Option.none())
    const [resultDays, runDays] = [Option.getOrNull(result), Option.getOrNull(run)]
    const least = Math.min(resultDays ?? Limits.keptDaysMax, runDays ?? Limits.keptDaysMax)
    const historyDays = Option.getOrElse(history, () => Limits.historyDaysDefault)
    if (historyDays > least)
      return Either.left(
        ConfigError.InvalidData(
          ["GATEWAY_HISTORY_DAYS"],
          `must be at most ${least}, the days after which results or runs leave: they leave out of the history`
        )
      )
    if (resultDays !== null && runDays !== null && resultDays > runDays)
      return Either.left(
        ConfigError.InvalidData(
          ["GATEWAY_RESULT_DAYS"],
          "must be at most GATEWAY_RUN_DAYS: a result leaves with its run"
        )
      )
    return Either.right(Option.some({ historyDays, resultDays, runDays, archiveDir: Option.getOrNull(archiveDir) }))
  })
)

const modes = ["production", "development", "test"]

/** All of it or nothing: an issuer without a client would offer a sign-in that cannot work. */
const openId: Config.Config<Option.Option<OpenIdSettings>> = Config.all({
  issuer: Config.option(Config.url("GATEWAY_OIDC_ISSUER")),
  clientId: Config.option(Config.nonEmptyString("GATEWAY_OIDC_CLIENT_ID")),
  clientSecret: secret("GATEWAY_OIDC_CLIENT_SECRET"),
  scopes: Config.option(Config.nonEmptyString("GATEWAY_OIDC_SCOPES"))
}).pipe(
  Config.mapOrFail(({ clientId, clientSecret, issuer, scopes }) => {
    if (Option.isNone(issuer) && Option.isNone(clientId) && Option.isNone(clientSecret))
      return Either.right(Option.none())
    if (Option.isNone(issuer) || Option.isNone(clientId) || Option.isNone(clientSecret)) {
      const missing = Option.isNone(issuer) ? "ISSUER" : Option.isNone(clientId) ? "CLIENT_ID" : "CLIENT_SECRET"
      return Either.left(
        ConfigError.MissingData([`GATEWAY_OIDC_${missing}`], "is needed beside the other GATEWAY_OIDC settings")
      )
    }
    if (issuer.value.protocol !== "https:" && !isLoopback(issuer.value))
      return Either.left(ConfigError.InvalidData(["GATEWAY_OIDC_ISSUER"], "must be https, or http on loopback"))
    const asked = Option.getOrElse(scopes, () => "openid email").split(/[\s,]+/)
    return Either.right(
      Option.some({
        issuer: issuer.value,
        clientId: clientId.value,
        clientSecret: clientSecret.value,
        scopes: [...new Set(["openid", ...asked.filter((scope) => scope !== "")])]
      })
    )
  })
)

export const readConfig: Effect.Effect<GatewayConfig, ConfigError.ConfigError> = Effect.gen(function* () {
  // Without this a misspelled "production" would start a development gateway, with its demo token.
  const mode = yield* Config.string("NODE_ENV").pipe(
    Config.validate({ message: `must be one of ${modes.join(", ")}`, validation: (value) => modes.includes(value) }),
    Config.withDefault("development")
  )
  const production = mode === "production"
  const databaseUrl = yield* secret("DATABASE_URL")
  if (production && Option.isNone(databaseUrl)) {
    return yield* Effect.fail(
      ConfigError.MissingData(
        ["DATABASE_URL"],
        "With NODE_ENV=production the gateway starts no Postgres of its own: set DATABASE_URL to one (15 or newer)"
      )
    )
  }
  const listenUrl = yield* secret("GATEWAY_LISTEN_URL")
  if (Option.isSome(listenUrl) && Option.isNone(databaseUrl)) {
    return yield* Effect.fail(
      ConfigError.MissingData(
        ["DATABASE_URL"],
        "is needed beside GATEWAY_LISTEN_URL: it is the pooler, and the other the database behind it"
      )
    )
  }
  const serving = yield* processes
  const host = yield* Config.nonEmptyString("HOST").pipe(Config.withDefault("127.0.0.1"))
  const port = yield* whole("PORT", 0, 65_535, 8080)
  const publicUrl = Option.map(yield* Config.option(Config.nonEmptyString("GATEWAY_PUBLIC_URL")), (url) =>
    url.replace(/\/+$/, "")
  )
  return {
    role: yield* oneOf("GATEWAY_ROLE", nodeRoles, "all"),
    host,
    port,
    databaseUrl,
    listenUrl,
    poolerPrepares: yield* onOff("GATEWAY_POOLER_PREPARES", false),
    databaseConnections: yield* whole("GATEWAY_DATABASE_CONNECTIONS", 4, 1000, 20),
    dataDir: yield* Config.nonEmptyString("GATEWAY_DATA_DIR").pipe(Config.withDefault(".data")),
    rateBurst: yield* whole("GATEWAY_RATE_BURST", 1, 1_000_000_000, Limits.rateBurstDefault),
    ratePerSecond: yield* atLeast("GATEWAY_RATE_PER_SECOND", 0.001, Limits.ratePerSecondDefault),
    rates: yield* oneOf("GATEWAY_RATES", ["local", "shared"], serving > 1 ? "shared" : "local"),
    publicRateBurst: yield* whole("GATEWAY_PUBLIC_RATE_BURST", 1, 1_000_000_000, Limits.publicRateBurst),
    publicRatePerSecond: yield* atLeast("GATEWAY_PUBLIC_RATE_PER_SECOND", 0.001, Limits.publicRatePerSecond),
    publicTotalRateBurst: yield* whole(
      "GATEWAY_PUBLIC_TOTAL_RATE_BURST",
      1,
      1_000_000_000,
      Limits.publicTotalRateBurst
    ),
    publicTotalRatePerSecond: yield* atLeast(
      "GATEWAY_PUBLIC_TOTAL_RATE_PER_SECOND",
      0.001,
      Limits.publicTotalRatePerSecond
    ),
    inflightLimit: yield* whole("GATEWAY_INFLIGHT_LIMIT", 1, 1_000_000, Limits.inflightLimitDefault),
    catalogFolders: yield* list("GATEWAY_CATALOG"),
    egressAllow: yield* list("GATEWAY_EGRESS_ALLOW"),
    production,
    logLevel: yield* readLogLevel(LogLevel.Info),
    fixtures: yield* onOff("GATEWAY_FIXTURES", !production),
    fixturePort: yield* whole("GATEWAY_FIXTURE_PORT", 0, 65_535, 0),
    fixtureOrigin: yield* Config.option(Config.nonEmptyString("GATEWAY_FIXTURE_ORIGIN")),
    processes: serving,
    dispatchSlots: yield* whole("GATEWAY_DISPATCH_SLOTS", 1, 100_000, 256),
    normalized: yield* onOff("GATEWAY_NORMALIZED", true),
    inlineResultBytes: yield* whole("GATEWAY_INLINE_RESULT_BYTES", 0, 16_777_216, Limits.inlineResultBytesMax),
    billing: yield* onOff("GATEWAY_BILLING", true),
    stripe: yield* stripe,
    openId: yield* openId,
    publicUrl: Option.getOrElse(publicUrl, () => urlOf(host, port)),
    serverUrl: Option.getOrElse(publicUrl, () => "/"),
    trustProxy: yield* onOff("GATEWAY_TRUST_PROXY", false),
    serviceAgents: yield* Config.validate(list("GATEWAY_SERVICE_AGENTS"), {
      message: `must be at most ${Limits.serviceAgentsMax} names of at most ${Limits.serviceAgentCharsMax} characters`,
      validation: (names) =>
        names.length <= Limits.serviceAgentsMax && names.every((name) => name.length <= Limits.serviceAgentCharsMax)
    }),
    resolveTwoPersonMicros: yield* Config.option(amount("GATEWAY_RESOLVE_TWO_PERSON_USD")),
    creditAskMicros: yield* amount("GATEWAY_CREDIT_ASK_USD").pipe(
      Config.withDefault(Micros.make(Limits.creditAskUsdDefault * microsPerUsd))
    ),
    ledgerCheckSeconds: yield* whole("GATEWAY_LEDGER_CHECK_SECONDS", 0, 86_400, 60),
    retention: yield* retention,
    stopPauseMillis: yield* whole("GATEWAY_STOP_PAUSE_MILLIS", 0, 600_000, production ? Limits.stopPauseMillis : 0),
    drainMillis: yield* whole("GATEWAY_DRAIN_MILLIS", 0, 600_000, 10_000),
    telemetry: yield* readTelemetry(secret("OTEL_EXPORTER_OTLP_HEADERS")),
    faultPoint: yield* Config.option(
      Config.nonEmptyString("GATEWAY_FAULT_POINT").pipe(
        Config.mapOrFail((text) => Either.mapLeft(parseKill(text), (problem) => ConfigError.InvalidData([], problem)))
      )
    )
  }
})
