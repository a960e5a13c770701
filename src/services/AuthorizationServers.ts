/**
 * The authorization servers of providers: where a browser is sent, and where codes and refresh tokens become access
 * tokens. Each method is at most one exchange through the egress guard. Nothing is stored and nothing is repeated here.
 */
import { Context, Data, type Effect, type Redacted } from "effect"
import type { UserGrant } from "../domain/Manifest.js"

/** The gateway as the provider knows it. The secret is null for a client that has none. */
export interface OAuthClient {
  readonly id: string
  readonly secret: Redacted.Redacted<string> | null
}

/** The addresses of a server and how a client speaks to it. */
export type TokenEndpoint = Pick<UserGrant, "clientAuth" | "issuer" | "revocationUrl" | "token" | "tokenUrl">

export interface GrantedTokens {
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken: Redacted.Redacted<string> | null
  /** Null when the provider says nothing of an end. */
  readonly expiresInSeconds: number | null
  /** Null when the provider says nothing: then all that was asked for was granted (RFC 6749, 5.1). */
  readonly scopes: ReadonlyArray<string> | null
}

/** The server said no. `client`: to the gateway; `grant`: to the code or the token of this user. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly of: "client" | "grant"
  /** The error code of RFC 6749 or the provider's own, in printable ASCII; null where there is none. */
  readonly code: string | null
}> {}

/** The server could not be asked, or gave no answer that says yes or no. It may have done what it was asked. */
export class ServerUnavailable extends Data.TaggedError("ServerUnavailable")<{
  readonly reason: "denied" | "unreachable" | "timeout" | "busy" | "failed" | "unusable"
  /** For people; never an address, and of the answer at most its status and its error code, as in `GrantRefused`. */
  readonly word: string
}> {}

type Asked<A> = Effect.Effect<A, GrantRefused | ServerUnavailable>

export class AuthorizationServers extends Context.Tag("gateway/services/AuthorizationServers")<
  AuthorizationServers,
  {
    /** Where to send the browser. */
    readonly authorizationUrl: (
      grant: UserGrant,
      clientId: string,
      asked: { readonly redirectUri: string; readonly state: string; readonly verifier: Redacted.Redacted<string> }
    ) => Effect.Effect<URL>
    /**
     * Takes the code of `callback`, the address with which the browser came back. `GrantRefused` also when the provider
     * sent an error instead of a code, or not the `iss` that the manifest says.
     */
    readonly exchange: (
      grant: UserGrant,
      client: OAuthClient,
      came: { readonly callback: URL; readonly state: string; readonly verifier: Redacted.Redacted<string> }
    ) => Asked<GrantedTokens>
    /** `GrantRefused` of the grant only where the server says that the token works no more: other refusals may pass. */
    readonly refresh: (
      server: TokenEndpoint,
      client: OAuthClient,
      refreshToken: Redacted.Redacted<string>
    ) => Asked<GrantedTokens>
    readonly revoke: (
      server: TokenEndpoint & { readonly revocationUrl: string },
      client: OAuthClient,
      token: Redacted.Redacted<string>
    ) => Asked<void>
  }
>() {}
