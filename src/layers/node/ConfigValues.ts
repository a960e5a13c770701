/** How single settings are read: what a value may be, what stands for a missing one, and where secrets come from. */
import { Config, ConfigError, Either, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { typedAmount } from "../../domain/Micros.js"

export const list = (name: string) =>
  Config.string(name).pipe(
    Config.map((text) =>
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    ),
    Config.withDefault<ReadonlyArray<string>>([])
  )

export const atLeast = (name: string, least: number, otherwise: number) =>
  Config.number(name).pipe(
    Config.validate({
      message: `must be a number of at least ${least}`,
      validation: (value) => Number.isFinite(value) && value >= least
    }),
    Config.withDefault(otherwise)
  )

export const whole = (name: string, least: number, most: number, otherwise: number) =>
  Config.integer(name).pipe(
    Config.validate({
      message: `must be a whole number from ${least} to ${most}`,
      validation: (value) => value >= least && value <= most
    }),
    Config.withDefault(otherwise)
  )

export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>, otherwise: NoInfer<Word>) =>
  Config.string(name).pipe(
    Config.mapOrFail((text) =>
      Either.fromNullable(
        words.find((word) => word === text),
        () => ConfigError.InvalidData([], `must be one of ${words.join(", ")}`)
      )
    ),
    Config.withDefault<Word>(otherwise)
  )

export const onOff = (name: string, otherwise: boolean) => Config.boolean(name).pipe(Config.withDefault(otherwise))

/** Dollars, as a person types them. */
export const amount = (name: string) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((text) => Either.mapLeft(typedAmount(text), (problem) => ConfigError.InvalidData([], problem)))
  )

/** Every setting of the gateway that is a secret. */
export const secretSettings = [
  "DATABASE_URL",
  "GATEWAY_LISTEN_URL",
  "GATEWAY_SEALING_KEYS",
  "GATEWAY_STRIPE_SECRET_KEY",
  "GATEWAY_STRIPE_WEBHOOK_SECRET",
  "GATEWAY_OIDC_CLIENT_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS"
] as const
export type SecretSetting = (typeof secretSettings)[number]
/** The secret of `gateway mcp`, which is a client. */
type ClientSecret = "GATEWAY_TOKEN"

/** The variable that names a file which holds the secret. */
export const fileOf = (name: SecretSetting | ClientSecret): string => `${name}_FILE`

/**
 * A secret, from the variable itself or from the file that the variable with `_FILE` behind its name points to, without
 * the line break at its end. An empty variable counts as not set. Setting both stops the start, because one of them
 * would be ignored. No secret is read without this rule.
 */
export const secret = (name: SecretSetting | ClientSecret): Config.Config<Option.Option<Redacted.Redacted>> =>
  Config.all([Config.option(Config.redacted(name)), Config.option(Config.nonEmptyString(fileOf(name)))]).pipe(
    Config.mapOrFail(([given, file]) => {
      const value = Option.filter(given, (text) => Redacted.value(text) !== "")
      if (Option.isNone(file)) return Either.right(value)
      if (Option.isSome(value))
        return Either.left(ConfigError.InvalidData([name], `and ${fileOf(name)} are both set; set one of them`))
      return Either.try({
        try: () => Option.some(Redacted.make(readFileSync(file.value, "utf8").replace(/\r?\n$/, ""))),
        catch: () => ConfigError.InvalidData([fileOf(name)], "must name a file that this process can read")
      }).pipe(
        Either.filterOrLeft(
          Option.exists((text) => Redacted.value(text) !== ""),
          () => ConfigError.InvalidData([fileOf(name)], "names a file that is empty")
        )
      )
    })
  )
