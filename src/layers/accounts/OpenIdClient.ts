/**
 * Sign-in through the OpenID provider of the settings, over `openid-client`, which is loaded when it is first needed.
 * The provider's metadata are read at the first sign-in and again after an hour; those that lack an address that a
 * sign-in needs are not kept. The library checks issuer, audience, times, state and nonce. It checks the signature too,
 * with the keys that the provider publishes: a proxy between the gateway and the provider could otherwise make up a
 * person.
 */
import { Clock, Duration, Effect, Layer, Predicate, Redacted } from "effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type * as Client from "openid-client"
import { openIdMillis, openIdTimeoutSeconds } from "../../domain/limits/Access.js"
import { subjectCharsMax } from "../../domain/Member.js"
import { member } from "../../domain/Members.js"
import { readUrl } from "../../domain/Url.js"
import { isLoopback, type OpenIdSettings } from "../node/ConfigGroups.js"
import { OpenId, OpenIdRefused, OpenIdUnreachable } from "../../services/OpenId.js"

const library = Effect.promise(() => import("openid-client"))

/** Answers that say no. Everything else means that the provider could not be asked. */
const refusals: ReadonlySet<string> = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_RESPONSE_BODY_ERROR"
])
const notAccepted = (reason: string) => new OpenIdRefused({ of: "the_answer", reason })
const text = (value: unknown): string | null => (Predicate.isString(value) && value !== "" ? value : null)
const failureOf = (cause: unknown): OpenIdRefused | OpenIdUnreachable => {
  if (!(cause instanceof Error)) return new OpenIdUnreachable({ reason: "unknown" })
  const code = "code" in cause ? text(cause.code) : null
  const status = "status" in cause && Predicate.isNumber(cause.status) ? cause.status : 0
  const error = "error" in cause ? text(cause.error) : null
  const reason = [cause.message, code, error].filter((part) => part !== null).join(", ")
  if (code === null || !refusals.has(code) || status >= 500) return new OpenIdUnreachable({ reason })
  // RFC 6749: what providers say where the person presses "Cancel" (4.1.2.1), and of a code that was used (5.2).
  if (error === "access_denied") return new OpenIdRefused({ of: "the_person", reason })
  return error === "invalid_grant" ? new OpenIdRefused({ of: "the_browser", reason }) : notAccepted(reason)
}
/** Addresses that a sign-in needs. The document of a provider that is being set up may lack them. */
const neededAddresses = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const
const isWebAddress = (address: string | undefined): boolean => /^https?:$/.test(readUrl(address ?? "")?.protocol ?? "")

const asking = <A>(ask: () => Promise<A>) => Effect.tryPromise({ try: ask, catch: failureOf })

/** What one sign-in of a browser is made of. Each value is as hard to guess as the browser's secret. */
const partsOf = (browser: Redacted.Redacted<string>, begun: string) => {
  const part = (name: string) =>
    createHmac("sha256", Redacted.value(browser)).update(`openid ${name} ${begun}`).digest("base64url")
  return { state: `${begun}.${part("state")}`, nonce: part("nonce"), verifier: part("verifier") }
}
const sameText = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** When and what for a state was made, `<millis>.<random>`, if this browser made it; the time may be over. */
const begunBy = (
  browser: Redacted.Redacted<string>,
  state: string
): { readonly begun: string; readonly at: number } | null => {
  const begun = state.split(".").slice(0, 2).join(".")
  return sameText(partsOf(browser, begun).state, state) ? { begun, at: Number.parseInt(begun, 36) } : null
}

/** The method that the provider takes; Basic is the one that all take when they say nothing (OpenID Discovery, 3). */
const authentication =
  (client: typeof Client, secret: string): Client.ClientAuth =>
  (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const method = methods.includes("client_secret_basic") ? client.ClientSecretBasic : client.ClientSecretPost
    method(secret)(server, metadata, body, headers)
  }

export const OpenIdClient = (settings: OpenIdSettings): Layer.Layer<OpenId> =>
  Layer.effect(
    OpenId,
    Effect.gen(function* () {
      const discover = Effect.flatMap(library, (client) =>
        asking(() =>
          client.discovery(
            settings.issuer,
            settings.clientId,
            undefined,
            authentication(client, Redacted.value(settings.clientSecret)),
            {
              timeout: openIdTimeoutSeconds,
              execute: [
                client.enableNonRepudiationChecks,
                ...(settings.issuer.protocol === "http:" && isLoopback(settings.issuer)
                  ? [client.allowInsecureRequests]
                  : [])
              ]
            }
          )
        )
      )
      const usable = Effect.filterOrElse(
        discover,
        (config) => neededAddresses.every((name) => isWebAddress(config.serverMetadata()[name])),
        () => new OpenIdUnreachable({ reason: `its metadata name no usable ${neededAddresses.join(", ")}` })
      )
      const [discovered, forget] = yield* Effect.cachedInvalidateWithTTL(usable, Duration.hours(1))
      // A failure is not kept: the next sign-in asks again.
      const configuration = Effect.mapError(
        Effect.tapError(discovered, () => forget),
        ({ reason }) => new OpenIdUnreachable({ reason })
      )

      return OpenId.of({
        issuer: settings.issuer.href,
        begin: Effect.fn("OpenId.begin")(function* (browser, redirectUri) {
          const client = yield* library
          const config = yield* configuration
          const millis = yield* Clock.currentTimeMillis
          const random = yield* Effect.sync(() => randomBytes(16).toString("base64url"))
          const { nonce, state, verifier } = partsOf(browser, `${millis.toString(36)}.${random}`)
          const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(verifier))
          return client.buildAuthorizationUrl(config, {
            redirect_uri: redirectUri,
            scope: settings.scopes.join(" "),
            state,
            nonce,
            code_challenge: challenge,
            code_challenge_method: "S256"
          })
        }),
        finish: Effect.fn("OpenId.finish")(function* (browser, callback) {
          const given = begunBy(browser, callback.searchParams.get("state") ?? "")
          const now = yield* Clock.currentTimeMillis
          if (given === null)
            return yield* new OpenIdRefused({ of: "the_browser", reason: "the state is not of this browser" })
          if (given.at + openIdMillis <= now)
            return yield* new OpenIdRefused({ of: "the_browser", reason: "the sign-in took too long" })
          const client = yield* library
          const config = yield* configuration
          const { nonce, state, verifier } = partsOf(browser, given.begun)
          const tokens = yield* asking(() =>
            client.authorizationCodeGrant(config, callback, {
              expectedNonce: nonce,
              expectedState: state,
              pkceCodeVerifier: verifier,
              idTokenExpected: true
            })
          )
          const claims = tokens.claims()
          if (claims === undefined) return yield* notAccepted("there is no ID token")
          // The library looks at it only where there are several audiences (OpenID Connect Core, 3.1.3.7, step 5).
          if (claims.azp !== undefined && claims.azp !== settings.clientId)
            return yield* notAccepted("the ID token was issued to another client")
          if (claims.sub.length > subjectCharsMax)
            return yield* notAccepted(`the subject has more than ${subjectCharsMax} characters`)
          // Some providers give the address only here.
          const more =
            claims["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
              ? yield* asking(() => client.fetchUserInfo(config, tokens.access_token, claims.sub))
              : claims
          const email = text(member(more, "email"))
          return {
            issuer: claims.iss,
            subject: claims.sub,
            email,
            verifiedEmail: member(more, "email_verified") === true ? email : null
          }
        })
      })
    })
  )
