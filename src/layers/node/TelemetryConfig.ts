/**
 * The settings of OpenTelemetry, under the names that its specification gives them. Without an endpoint nothing is sent
 * and none of the others is read, because they may stand in the environment for other programs. With one, a value that
 * this gateway cannot follow stops the start, as every other setting does.
 */
import { Config, ConfigError, Effect, Either, Option, Redacted } from "effect"
import { readUrl } from "../../domain/Url.js"
import { allWrong, number, onOff, oneOf, parsed, whole } from "./ConfigValues.js"

const samplers = [
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
const exported = (name: string) => Config.map(oneOf(name, ["otlp", "none"], "otlp"), (to) => to === "otlp")

const millis = (name: string, least: number, otherwise: number) =>
  whole(name, least, 3_600_000, otherwise, "milliseconds")

const pairs = "must be name=value pairs with commas between them, values percent-encoded"

const attributes = parsed("OTEL_RESOURCE_ATTRIBUTES", (text) => Either.fromNullable(pairsOf(text), () => pairs)).pipe(
  Config.withDefault<ReadonlyArray<readonly [string, string]>>([])
)

/** What the gateway speaks; other protocols would fail with every request. */
const protocol = parsed("OTEL_EXPORTER_OTLP_PROTOCOL", (text) =>
  text === "http/json"
    ? Either.right(text)
    : Either.left(
        "must be http/json, the one that this gateway speaks; a collector takes it at its http port, as a rule 4318"
      )
).pipe(Config.withDefault("http/json"))

const headersOf = (given: Option.Option<Redacted.Redacted>) => {
  const found = Option.match(given, { onNone: () => [], onSome: (text) => pairsOf(Redacted.value(text)) })
  return found !== null && found.every(([name, value]) => headerName.test(name) && headerValue.test(value))
    ? Either.right(Redacted.make(found.map(([name, value]) => [name.toLowerCase(), value] as const)))
    : Either.left(wrong("OTEL_EXPORTER_OTLP_HEADERS", pairs))
}

/** `headers` reads the secret; none where nothing is sent. */
export const readTelemetry = (
  headers: Config.Config<Option.Option<Redacted.Redacted>>
): Effect.Effect<Option.Option<TelemetrySettings>, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    const disabled = yield* onOff("OTEL_SDK_DISABLED", false)
    if (disabled) return Option.none()
    // Where the endpoint itself is wrong, the others are looked at, too.
    const address = yield* Effect.either(endpoint)
    if (Either.isRight(address) && Option.isNone(address.right)) return Option.none()
    const { named, resource, to, ...settings } = yield* Effect.all(
      {
        to: address,
        protocol,
        named: Config.option(Config.nonEmptyString("OTEL_SERVICE_NAME")),
        resource: Effect.map(attributes, (found) => new Map(found)),
        headers: Effect.flatMap(headers, headersOf),
        timeoutMillis: millis("OTEL_EXPORTER_OTLP_TIMEOUT", 1, 10_000),
        traces: exported("OTEL_TRACES_EXPORTER"),
        metrics: exported("OTEL_METRICS_EXPORTER"),
        logs: exported("OTEL_LOGS_EXPORTER"),
        sampler: oneOf("OTEL_TRACES_SAMPLER", samplers, "parentbased_always_on"),
        ratio: number("OTEL_TRACES_SAMPLER_ARG", 0, 1).pipe(Config.withDefault(1)),
        metricsEveryMillis: millis("OTEL_METRIC_EXPORT_INTERVAL", 100, 60_000)
      },
      { mode: "validate" }
    ).pipe(Effect.mapError(allWrong))
    return Option.map(to, (endpoint): TelemetrySettings => {
      const { protocol: _, ...rest } = settings
      return {
        ...rest,
        endpoint,
        serviceName: Option.getOrElse(named, () => resource.get("service.name") ?? "provider-gateway"),
        attributes: new Map([...resource].filter(([name]) => name !== "service.name"))
      }
    })
  })
