/**
 * Settings that are right only together: what one of them needs beside it, and what they may be. `Config.ts` reads them
 * with all others. What is missing beside a setting is told also where that setting, or another of them, is wrong.
 */
import { Config, ConfigError, Effect, Either, Option, Redacted } from "effect"
import { historyDaysDefault, keptDaysMax, keyDaysPromised } from "../../domain/limits/Runs.js"
import type { RetentionSettings } from "../../services/Retention.js"
import { address, secret, type SecretSetting, wholeFrom, wrongTogether } from "./ConfigValues.js"

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

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)

/** A secret of a known form. `says` goes on after the name. */
const secretLike = (name: SecretSetting, form: (text: string) => boolean, says: string) =>
  secret(name).pipe(
    Config.mapOrFail((given) =>
      Option.isNone(given) || form(Redacted.value(given.value))
        ? Either.right(given)
        : Either.left(ConfigError.InvalidData([name], says))
    )
  )

/** An address whose traffic nobody can read on its way. */
const guardedAddress = (name: string) =>
  address(name).pipe(
    Config.mapOrFail((url) =>
      url.protocol === "https:" || isLoopback(url)
        ? Either.right(url)
        : Either.left(ConfigError.InvalidData([name], "must be https, or http on loopback"))
    )
  )

/** One of several settings, which can be wrong by itself. */
type Read<A> = Either.Either<Option.Option<A>, ConfigError.ConfigError>

/** Whether it is set, be it right or wrong. */
const isSet = <A>(read: Read<A>): boolean => Either.isLeft(read) || Option.isSome(read.right)
/** Null where it is not set or wrong. */
const valueOf = <A>(read: Read<A>): A | null => Option.getOrNull(Option.flatten(Either.getRight(read)))
const wrongOnes = (reads: ReadonlyArray<Read<unknown>>): ReadonlyArray<ConfigError.ConfigError> =>
  reads.flatMap((read) => (Either.isLeft(read) ? [read.left] : []))

const missing = (name: string, says: string) => ConfigError.MissingData([name], says)

const webhookSecretsOf = (text: Redacted.Redacted): ReadonlyArray<string> =>
  Redacted.value(text)
    .split(",")
    .map((each) => each.trim())

export const stripe: Effect.Effect<Option.Option<StripeSettings>, ConfigError.ConfigError> = Effect.gen(function* () {
  const read = yield* Effect.all(
    {
      secretKey: secretLike(
        "GATEWAY_STRIPE_SECRET_KEY",
        (text) => /^(?:sk|rk)_(?:live|test)_\w+$/.test(text),
        "must be a secret or restricted key of Stripe, such as sk_test_… or rk_live_…"
      ),
      webhookSecret: secretLike(
        "GATEWAY_STRIPE_WEBHOOK_SECRET",
        (text) => webhookSecretsOf(Redacted.make(text)).every((each) => /^whsec_\S+$/.test(each)),
        "must be a signing secret of Stripe, whsec_…, or several with commas between them"
      ),
      apiBase: Config.option(guardedAddress("GATEWAY_STRIPE_API_BASE"))
    },
    { mode: "either" }
  )
  const [lacking, present] = isSet(read.secretKey)
    ? ["GATEWAY_STRIPE_WEBHOOK_SECRET", "GATEWAY_STRIPE_SECRET_KEY"]
    : ["GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET"]
  const wrong = wrongTogether([
    ...wrongOnes(Object.values(read)),
    ...(isSet(read.secretKey) === isSet(read.webhookSecret)
      ? []
      : [missing(lacking, `is needed beside ${present}: without it no payment works`)])
  ])
  if (wrong !== null) return yield* Effect.fail(wrong)
  const [secretKey, webhookSecret] = [valueOf(read.secretKey), valueOf(read.webhookSecret)]
  if (secretKey === null || webhookSecret === null) return Option.none()
  return Option.some({
    secretKey,
    webhookSecrets: webhookSecretsOf(webhookSecret).map((text) => Redacted.make(text)),
    apiBase: Option.fromNullable(valueOf(read.apiBase))
  })
})

const days = (name: string, least: number, why: string) =>
  Config.option(wholeFrom(name, least, keptDaysMax, "days", why))
const promised = `: for ${keyDaysPromised} days a repeated idempotency key is answered with its run`

