/**
 * The text that is sealed for a connection to a user's OAuth account: the tokens, and where they may go. A token is
 * used only at the origin, and renewed only at the token address, for which the user gave it. A manifest of the same
 * id with other addresses does not get it.
 */
import type { Option } from "effect"
import { Either, Redacted, Schema } from "effect"
import { type ProviderManifest, UserGrant } from "../../domain/Manifest.js"
import type { GrantedTokens } from "../../services/AuthorizationServers.js"
import type { OAuthFacts } from "../../services/Connections.js"
import { renewalFrom } from "../providers/TokenLife.js"

const StoredGrant = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  refreshToken: Schema.NullOr(Schema.NonEmptyString),
  /** From then on the access token is renewed before it is used; null when the provider does not say when it ends. */
  renewFrom: Schema.NullOr(Schema.Int),
  server: UserGrant.pick("clientAuth", "issuer", "revocationUrl", "token", "tokenUrl"),
  /** Scheme, host and port of the provider, as the manifest writes them. */
  origin: Schema.String
})
export type StoredGrant = typeof StoredGrant.Type

const Text = Schema.parseJson(StoredGrant)
const encode = Schema.encodeSync(Text)
const decode = Schema.decodeOption(Text)

export const grantText = (grant: StoredGrant): Redacted.Redacted<string> => Redacted.make(encode(grant))
export const grantOf = (secret: Redacted.Redacted<string>): Option.Option<StoredGrant> => decode(Redacted.value(secret))

export type OAuthProvider = Pick<ProviderManifest, "auth" | "baseUrl" | "id">

/** The origin as it is written; it may hold variables. */
export const originOf = ({ baseUrl }: Pick<ProviderManifest, "baseUrl">): string =>
  /^https?:\/\/[^/]+/.exec(baseUrl)?.[0] ?? baseUrl

/** The provider's OAuth settings, if they are those for which the user gave the grant. */
export const authOfGrant = (grant: StoredGrant, provider: OAuthProvider): Either.Either<UserGrant, "moved"> =>
  provider.auth.type === "oauth2_authorization_code" &&
  provider.auth.tokenUrl === grant.server.tokenUrl &&
  originOf(provider) === grant.origin
    ? Either.right(provider.auth)
    : Either.left("moved")

/** What is sealed and what may be told of new tokens. A provider that gives no new refresh token keeps the old one. */
export const grantFrom = (
  tokens: GrantedTokens,
  before: Pick<StoredGrant, "origin" | "refreshToken" | "server">,
  asked: ReadonlyArray<string>,
  now: number
): { readonly grant: StoredGrant; readonly facts: OAuthFacts } => {
  const life = tokens.expiresInSeconds === null ? null : tokens.expiresInSeconds * 1000
  const refreshToken = tokens.refreshToken === null ? before.refreshToken : Redacted.value(tokens.refreshToken)
  return {
    grant: {
      accessToken: Redacted.value(tokens.accessToken),
      refreshToken,
      renewFrom: life === null ? null : renewalFrom(now, life),
      server: before.server,
      origin: before.origin
    },
    facts: {
      scopes: tokens.scopes ?? asked,
      accessUntil: life === null ? null : now + life,
      renewable: refreshToken !== null,
      refused: null
    }
  }
}
