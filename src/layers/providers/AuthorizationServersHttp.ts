/**
 * The authorization servers of providers over `openid-client`, which is loaded when it is first needed. Every request
 * of the library goes through the transport of provider calls: egress guard, no redirects, limits of time and size. Of
 * an answer, the library sees the tokens alone (`OAuthAnswers.ts`).
 */
import { Effect, Either, Layer, Predicate, Redacted, Runtime } from "effect"
import type * as Client from "openid-client"
import { oauthAnswerBytesMax, oauthMillis } from "../../domain/limits/Access.js"
import { userAgent } from "../../domain/Product.js"
import {
  AuthorizationServers,
  type GrantedTokens,
  type GrantRefused,
  type OAuthClient,
  ServerUnavailable,
  type TokenEndpoint
} from "../../services/AuthorizationServers.js"
import { makeEgress, type Resolve } from "./Egress.js"
import {
  confirmationIn,
  refusedOrUnavailable,
  renewalRefusedOrUnavailable,
  type Said,
  saidIn,
  textOf,
  tokensIn,
  unavailableFor,
  type Verdict,
  withoutSecrets,
  wordOf
} from "./OAuthAnswers.js"
import { makeTransport, type Transport, type WireFailure } from "./Transport.js"

export interface AuthorizationServersOptions {
  /** `host:port` pairs that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /** Name resolution; the system's when absent. */
  readonly resolve?: Resolve
  /** The time limit of one exchange, for tests. */
  readonly timeoutMs?: number
}

const library = Effect.promise(() => import("openid-client"))
/** What an exception of the library says, where no answer says it. */
const failureOf = (cause: unknown): ServerUnavailable => {
  const code = Predicate.hasProperty(cause, "code") ? textOf(cause.code) : null
  return code === "OAUTH_TIMEOUT"
    ? new ServerUnavailable({ reason: "timeout", word: "deadline" })
    : new ServerUnavailable({ reason: "unusable", word: code ?? "answer" })
}

/** The browser came back with an error, without a code, or not from the manifest's issuer, and nobody was asked. */
const wrongWayBack = (cause: unknown): Said => ({
  status: 400,
  error: Predicate.hasProperty(cause, "error") ? wordOf(cause.error) : null
})

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
        let said: Said | null = null
        let asked = false
        const secrets = [...sent, ...(secret === null ? [] : [Redacted.value(secret)])]
        const configuration = new client.Configuration(
          {
            issuer: issuerOf(server),
            // A browser without iss would otherwise pass, whoever sent it (RFC 9207, 2.4).
            authorization_response_iss_parameter_supported: server.issuer !== undefined,
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
          const given = address === server.revocationUrl ? confirmationIn(answer.right) : tokensIn(server, answer.right)
          if (given === null) said = saidIn(answer.right)
          return given ?? Response.error()
        }
        return Effect.tryPromise({
          try: () => use(client, configuration),
          catch: (cause) => {
            if (wire !== null) return unavailableFor(wire)
            const refusal = asked ? said : wrongWayBack(cause)
            if (refusal === null) return failureOf(cause)
            return verdict({ status: refusal.status, error: withoutSecrets(refusal.error, secrets) })
          }
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
        const exchanged = using(
          grant,
          oauthClient,
          { sent: [Redacted.value(came.verifier)] },
          (client, configuration) =>
            client.authorizationCodeGrant(configuration, callback, {
              expectedState: came.state,
              ...(grant.pkce === "none" ? {} : { pkceCodeVerifier: Redacted.value(came.verifier) })
            })
        )
        const fromIssuer = grant.issuer === undefined || callback.searchParams.get("iss") === grant.issuer
        const answer = yield* fromIssuer
          ? exchanged
          : Effect.tapError(exchanged, () =>
              Effect.logWarning("A browser came back from a provider without the iss that its manifest names").pipe(
                Effect.annotateLogs({ issuer: grant.issuer })
              )
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

/** Sockets live as long as the layer. */
export const AuthorizationServersHttp = (
  options: AuthorizationServersOptions = {}
): Layer.Layer<AuthorizationServers> => Layer.scoped(AuthorizationServers, make(options))