export const retention: Effect.Effect<Option.Option<RetentionSettings>, ConfigError.ConfigError> = Effect.gen(
  function* () {
    const read = yield* Effect.all(
      {
        history: days("GATEWAY_HISTORY_DAYS", 1, ""),
        result: days("GATEWAY_RESULT_DAYS", keyDaysPromised, promised),
        run: days("GATEWAY_RUN_DAYS", keyDaysPromised, promised),
        archiveDir: Config.option(Config.nonEmptyString("GATEWAY_ARCHIVE_DIR"))
      },
      { mode: "either" }
    )
    const [resultDays, runDays, archiveDir] = [valueOf(read.result), valueOf(read.run), valueOf(read.archiveDir)]
    const least = Math.min(resultDays ?? keptDaysMax, runDays ?? keptDaysMax)
    const historyDays = valueOf(read.history) ?? historyDaysDefault
    const wrong = wrongTogether([
      ...wrongOnes(Object.values(read)),
      ...(archiveDir !== null && !isSet(read.run)
        ? [missing("GATEWAY_RUN_DAYS", "is needed beside GATEWAY_ARCHIVE_DIR: without it no run leaves the database")]
        : []),
      ...(Either.isRight(read.history) && historyDays > least
        ? [
            ConfigError.InvalidData(
              ["GATEWAY_HISTORY_DAYS"],
              `must be at most ${least}, the days after which results or runs leave: they leave out of the history`
            )
          ]
        : []),
      ...(resultDays !== null && runDays !== null && resultDays > runDays
        ? [
            ConfigError.InvalidData(
              ["GATEWAY_RESULT_DAYS"],
              `must be at most GATEWAY_RUN_DAYS, which is ${runDays}: a result leaves with its run`
            )
          ]
        : [])
    ])
    if (wrong !== null) return yield* Effect.fail(wrong)
    return !isSet(read.history) && resultDays === null && runDays === null
      ? Option.none()
      : Option.some({ historyDays, resultDays, runDays, archiveDir })
  }
)

/** All of it or nothing: an issuer without a client would offer a sign-in that cannot work. */
export const openId: Effect.Effect<Option.Option<OpenIdSettings>, ConfigError.ConfigError> = Effect.gen(function* () {
  const { scopes, ...read } = yield* Effect.all(
    {
      issuer: Config.option(guardedAddress("GATEWAY_OIDC_ISSUER")),
      clientId: Config.option(Config.nonEmptyString("GATEWAY_OIDC_CLIENT_ID")),
      clientSecret: secret("GATEWAY_OIDC_CLIENT_SECRET"),
      scopes: Config.option(Config.nonEmptyString("GATEWAY_OIDC_SCOPES"))
    },
    { mode: "either" }
  )
  const names = { issuer: "ISSUER", clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET" } as const
  const lacking = [
    ...(isSet(read.issuer) ? [] : [names.issuer]),
    ...(isSet(read.clientId) ? [] : [names.clientId]),
    ...(isSet(read.clientSecret) ? [] : [names.clientSecret])
  ]
  const nothing = lacking.length === Object.keys(names).length
  const wrong = wrongTogether([
    ...wrongOnes([...Object.values(read), scopes]),
    ...(nothing ? [] : lacking).map((name) =>
      missing(`GATEWAY_OIDC_${name}`, "is needed beside the other GATEWAY_OIDC settings")
    )
  ])
  if (wrong !== null) return yield* Effect.fail(wrong)
  const [issuer, clientId, clientSecret] = [valueOf(read.issuer), valueOf(read.clientId), valueOf(read.clientSecret)]
  if (issuer === null || clientId === null || clientSecret === null) return Option.none()
  const asked = (valueOf(scopes) ?? "openid email").split(/[\s,]+/)
  return Option.some({
    issuer,
    clientId,
    clientSecret,
    scopes: [...new Set(["openid", ...asked.filter((scope) => scope !== "")])]
  })
})

/** Both schemes of Postgres. What stands behind them is read where the connections are made. */
const databaseUrl = (name: "DATABASE_URL" | "GATEWAY_LISTEN_URL") =>
  secretLike(
    name,
    (text) => /^postgres(?:ql)?:\/\//.test(text),
    "must be the address of a Postgres, such as postgres://user@host:5432/database"
  )

/** The database, and the one behind it where it is a pooler. */
export const databases = (production: boolean) =>
  Config.all({ databaseUrl: databaseUrl("DATABASE_URL"), listenUrl: databaseUrl("GATEWAY_LISTEN_URL") }).pipe(
    Config.mapOrFail((urls) => {
      if (Option.isSome(urls.databaseUrl)) return Either.right(urls)
      if (production)
        return Either.left(
          missing(
            "DATABASE_URL",
            "is needed with NODE_ENV=production: then the gateway starts no Postgres of its own. Set it to one (15 or newer)"
          )
        )
      return Option.isNone(urls.listenUrl)
        ? Either.right(urls)
        : Either.left(
            missing(
              "DATABASE_URL",
              "is needed beside GATEWAY_LISTEN_URL: it is the pooler, and the other the database behind it"
            )
          )
    })
  )
