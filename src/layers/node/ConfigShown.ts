/**
 * Every setting with its value and where the value comes from, for people. Of a secret it says only that it is set. A
 * test holds the names against the tables of docs/configuration.md, which another test holds against what is read.
 */
import { Config, type ConfigError, Effect, Option } from "effect"
import { toUsd } from "../../domain/Micros.js"
import type { RetentionSettings } from "../../services/Retention.js"
import type { TelemetrySettings } from "./TelemetryConfig.js"
import { type GatewayConfig, readConfig } from "./Config.js"
import { inPlainLines, type SettingsWrong } from "./SettingsWrong.js"
import { fileOf, isSecret, secret, type SecretSetting } from "./ConfigValues.js"

export interface ShownSetting {
  readonly name: string
  /** Null where it is not set and has no default. Of a secret, words in its place. */
  readonly value: string | null
  readonly secret: boolean
  readonly from: "default" | "environment" | "file"
  /** The file of a secret. */
  readonly file: string | null
}

type Show = (config: GatewayConfig) => string | null

const onOff = (on: boolean): string => (on ? "on" : "off")
const listed = (items: ReadonlyArray<string>): string | null => (items.length === 0 ? null : items.join(","))
const kept = (
  retention: GatewayConfig["retention"],
  setting: (set: RetentionSettings) => number | string | null
): string | null => {
  const value = Option.getOrNull(Option.map(retention, setting))
  return value === null ? null : String(value)
}

/** Of telemetry, which has no settings where no collector is configured. */
const ofTelemetry =
  (show: (settings: TelemetrySettings) => string | null): Show =>
  ({ telemetry }) =>
    Option.getOrNull(Option.flatMapNullable(telemetry, show))
const exporter = (on: boolean): string => (on ? "otlp" : "none")

