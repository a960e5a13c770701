/**
 * Everything that an operator can set, read once at start-up from the environment, with its defaults.
 * docs/configuration.md says the same in words. Values that cannot be used stop the start, and all of them are told
 * (`SettingsWrong.ts`).
 */
import { Config, Effect, Either, LogLevel, Option, type Redacted } from "effect"
import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { Micros, microsPerUsd } from "../../domain/Micros.js"
import { type NodeRole, nodeRoles } from "../../domain/NodeRole.js"
import { inlineResultBytesLeast, inlineResultBytesMax } from "../../domain/limits/Calls.js"
import { creditAskUsdDefault, processesMax, stopPauseMillis } from "../../domain/limits/Nodes.js"
import { serviceAgentCharsMax, serviceAgentsMax } from "../../domain/limits/Requests.js"
import {
  inflightLimitDefault,
  publicRateBurst,
  publicRatePerSecond,
  publicTotalRateBurst,
  publicTotalRatePerSecond,
  rateBurstDefault,
  ratePerSecondDefault
} from "../../domain/limits/Workspaces.js"
import { readUrl } from "../../domain/Url.js"
import type { RetentionSettings } from "../../services/Retention.js"
import {
  databases,
  isLoopback,
  openId,
  type OpenIdSettings,
  retention,
  stripe,
  type StripeSettings
} from "./ConfigGroups.js"
import {
  address,
  allWrong,
  amount,
  atLeast,
  hostsAndPorts,
  list,
  nonEmpty,
  onOff,
  oneOf,
  ownAddress,
  secret,
  whole,
  word
} from "./ConfigValues.js"
import { type Kill, parseKill } from "./FaultPointsKill.js"
import { inPlainLines, type SettingsWrong } from "./SettingsWrong.js"
import { readTelemetry, type TelemetrySettings } from "./TelemetryConfig.js"

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
const processes = nonEmpty("GATEWAY_PROCESSES", (text) => {
  const count = text === "auto" ? availableParallelism() : Number(text)
  return Number.isInteger(count) && count >= 1 && count <= processesMax
    ? Either.right(count)
    : Either.left(`must be a whole number from 1 to ${processesMax}, or auto`)
}).pipe(Config.withDefault(1))

/**
 * The warning of the start, and of `gateway doctor`, where links would hold an address that no client can reach
 * (0.0.0.0 or [::], in production also one of this machine only), or one to which tokens travel unprotected; else null.
 */
export const publicUrlProblem = ({
  production,
  publicUrl
}: Pick<GatewayConfig, "production" | "publicUrl">): string | null => {
  const url = readUrl(publicUrl)
  if (url === null)
    return `Links say ${publicUrl}, which is no address: set GATEWAY_PUBLIC_URL to the address that clients use`
  if (everyAddress.has(url.hostname))
    return `Links say ${publicUrl}, which clients cannot reach: set GATEWAY_PUBLIC_URL to the address that they use`
  if (isLoopback(url))
    return production
      ? `Links say ${publicUrl}, which only this machine can reach: set GATEWAY_PUBLIC_URL to the address that clients use`
      : null
  return url.protocol === "https:"
    ? null
    : `Links say ${publicUrl}, which is not https: everybody on the way could read tokens and sign-ins. Set GATEWAY_PUBLIC_URL to an https address`
}

const logLevels = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error
} as const
const levelNames = ["debug", "info", "warning", "error"] as const

const logLevel = (otherwise: LogLevel.LogLevel) =>
  word("GATEWAY_LOG_LEVEL", levelNames).pipe(
    Config.map((name): LogLevel.LogLevel => logLevels[name]),
    Config.withDefault(otherwise)
  )
/** `GATEWAY_LOG_LEVEL`. The command line reads it by itself, because some of its commands read no other setting. */
export const readLogLevel = (otherwise: LogLevel.LogLevel): Effect.Effect<LogLevel.LogLevel, SettingsWrong> =>
  inPlainLines(logLevel(otherwise))

/** Fails where a folder of `GATEWAY_CATALOG` cannot be read. A start asks; many commands work without the folders. */
export const catalogFoldersRead: Effect.Effect<ReadonlyArray<string>, SettingsWrong> = inPlainLines(
  list("GATEWAY_CATALOG", (folders) =>
    Either.all(
      folders.map((folder) =>
        Either.try({
          try: () => {
            readdirSync(folder)
            return folder
          },
          catch: () => `must name folders that this process can read; ${folder} is none`
        })
      )
    )
  )
)

/** Without this a misspelled "production" would start a development gateway, with its demo token. */
const mode = oneOf("NODE_ENV", ["production", "development", "test"], "development")
/** Whether it is one of production, as far as that can be told. */
export const isProduction: Effect.Effect<boolean> = Effect.map(
  Effect.orElseSucceed(mode, () => "development"),
  (found) => found === "production"
)

const burst = (name: string, otherwise: number) => whole(name, 1, 1_000_000_000, otherwise, "requests")
const perSecond = (name: string, otherwise: number) => atLeast(name, 0.001, otherwise, "requests a second")

const ownUrl = {
  host: ownAddress("HOST", "127.0.0.1"),
  port: whole("PORT", 0, 65_535, 8080),
  publicUrl: Config.option(Config.map(address("GATEWAY_PUBLIC_URL"), ({ href }) => href.replace(/\/+$/, "")))
}

