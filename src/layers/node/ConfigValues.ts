/** How single settings are read: what a value may be, what stands for a missing one, and where secrets come from. */
import { Config, ConfigError, Either, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { cutText } from "../../domain/Characters.js"
import { typedAmount } from "../../domain/Micros.js"
import { readHostAndPort, readUrl } from "../../domain/Url.js"

/** A text that is read as something else. `parse` says what it must be, in words that go on after the name. */
export const parsed = <A>(name: string, parse: (text: string) => Either.Either<A, string>): Config.Config<A> =>
  Config.string(name).pipe(
    Config.mapOrFail((text) => Either.mapLeft(parse(text), (problem) => ConfigError.InvalidData([], problem)))
  )

/** Of one entry of a list that is wrong, this much is shown. */
const entryCharsMax = 60

type Texts = ReadonlyArray<string>
/** Texts with commas between them. `check` says what they must be. */
export const list = (name: string, check: (texts: Texts) => Either.Either<Texts, string> = Either.right) =>
  parsed(name, (text) =>
    check(
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    )
  ).pipe(Config.withDefault<Texts>([]))

/** `host:port` pairs with commas between them. Of an entry that may hold a password, only its place is told. */
export const hostsAndPorts = (name: string) =>
  list(name, (entries) =>
    Either.all(
      entries.map((entry, at) =>
        Either.fromNullable(readHostAndPort(entry), () => {
          const shown = entry.includes("@") ? "" : `, ${JSON.stringify(cutText(entry, entryCharsMax))},`
          return `must be host:port pairs with commas between them, and IPv6 in brackets; entry ${at + 1}${shown} is none`
        })
      )
    )
  )

/** An address of this machine. A name that it does not have is told by the system. */
export const ownAddress = (name: string, otherwise: string) =>
  parsed(name, (text) =>
    isIP(text) !== 0 || /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?$/i.test(text)
      ? Either.right(text)
      : Either.left("must be an IP address or the name of a host, without a port or brackets, such as 0.0.0.0 or ::")
  ).pipe(Config.withDefault(otherwise))

const inDigits = (digits: RegExp, text: string): number => (digits.test(text.trim()) ? Number(text) : Number.NaN)
const units = (of: string): string => (of === "" ? "" : ` of ${of}`)

/** A number of `of`, which is its unit. */
export const number = (name: string, least: number, most: number, of = "") =>
  parsed(name, (text) => {
    const value = inDigits(/^-?(?:\d+\.?\d*|\.\d+)$/, text)
    const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`
    return value >= least && value <= most ? Either.right(value) : Either.left(`must be a number${units(of)} ${range}`)
  })

export const atLeast = (name: string, least: number, otherwise: number, of = "") =>
  Config.withDefault(number(name, least, Number.POSITIVE_INFINITY, of), otherwise)

/** A whole number of `of`, which is its unit. `why` tells more about the bounds. */
export const wholeFrom = (name: string, least: number, most: number, of = "", why = "") =>
  parsed(name, (text) => {
    const value = inDigits(/^-?\d+$/, text)
    return value >= least && value <= most
      ? Either.right(value)
      : Either.left(`must be a whole number${units(of)} from ${least} to ${most}${why}`)
  })

export const whole = (name: string, least: number, most: number, otherwise: number, of = "") =>
  Config.withDefault(wholeFrom(name, least, most, of), otherwise)

/** One of these words. */
export const word = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  parsed(name, (text) =>
    Either.fromNullable(
      words.find((each) => each === text),
      () => `must be ${words.length === 1 ? "" : "one of "}${words.join(", ")}`
    )
  )

export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>, otherwise: NoInfer<Word>) =>
  word(name, words).pipe(Config.withDefault<Word>(otherwise))

const switches: ReadonlyMap<string, boolean> = new Map([
  ...["on", "true", "yes", "1"].map((text) => [text, true] as const),
  ...["off", "false", "no", "0"].map((text) => [text, false] as const)
])

export const onOff = (name: string, otherwise: boolean) =>
  parsed(name, (text) => Either.fromNullable(switches.get(text), () => "must be on or off")).pipe(
    Config.withDefault(otherwise)
  )

/** The same, where an empty text counts as not set. */
export const nonEmpty = <A>(name: string, parse: (text: string) => Either.Either<A, string>): Config.Config<A> =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((text) => Either.mapLeft(parse(text), (problem) => ConfigError.InvalidData([], problem)))
  )

/** Dollars, as a person types them. */
export const amount = (name: string) => nonEmpty(name, typedAmount)

/** An address of http or https that others may see: links are made from it, and it is shown. */
export const address = (name: string) =>
  nonEmpty(name, (text) => {
    const url = readUrl(text)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
      return Either.left("must be an http or https address, such as https://gateway.example.com")
    if (url.username !== "" || url.password !== "") return Either.left("must hold no user name and no password")
    return /[?#]/.test(url.href) ? Either.left("must have no query and no fragment") : Either.right(url)
  })

/** What is wrong with several settings at once; null with none. */
export const wrongTogether = (errors: ReadonlyArray<ConfigError.ConfigError>): ConfigError.ConfigError | null => {
  const [first, ...others] = errors
  return first === undefined ? null : others.reduce(ConfigError.And, first)
}

/** Of settings that were read with the mode `validate`: all that are wrong. */
export const allWrong = (found: Readonly<Record<string, Option.Option<ConfigError.ConfigError>>>) =>
  wrongTogether(Object.values(found).flatMap(Option.toArray)) ?? ConfigError.InvalidData([], "A setting is wrong")

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
export const isSecret = (name: string): name is SecretSetting => secretSettings.some((each) => each === name)
/** The secret of the command line as a client. */
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
