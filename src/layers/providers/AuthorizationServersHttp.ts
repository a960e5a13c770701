/**
 * The authorization servers of providers over `openid-client`, which is loaded when it is first needed. Every request
 * of the library goes through the transport of provider calls: egress guard, no redirects, limits of time and size. An
 * answer is first brought into the form of the standard, as the manifest says where its values stand, and of that
 * nothing but the tokens, their end, their scopes and the error code is read.
 */
import { Effect, Either, Layer, Option, Predicate, Redacted, Runtime, Schema } from "effect"
import type * as Client from "openid-client"
import { oauthAnswerBytesMax, oauthMillis, secretCharsMax } from "../../domain/limits/Access.js"
import { member } from "../../domain/Members.js"
import { userAgent } from "../../domain/Product.js"
import {
  AuthorizationServers,
  type GrantedTokens,
  GrantRefused,
  type OAuthClient,
  ServerUnavailable,
  type TokenEndpoint
} from "../../services/AuthorizationServers.js"
import { makeEgress, type Resolve } from "./Egress.js"
import { secondsOf } from "./TokenLife.js"
import { makeTransport, type Transport, type WireAnswer, type WireFailure } from "./Transport.js"

export interface AuthorizationServersOptions {
  /** `host:port` pairs that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /** Name resolution; the system's when absent. */
  readonly resolve?: Resolve
  /** The time limit of one exchange, for tests. */
  readonly timeoutMs?: number
}

const library = Effect.promise(() => import("openid-client"))
const parseJson = Schema.decodeUnknownOption(Schema.parseJson())
const textOf = (value: unknown): string | null => (Predicate.isString(value) && value !== "" ? value : null)
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => (Predicate.isRecord(found) ? member(found, name) : undefined), value)

/** What a token can be that travels in a header. */
const tokenShape = new RegExp(`^[\\x21-\\x7e]{1,${secretCharsMax}}$`)
const tokenOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && tokenShape.test(text) ? text : null
}
/** What RFC 6749 (3.3) allows, and the comma of some. The storage reads it, and takes no NUL there. */
const scopeOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && /^[\x20-\x7e]+$/.test(text) ? text : null
}
/** An error code is shown to people, whatever the provider writes there. */
const wordOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && /^[A-Za-z][\w.-]{0,39}$/.test(text) ? text : null
}

/** The answer in the form of RFC 6749, section 5; other members do not reach the library. */
const standardAnswer = ({ token }: TokenEndpoint, { bytes, status }: WireAnswer): Response => {
  const body = Option.getOrNull(parseJson(bytes.toString("utf8")))
  const accessToken = tokenOf(at(body, token.accessToken))
  if (status >= 200 && status < 300 && accessToken !== null) {
    const refreshToken = tokenOf(at(body, token.refreshToken))
    const expiresIn = secondsOf(at(body, token.expiresIn))
    const scope = scopeOf(at(body, token.scope))
    return Response.json({
      access_token: accessToken,
      token_type: "bearer",
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
      ...(expiresIn === null ? {} : { expires_in: expiresIn }),
      ...(scope === null ? {} : { scope })
    })
  }
  // Some providers say no with 200.
  const error = wordOf(at(body, "error")) ?? wordOf(at(body, "status"))
  if (status >= 200 && status < 300)
    return error === null ? Response.json({}, { status: 200 }) : Response.json({ error }, { status: 400 })
  return Response.json({ error: error ?? "unknown" }, { status: status >= 400 && status < 600 ? status : 502 })
}

/** The errors of RFC 6749, section 5.2, that say something about the gateway and nothing about the user. */
const ofClient: ReadonlySet<string> = new Set([
  "invalid_client",
  "invalid_request",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type"
])
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])

const unavailableFor = ({ reason, word }: WireFailure): ServerUnavailable => {
  switch (reason) {
    case "refused":
      return new ServerUnavailable({ reason: "denied", word })
    case "timeout":
      return new ServerUnavailable({ reason: "timeout", word })
    case "unreachable":
    case "lost":
      return new ServerUnavailable({ reason: "unreachable", word })
    default:
      return new ServerUnavailable({ reason: "unusable", word })
  }
}

/** What an answer with an error says: its status and its code. */
type Verdict = (status: number, error: string | null) => GrantRefused | ServerUnavailable

const refusedOrUnavailable: Verdict = (status, error) => {
  if (status === 429) return new ServerUnavailable({ reason: "busy", word: "429" })
  if (status >= 500 || (error !== null && passing.has(error)))
    return new ServerUnavailable({ reason: "failed", word: String(status) })
  const code = error === "unknown" ? null : error
  return new GrantRefused({ of: status === 401 || (code !== null && ofClient.has(code)) ? "client" : "grant", code })
}