const publicUrlOf = (read: {
  readonly host: string
  readonly port: number
  readonly publicUrl: Option.Option<string>
}): string => Option.getOrElse(read.publicUrl, () => urlOf(read.host, read.port))

/** `publicUrl` alone, for a command that needs nothing else of the gateway. */
export const readPublicUrl: Effect.Effect<string, SettingsWrong> = Effect.all(ownUrl, { mode: "validate" }).pipe(
  Effect.mapBoth({ onFailure: allWrong, onSuccess: publicUrlOf }),
  inPlainLines
)

export const readConfig: Effect.Effect<GatewayConfig, SettingsWrong> = Effect.gen(function* () {
  const production = yield* isProduction
  const several = Effect.map(
    Effect.orElseSucceed(processes, () => 1),
    (count) => count > 1
  )
  const {
    databases: { databaseUrl, listenUrl },
    mode: _mode,
    publicUrl: givenUrl,
    ...rest
  } = yield* Effect.all(
    {
      mode,
      role: oneOf("GATEWAY_ROLE", nodeRoles, "all"),
      ...ownUrl,
      databases: databases(production),
      poolerPrepares: onOff("GATEWAY_POOLER_PREPARES", false),
      databaseConnections: whole("GATEWAY_DATABASE_CONNECTIONS", 4, 1000, 20, "connections"),
      dataDir: Config.nonEmptyString("GATEWAY_DATA_DIR").pipe(Config.withDefault(".data")),
      rateBurst: burst("GATEWAY_RATE_BURST", rateBurstDefault),
      ratePerSecond: perSecond("GATEWAY_RATE_PER_SECOND", ratePerSecondDefault),
      rates: Effect.flatMap(several, (on) => oneOf("GATEWAY_RATES", ["local", "shared"], on ? "shared" : "local")),
      publicRateBurst: burst("GATEWAY_PUBLIC_RATE_BURST", publicRateBurst),
      publicRatePerSecond: perSecond("GATEWAY_PUBLIC_RATE_PER_SECOND", publicRatePerSecond),
      publicTotalRateBurst: burst("GATEWAY_PUBLIC_TOTAL_RATE_BURST", publicTotalRateBurst),
      publicTotalRatePerSecond: perSecond("GATEWAY_PUBLIC_TOTAL_RATE_PER_SECOND", publicTotalRatePerSecond),
      inflightLimit: whole("GATEWAY_INFLIGHT_LIMIT", 1, 1_000_000, inflightLimitDefault, "runs"),
      catalogFolders: list("GATEWAY_CATALOG"),
      egressAllow: hostsAndPorts("GATEWAY_EGRESS_ALLOW"),
      logLevel: logLevel(LogLevel.Info),
      fixtures: onOff("GATEWAY_FIXTURES", !production),
      fixturePort: whole("GATEWAY_FIXTURE_PORT", 0, 65_535, 0),
      fixtureOrigin: Config.option(Config.map(address("GATEWAY_FIXTURE_ORIGIN"), ({ origin }) => origin)),
      processes,
      dispatchSlots: whole("GATEWAY_DISPATCH_SLOTS", 1, 100_000, 256, "runs"),
      normalized: onOff("GATEWAY_NORMALIZED", true),
      inlineResultBytes: whole(
        "GATEWAY_INLINE_RESULT_BYTES",
        inlineResultBytesLeast,
        16_777_216,
        inlineResultBytesMax,
        "bytes"
      ),
      billing: onOff("GATEWAY_BILLING", true),
      stripe,
      openId,
      trustProxy: onOff("GATEWAY_TRUST_PROXY", false),
      serviceAgents: list("GATEWAY_SERVICE_AGENTS", (names) =>
        names.length <= serviceAgentsMax && names.every((name) => name.length <= serviceAgentCharsMax)
          ? Either.right(names)
          : Either.left(`must be at most ${serviceAgentsMax} names of at most ${serviceAgentCharsMax} characters`)
      ),
      resolveTwoPersonMicros: Config.option(amount("GATEWAY_RESOLVE_TWO_PERSON_USD")),
      creditAskMicros: amount("GATEWAY_CREDIT_ASK_USD").pipe(
        Config.withDefault(Micros.make(creditAskUsdDefault * microsPerUsd))
      ),
      ledgerCheckSeconds: whole("GATEWAY_LEDGER_CHECK_SECONDS", 0, 86_400, 60, "seconds"),
      retention,
      stopPauseMillis: whole("GATEWAY_STOP_PAUSE_MILLIS", 0, 600_000, production ? stopPauseMillis : 0, "milliseconds"),
      drainMillis: whole("GATEWAY_DRAIN_MILLIS", 0, 600_000, 10_000, "milliseconds"),
      telemetry: readTelemetry(secret("OTEL_EXPORTER_OTLP_HEADERS")),
      faultPoint: Config.option(nonEmpty("GATEWAY_FAULT_POINT", parseKill))
    },
    { mode: "validate" }
  ).pipe(Effect.mapError(allWrong))
  return {
    ...rest,
    databaseUrl,
    listenUrl,
    production,
    publicUrl: publicUrlOf({ ...rest, publicUrl: givenUrl }),
    serverUrl: Option.getOrElse(givenUrl, () => "/")
  }
}).pipe(inPlainLines)
