/**
 * The settings of OpenTelemetry, under the names that its specification gives them. Without an endpoint nothing is sent
 * and none of the others is read, because they may stand in the environment for other programs. With one, a value that
 * this gateway cannot follow stops the start, as every other setting does.
 */
import { Config, ConfigError, Effect, Either, Option, Redacted } from "effect"
import { readUrl } from "../../domain/Url.js"

export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const
export type SamplerName = (typeof samplers)[number]

export interface TelemetrySettings {
  /** The collector's address, without a slash at its end; `/v1/traces`, `/v1/metrics` and `/v1/logs` are below it. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted<ReadonlyArray<readonly [name: string, value: string]>>
  readonly timeoutMillis: number
  readonly serviceName: string
  readonly attributes: ReadonlyMap<string, string>
  readonly traces: boolean
  readonly metrics: boolean
  readonly logs: boolean
  readonly sampler: SamplerName
  /** The share of traces that is recorded, for the samplers by ratio. */
  readonly ratio: number
  readonly metricsEveryMillis: number
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\x20-\x7e]*$/

/** `a=b,c=d`, values percent-encoded. Null when it is anything else. */
const pairsOf = (text: string): ReadonlyArray<readonly [string, string]> | null => {
  const pairs = text
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=")
      const value = Either.try(() => decodeURIComponent(pair.slice(at + 1).trim()))
      return at < 1 || Either.isLeft(value) ? null : ([pair.slice(0, at).trim(), value.right] as const)
    })
  const found = pairs.filter((pair) => pair !== null)
  return found.length === pairs.length ? found : null
}

const wrong = (name: string, message: string) => ConfigError.InvalidData([name], message)

const endpoint = Config.option(Config.nonEmptyString("OTEL_EXPORTER_OTLP_ENDPOINT")).pipe(
  Config.mapOrFail((given) => {
    if (Option.isNone(given)) return Either.right(Option.none<string>())
    const url = readUrl(given.value)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
      return Either.left(wrong("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http or https address"))
    if (url.username !== "" || url.password !== "" || url.search !== "")
      return Either.left(
        wrong(
          "OTEL_EXPORTER_OTLP_ENDPOINT",
          "must hold no password and no query: a key of the collector goes into OTEL_EXPORTER_OTLP_HEADERS"
        )
      )
    return Either.right(Option.some(`${url.origin}${url.pathname}`.replace(/\/+$/, "")))
  })
)

/** `none` turns a kind of telemetry off. */
const exported = (name: string) =>
  Config.string(name).pipe(
    Config.mapOrFail((text) =>
      text === "otlp" || text === "none"
        ? Either.right(text === "otlp")
        : Either.left(ConfigError.InvalidData([], "must be otlp or none"))
    ),
    Config.withDefault(true)
  )

const millis = (name: string, least: number, otherwise: number) =>
  Config.integer(name).pipe(
    Config.validate({
      message: `must be a whole number of milliseconds from ${least} to 3600000`,
      validation: (value) => value >= least && value <= 3_600_000
    }),
    Config.withDefault(otherwise)
  )

const attributes = Config.string("OTEL_RESOURCE_ATTRIBUTES").pipe(
  Config.mapOrFail((text) =>
    Either.fromNullable(pairsOf(text), () =>
      ConfigError.InvalidData([], "must be name=value pairs with commas between them, values percent-encoded")
    )
  ),
  Config.withDefault<ReadonlyArray<readonly [string, string]>>([])
)

const sampler = Config.string("OTEL_TRACES_SAMPLER").pipe(
  Config.mapOrFail((text) =>
    Either.fromNullable(
      samplers.find((name) => name === text),
      () => ConfigError.InvalidData([], `must be one of ${samplers.join(", ")}`)
    )
  ),
  Config.withDefault<SamplerName>("parentbased_always_on")
)

const ratio = Config.number("OTEL_TRACES_SAMPLER_ARG").pipe(
  Config.validate({ message: "must be a number from 0 to 1", validation: (value) => value >= 0 && value <= 1 }),
  Config.withDefault(1)
)

/** What the gateway speaks; other protocols would fail with every request. */
const protocol = Config.string("OTEL_EXPORTER_OTLP_PROTOCOL").pipe(
  Config.validate({
    message:
      "must be http/json, the one that this gateway speaks; a collector takes it at its http port, as a rule 4318",
    validation: (text) => text === "http/json"
  }),
  Config.withDefault("http/json")
)

const headersOf = (given: Option.Option<Redacted.Redacted>) => {
  const pairs = Option.match(given, { onNone: () => [], onSome: (text) => pairsOf(Redacted.value(text)) })
  return pairs !== null && pairs.every(([name, value]) => headerName.test(name) && headerValue.test(value))
    ? Either.right(Redacted.make(pairs.map(([name, value]) => [name.toLowerCase(), value] as const)))
    : Either.left(
        wrong("OTEL_EXPORTER_OTLP_HEADERS", "must be name=value pairs with commas between them, values percent-encoded")
      )
}

/** `headers` reads the secret; none where nothing is sent. */
export const readTelemetry = (
  headers: Config.Config<Option.Option<Redacted.Redacted>>
): Effect.Effect<Option.Option<TelemetrySettings>, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    const disabled = yield* Config.boolean("OTEL_SDK_DISABLED").pipe(Config.withDefault(false))
    const address = disabled ? Option.none() : yield* endpoint
    if (Option.isNone(address)) return Option.none()
    yield* protocol
    const resource = new Map(yield* attributes)
    const named = yield* Config.option(Config.nonEmptyString("OTEL_SERVICE_NAME"))
    return Option.some<TelemetrySettings>({
      endpoint: address.value,
      headers: yield* headersOf(yield* headers),
      timeoutMillis: yield* millis("OTEL_EXPORTER_OTLP_TIMEOUT", 1, 10_000),
      serviceName: Option.getOrElse(named, () => resource.get("service.name") ?? "provider-gateway"),
      attributes: new Map([...resource].filter(([name]) => name !== "service.name")),
      traces: yield* exported("OTEL_TRACES_EXPORTER"),
      metrics: yield* exported("OTEL_METRICS_EXPORTER"),
      logs: yield* exported("OTEL_LOGS_EXPORTER"),
      sampler: yield* sampler,
      ratio: yield* ratio,
      metricsEveryMillis: yield* millis("OTEL_METRIC_EXPORT_INTERVAL", 100, 60_000)
    })
  })