/** A refresh token that works no more: in the words of RFC 6749 (5.2), of GitHub, and of Slack. */
const endsGrant: ReadonlySet<string> = new Set([
  "invalid_grant",
  "bad_refresh_token",
  "invalid_refresh_token",
  "token_expired",
  "token_revoked"
])

/**
 * A renewal is refused for good by these codes alone. A block, a maintenance page or another code may pass, and a grant
 * that was ended for it would be lost to its user.
 */
const renewalRefusedOrUnavailable: Verdict = (status, error) => {
  const said = refusedOrUnavailable(status, error)
  return said._tag === "GrantRefused" && said.of === "grant" && (said.code === null || !endsGrant.has(said.code))
    ? new ServerUnavailable({ reason: "failed", word: said.code ?? String(status) })
    : said
}

/** A provider could send back what it was sent. */
const withoutSecrets = (word: string | null, secrets: ReadonlyArray<string>): string | null =>
  word !== null && secrets.some((secret) => secret.includes(word) || word.includes(secret)) ? null : word

/** What an exception of the library says. `wire` is what the transport said, when the request failed there. */
const failureOf = (
  cause: unknown,
  {
    secrets,
    verdict,
    wire
  }: {
    readonly wire: WireFailure | null
    readonly secrets: ReadonlyArray<string>
    readonly verdict: Verdict
  }
): GrantRefused | ServerUnavailable => {
  if (wire !== null) return unavailableFor(wire)
  const code = Predicate.hasProperty(cause, "code") ? textOf(cause.code) : null
  const status = Predicate.hasProperty(cause, "status") && Predicate.isNumber(cause.status) ? cause.status : 0
  const error = Predicate.hasProperty(cause, "error") ? withoutSecrets(wordOf(cause.error), secrets) : null
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return verdict(status, error)
  if (code === "OAUTH_TIMEOUT") return new ServerUnavailable({ reason: "timeout", word: "deadline" })
  return new ServerUnavailable({ reason: "unusable", word: code ?? "answer" })
}

/** The browser came back with an error, without a code, or from another issuer, and nobody was asked. */
const wrongWayBack = (cause: unknown, secrets: ReadonlyArray<string>): GrantRefused | ServerUnavailable =>
  refusedOrUnavailable(400, Predicate.hasProperty(cause, "error") ? withoutSecrets(wordOf(cause.error), secrets) : null)

const authenticationOf = (client: typeof Client, { clientAuth }: TokenEndpoint, secret: OAuthClient["secret"]) => {
  if (clientAuth === "none" || secret === null) return client.None()
  return clientAuth === "basic"
    ? client.ClientSecretBasic(Redacted.value(secret))
    : client.ClientSecretPost(Redacted.value(secret))
}

/** Without an issuer in the manifest, the name only stands where the library wants one. */
const issuerOf = ({ issuer, tokenUrl }: TokenEndpoint): string => issuer ?? new URL(tokenUrl).origin

const granted = (answer: Client.TokenEndpointResponse): GrantedTokens => ({
  accessToken: Redacted.make(answer.access_token),
  refreshToken: answer.refresh_token === undefined ? null : Redacted.make(answer.refresh_token),
  expiresInSeconds: answer.expires_in ?? null,
  scopes: answer.scope === undefined ? null : answer.scope.split(/[\s,]+/).filter((scope) => scope !== "")
})