/** In the order of docs/configuration.md. Null for a secret. */
const settings: Readonly<Record<string, Show>> & Readonly<Record<SecretSetting, Show>> = {
  NODE_ENV: ({ production }) => (production ? "production" : "development"),
  GATEWAY_ROLE: ({ role }) => role,
  HOST: ({ host }) => host,
  PORT: ({ port }) => String(port),
  DATABASE_URL: () => null,
  GATEWAY_LISTEN_URL: () => null,
  GATEWAY_POOLER_PREPARES: ({ poolerPrepares }) => onOff(poolerPrepares),
  GATEWAY_DATABASE_CONNECTIONS: ({ databaseConnections }) => String(databaseConnections),
  GATEWAY_DATA_DIR: ({ dataDir }) => dataDir,
  GATEWAY_SEALING_KEYS: () => null,
  GATEWAY_RATE_BURST: ({ rateBurst }) => String(rateBurst),
  GATEWAY_RATE_PER_SECOND: ({ ratePerSecond }) => String(ratePerSecond),
  GATEWAY_RATES: ({ rates }) => rates,
  GATEWAY_PUBLIC_RATE_BURST: ({ publicRateBurst }) => String(publicRateBurst),
  GATEWAY_PUBLIC_RATE_PER_SECOND: ({ publicRatePerSecond }) => String(publicRatePerSecond),
  GATEWAY_PUBLIC_TOTAL_RATE_BURST: ({ publicTotalRateBurst }) => String(publicTotalRateBurst),
  GATEWAY_PUBLIC_TOTAL_RATE_PER_SECOND: ({ publicTotalRatePerSecond }) => String(publicTotalRatePerSecond),
  GATEWAY_INFLIGHT_LIMIT: ({ inflightLimit }) => String(inflightLimit),
  GATEWAY_CATALOG: ({ catalogFolders }) => listed(catalogFolders),
  GATEWAY_EGRESS_ALLOW: ({ egressAllow }) => listed(egressAllow),
  GATEWAY_FIXTURES: ({ fixtures }) => onOff(fixtures),
  GATEWAY_FIXTURE_PORT: ({ fixturePort }) => String(fixturePort),
  GATEWAY_FIXTURE_ORIGIN: ({ fixtureOrigin }) => Option.getOrNull(fixtureOrigin),
  GATEWAY_PROCESSES: ({ processes }) => String(processes),
  GATEWAY_DISPATCH_SLOTS: ({ dispatchSlots }) => String(dispatchSlots),
  GATEWAY_NORMALIZED: ({ normalized }) => onOff(normalized),
  GATEWAY_INLINE_RESULT_BYTES: ({ inlineResultBytes }) => String(inlineResultBytes),
  GATEWAY_BILLING: ({ billing }) => onOff(billing),
  GATEWAY_STRIPE_SECRET_KEY: () => null,
  GATEWAY_STRIPE_WEBHOOK_SECRET: () => null,
  GATEWAY_OIDC_ISSUER: ({ openId }) => Option.getOrNull(Option.map(openId, ({ issuer }) => issuer.href)),
  GATEWAY_OIDC_CLIENT_ID: ({ openId }) => Option.getOrNull(Option.map(openId, ({ clientId }) => clientId)),
  GATEWAY_OIDC_CLIENT_SECRET: () => null,
  GATEWAY_OIDC_SCOPES: ({ openId }) =>
    Option.match(openId, { onNone: () => null, onSome: ({ scopes }) => scopes.join(" ") }),
  GATEWAY_STRIPE_API_BASE: ({ stripe }) =>
    Option.getOrNull(
      Option.map(
        Option.flatMap(stripe, ({ apiBase }) => apiBase),
        ({ href }) => href
      )
    ),
  GATEWAY_PUBLIC_URL: ({ publicUrl }) => publicUrl,
  GATEWAY_TRUST_PROXY: ({ trustProxy }) => onOff(trustProxy),
  GATEWAY_SERVICE_AGENTS: ({ serviceAgents }) => listed(serviceAgents),
  GATEWAY_RESOLVE_TWO_PERSON_USD: ({ resolveTwoPersonMicros }) =>
    Option.match(resolveTwoPersonMicros, { onNone: () => null, onSome: (micros) => String(toUsd(micros)) }),
  GATEWAY_CREDIT_ASK_USD: ({ creditAskMicros }) => String(toUsd(creditAskMicros)),
  GATEWAY_LEDGER_CHECK_SECONDS: ({ ledgerCheckSeconds }) => String(ledgerCheckSeconds),
  GATEWAY_HISTORY_DAYS: ({ retention }) => kept(retention, ({ historyDays }) => historyDays),
  GATEWAY_RESULT_DAYS: ({ retention }) => kept(retention, ({ resultDays }) => resultDays),
  GATEWAY_RUN_DAYS: ({ retention }) => kept(retention, ({ runDays }) => runDays),
  GATEWAY_ARCHIVE_DIR: ({ retention }) => kept(retention, ({ archiveDir }) => archiveDir),
  GATEWAY_STOP_PAUSE_MILLIS: ({ stopPauseMillis }) => String(stopPauseMillis),
  GATEWAY_DRAIN_MILLIS: ({ drainMillis }) => String(drainMillis),
  OTEL_EXPORTER_OTLP_ENDPOINT: ofTelemetry(({ endpoint }) => endpoint),
  OTEL_EXPORTER_OTLP_HEADERS: () => null,
  OTEL_EXPORTER_OTLP_PROTOCOL: ofTelemetry(() => "http/json"),
  OTEL_EXPORTER_OTLP_TIMEOUT: ofTelemetry(({ timeoutMillis }) => String(timeoutMillis)),
  OTEL_SERVICE_NAME: ofTelemetry(({ serviceName }) => serviceName),
  OTEL_RESOURCE_ATTRIBUTES: ofTelemetry(({ attributes }) =>
    listed([...attributes].map(([name, value]) => `${name}=${encodeURIComponent(value)}`))
  ),
  OTEL_TRACES_EXPORTER: ofTelemetry(({ traces }) => exporter(traces)),
  OTEL_METRICS_EXPORTER: ofTelemetry(({ metrics }) => exporter(metrics)),
  OTEL_LOGS_EXPORTER: ofTelemetry(({ logs }) => exporter(logs)),
  OTEL_TRACES_SAMPLER: ofTelemetry(({ sampler }) => sampler),
  OTEL_TRACES_SAMPLER_ARG: ofTelemetry(({ ratio }) => String(ratio)),
  OTEL_METRIC_EXPORT_INTERVAL: ofTelemetry(({ metricsEveryMillis }) => String(metricsEveryMillis)),
  OTEL_SDK_DISABLED: () => null,
  GATEWAY_LOG_LEVEL: ({ logLevel }) => logLevel.label.toLowerCase().replace(/^warn$/, "warning"),
  GATEWAY_FAULT_POINT: ({ faultPoint }) =>
    Option.match(faultPoint, { onNone: () => null, onSome: ({ point }) => point })
}

/** Every setting, in the order of docs/configuration.md. */
export const settingNames: ReadonlyArray<string> = Object.keys(settings)

const given = (name: string): Effect.Effect<string | null, ConfigError.ConfigError> =>
  Effect.map(Config.option(Config.string(name)), (text) => Option.getOrNull(Option.filter(text, (it) => it !== "")))

const secretShown = (name: SecretSetting): Effect.Effect<ShownSetting, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    const set = Option.isSome(yield* secret(name))
    const file = yield* given(fileOf(name))
    const from = file !== null ? "file" : set ? "environment" : "default"
    return { name, value: set ? "(set, not shown)" : null, secret: true, from, file }
  })

/** Fails where the gateway would not start with these settings. */
export const shownConfig: Effect.Effect<ReadonlyArray<ShownSetting>, SettingsWrong> = Effect.gen(function* () {
  const config = yield* readConfig
  return yield* Effect.forEach(Object.entries(settings), ([name, show]) =>
    inPlainLines(
      isSecret(name)
        ? secretShown(name)
        : Effect.map(given(name), (text): ShownSetting => ({
            name,
            value: show(config),
            secret: false,
            from: text === null ? "default" : "environment",
            file: null
          }))
    )
  )
})
