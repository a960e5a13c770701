/**
 * Settings that are right only together: what one of them needs beside it, and what they may be. `Config.ts` reads them
 * with all others.
 */
import { Config, ConfigError, Either, Option, Redacted } from "effect"
import * as Limits from "../../domain/Limits.js"
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

const missing = (name: string, says: string) => ConfigError.MissingData([name], says)

const webhookSecretsOf = (text: Redacted.Redacted): ReadonlyArray<string> =>
  Redacted.value(text)
    .split(",")
    .map((each) => each.trim())

export const stripe: Config.Config<Option.Option<StripeSettings>> = Config.all({
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
}).pipe(
  Config.mapOrFail(({ apiBase, secretKey, webhookSecret }) => {
    if (Option.isNone(secretKey) && Option.isNone(webhookSecret)) return Either.right(Option.none())
    if (Option.isNone(secretKey) || Option.isNone(webhookSecret)) {
      const [lacking, present] = Option.isNone(secretKey)
        ? ["GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET"]
        : ["GATEWAY_STRIPE_WEBHOOK_SECRET", "GATEWAY_STRIPE_SECRET_KEY"]
      return Either.left(missing(lacking, `is needed beside ${present}: without it no payment works`))
    }
    return Either.right(
      Option.some({
        secretKey: secretKey.value,
        webhookSecrets: webhookSecretsOf(webhookSecret.value).map((text) => Redacted.make(text)),
        apiBase
      })
    )
  })
)

const days = (name: string, least: number, why: string) =>
  Config.option(wholeFrom(name, least, Limits.keptDaysMax, "days", why))
const promised = `: for ${Limits.keyDaysPromised} days a repeated idempotency key is answered with its run`

export const retention: Config.Config<Option.Option<RetentionSettings>> = Config.all({
  history: days("GATEWAY_HISTORY_DAYS", 1, ""),
  result: days("GATEWAY_RESULT_DAYS", Limits.keyDaysPromised, promised),
  run: days("GATEWAY_RUN_DAYS", Limits.keyDaysPromised, promised),
  archiveDir: Config.option(Config.nonEmptyString("GATEWAY_ARCHIVE_DIR"))
}).pipe(
  Config.mapOrFail(({ archiveDir, history, result, run }) => {
    const [resultDays, runDays] = [Option.getOrNull(result), Option.getOrNull(run)]
    const least = Math.min(resultDays ?? Limits.keptDaysMax, runDays ?? Limits.keptDaysMax)
    const historyDays = Option.getOrElse(history, () => Limits.historyDaysDefault)
    const wrong = wrongTogether([
      ...(Option.isSome(archiveDir) && runDays === null
        ? [missing("GATEWAY_RUN_DAYS", "is needed beside GATEWAY_ARCHIVE_DIR: without it no run leaves the database")]
        : []),
      ...(historyDays > least
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
    if (wrong !== null) return Either.left(wrong)
    return Option.isNone(history) && resultDays === null && runDays === null
      ? Either.right(Option.none())
      : Either.right(Option.some({ historyDays, resultDays, runDays, archiveDir: Option.getOrNull(archiveDir) }))
  })
)

/** All of it or nothing: an issuer without a client would offer a sign-in that cannot work. */
export const openId: Config.Config<Option.Option<OpenIdSettings>> = Config.all({
  issuer: Config.option(guardedAddress("GATEWAY_OIDC_ISSUER")),
  clientId: Config.option(Config.nonEmptyString("GATEWAY_OIDC_CLIENT_ID")),
  clientSecret: secret("GATEWAY_OIDC_CLIENT_SECRET"),
  scopes: Config.option(Config.nonEmptyString("GATEWAY_OIDC_SCOPES"))
}).pipe(
  Config.mapOrFail(({ clientId, clientSecret, issuer, scopes }) => {
    if (Option.isNone(issuer) && Option.isNone(clientId) && Option.isNone(clientSecret))
      return Either.right(Option.none())
    if (Option.isNone(issuer) || Option.isNone(clientId) || Option.isNone(clientSecret)) {
      const lacking = [
        ...(Option.isNone(issuer) ? ["ISSUER"] : []),
        ...(Option.isNone(clientId) ? ["CLIENT_ID"] : []),
        ...(Option.isNone(clientSecret) ? ["CLIENT_SECRET"] : [])
      ]
      const wrong = lacking.map((name) =>
        missing(`GATEWAY_OIDC_${name}`, "is needed beside the other GATEWAY_OIDC settings")
      )
      return Either.left(wrongTogether(wrong) ?? missing("GATEWAY_OIDC_ISSUER", "is needed"))
    }
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

/** The database, and the one behind it where it is a pooler. */
export const databases = (production: boolean) =>
  Config.all({ databaseUrl: secret("DATABASE_URL"), listenUrl: secret("GATEWAY_LISTEN_URL") }).pipe(
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