const make = (options: AuthorizationServersOptions) =>
  Effect.gen(function* () {
    const transport: Transport = yield* makeTransport(makeEgress(options.egressAllow ?? [], options.resolve))
    const runPromise = Runtime.runPromise(yield* Effect.runtime())
    const timeoutMs = options.timeoutMs ?? oauthMillis

    /** One use of the library, whose requests go through the transport. */
    const using = <A>(
      server: TokenEndpoint & { readonly authorizationUrl?: string },
      { id, secret }: OAuthClient,
      { sent, verdict = refusedOrUnavailable }: { readonly sent: ReadonlyArray<string>; readonly verdict?: Verdict },
      use: (client: typeof Client, configuration: Client.Configuration) => Promise<A>
    ): Effect.Effect<A, GrantRefused | ServerUnavailable> =>
      Effect.flatMap(library, (client) => {
        let wire: WireFailure | null = null
        let asked = false
        const secrets = [...sent, ...(secret === null ? [] : [Redacted.value(secret)])]
        const configuration = new client.Configuration(
          {
            issuer: issuerOf(server),
            token_endpoint: server.tokenUrl,
            ...(server.authorizationUrl === undefined ? {} : { authorization_endpoint: server.authorizationUrl }),
            ...(server.revocationUrl === undefined ? {} : { revocation_endpoint: server.revocationUrl })
          },
          id,
          undefined,
          authenticationOf(client, server, secret)
        )
        // Which addresses may do without TLS is decided where manifests are read.
        client.allowInsecureRequests(configuration)
        // The transport ends the request before.
        configuration.timeout = timeoutMs / 1000 + 5
        configuration[client.customFetch] = async (address, { body, headers, method, signal }) => {
          asked = true
          const url = new URL(address)
          const answer = await runPromise(
            Effect.either(
              transport.exchange(
                {
                  origin: url.origin,
                  method: method === "GET" ? "GET" : "POST",
                  path: url.pathname + url.search,
                  headers: { ...headers, accept: "application/json", "user-agent": userAgent },
                  body: Predicate.isString(body) ? body : body instanceof URLSearchParams ? body.toString() : null
                },
                { timeoutMs, maxBytes: oauthAnswerBytesMax }
              )
            ),
            signal === undefined ? {} : { signal }
          )
          if (Either.isLeft(answer)) {
            wire = answer.left
            return Response.error()
          }
          return address === server.revocationUrl
            ? revocationAnswer(answer.right)
            : standardAnswer(server, answer.right)
        }
        return Effect.tryPromise({
          try: () => use(client, configuration),
          catch: (cause) => (asked ? failureOf(cause, { wire, secrets, verdict }) : wrongWayBack(cause, secrets))
        })
      })

    return AuthorizationServers.of({
      authorizationUrl: Effect.fn("AuthorizationServers.authorizationUrl")(function* (grant, clientId, asked) {
        const client = yield* library
        const challenge =
          grant.pkce === "none"
            ? {}
            : {
                code_challenge: yield* Effect.promise(() =>
                  client.calculatePKCECodeChallenge(Redacted.value(asked.verifier))
                ),
                code_challenge_method: "S256"
              }
        const url = new URL(grant.authorizationUrl)
        const parameters = {
          ...grant.parameters,
          response_type: "code",
          client_id: clientId,
          redirect_uri: asked.redirectUri,
          ...(grant.scopes.length === 0 ? {} : { scope: grant.scopes.join(" ") }),
          state: asked.state,
          ...challenge
        }
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
        return url
      }),
      exchange: Effect.fn("AuthorizationServers.exchange")(function* (grant, oauthClient, came) {
        const callback = new URL(came.callback)
        if (grant.issuer === undefined) callback.searchParams.delete("iss")
        const answer = yield* using(
          grant,
          oauthClient,
          { sent: [Redacted.value(came.verifier)] },
          (client, configuration) =>
            client.authorizationCodeGrant(configuration, callback, {
              expectedState: came.state,
              ...(grant.pkce === "none" ? {} : { pkceCodeVerifier: Redacted.value(came.verifier) })
            })
        )
        return granted(answer)
      }),
      refresh: Effect.fn("AuthorizationServers.refresh")(function* (server, oauthClient, refreshToken) {
        const asking = { sent: [Redacted.value(refreshToken)], verdict: renewalRefusedOrUnavailable }
        const answer = yield* using(server, oauthClient, asking, (client, configuration) =>
          client.refreshTokenGrant(configuration, Redacted.value(refreshToken))
        )
        return granted(answer)
      }),
      revoke: Effect.fn("AuthorizationServers.revoke")(function* (server, oauthClient, token) {
        yield* using(server, oauthClient, { sent: [Redacted.value(token)] }, (client, configuration) =>
          client.tokenRevocation(configuration, Redacted.value(token))
        )
      })
    })
  })

/** Any 2xx confirms. */
const revocationAnswer = ({ bytes, status }: WireAnswer): Response => {
  if (status >= 200 && status < 300) return new Response(null, { status: 200 })
  const error = wordOf(at(Option.getOrNull(parseJson(bytes.toString("utf8"))), "error"))
  return Response.json({ error: error ?? "unknown" }, { status: status >= 400 && status < 600 ? status : 502 })
}

/** Sockets live as long as the layer. */
export const AuthorizationServersHttp = (
  options: AuthorizationServersOptions = {}
): Layer.Layer<AuthorizationServers> => Layer.scoped(AuthorizationServers, make(options))
