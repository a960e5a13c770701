/**
 * Picks the key for a call: the workspace's own connection or the gateway's key. It reads the key from the storage for
 * every call, so that a key that was taken back is not used again. `access`, which the catalog asks, answers from
 * memory (`KnownKeys.ts`), as a rule.
 */
import { Effect, Either, Layer, Option, Redacted } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { Credential } from "../../domain/ProviderCall.js"
import {
  askOperator,
  ConnectionInvalid,
  ConnectionNotFound,
  ConnectionUnusable,
  CredentialDenied,
  PlatformKeyMissing
} from "../../domain/RunFailures.js"
import { AuditTrail } from "../../services/AuditTrail.js"
import { AuthorizationServers } from "../../services/AuthorizationServers.js"
import { Connections, type OpenedConnection } from "../../services/Connections.js"
import { Credentials } from "../../services/Credentials.js"
import { Ids } from "../../services/Ids.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { Sealing } from "../../services/Sealing.js"
import { keyFor, placementUnsupported, variablesFor } from "../providers/KeyPlacement.js"
import { makeAccessTokens } from "./AccessTokens.js"
import { KnownKeys } from "./KnownKeys.js"
import { givenVariables, SecretRows } from "./SecretRows.js"
import { authOfGrant, grantOf, type OAuthProvider } from "./StoredGrant.js"

type Provider = Endpoint["provider"]

const unreadable = new ConnectionUnusable({
  detail: "The gateway cannot read the tokens of this connection.",
  hint: askOperator,
  blames: "gateway"
})
/** The operator has set a key: to say that none is set would send everybody looking for another cause. */
const unusableKey = new PlatformKeyMissing({
  detail: "This operation needs a platform key, and the gateway cannot use its key now.",
  hint: "Ask the operator of this gateway, bring your own connection for this provider, or choose another provider."
})
const moved = new ConnectionInvalid({
  detail:
    "The provider has another address or another OAuth setting in the catalog than when this account was connected.",
  hint: "Connect the account again."
})

/** The platform key of a provider with accounts of users is the OAuth client there, and never goes out in a call. */
const callsWithPlatformKey = ({ auth, platformKey }: Provider): boolean =>
  platformKey && auth.type !== "oauth2_authorization_code"

/** Where a connection to the provider is made: a user connects an account in a browser, or sends a key. */
const routeToConnect = ({ auth }: Provider): string =>
  auth.type === "oauth2_authorization_code" ? "POST /v1/connections/authorizations" : "POST /v1/connections"

/** Refuses a key of the wrong kind before a call is prepared. The call itself finds all other problems of a key. */
const fitting = (provider: Provider, credential: Credential) => {
  const key = Either.flatMap(variablesFor(provider, credential), (values) => keyFor(provider.auth, credential, values))
  return Either.isLeft(key) &&
    (key.left._tag === "connection_invalid" || key.left._tag === "platform_auth_incompatible")
    ? Effect.fail(key.left)
    : Effect.succeed(credential)
}

const make = Effect.gen(function* () {
  const connections = yield* Connections
  const platformKeys = yield* PlatformKeys
  const knownKeys = yield* KnownKeys
  const accessTokensOf = yield* makeAccessTokens({
    rows: yield* SecretRows,
    sealing: yield* Sealing,
    trail: yield* AuditTrail,
    ids: yield* Ids,
    servers: yield* AuthorizationServers,
    platformKeys
  })

  /** The key of a connection, or what renews the tokens of a user's account. The provider is not asked here. */
  const ofConnection = (
    provider: OAuthProvider,
    { connection, secret }: OpenedConnection
  ): Either.Either<Credential, ConnectionInvalid | ConnectionUnusable> => {
    const key = {
      _tag: "Connection",
      connectionId: connection.connectionId,
      ...givenVariables(connection.variables)
    } as const
    if (connection.oauth === null) return Either.right({ ...key, secret })
    return Option.match(grantOf(secret), {
      onNone: () => Either.left(unreadable),
      onSome: (grant) =>
        Either.mapBoth(authOfGrant(grant, provider), {
          onLeft: () => moved,
          onRight: (auth) => ({
            ...key,
            secret: Redacted.make(grant.accessToken),
            accessTokens: accessTokensOf(connection, grant, auth)
          })
        })
    })
  }

  const named = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    provider: OAuthProvider & { readonly ownKey: boolean },
    connectionId: string
  ) {
    const opened = yield* connections.use(workspaceId, connectionId)
    if (opened.connection.providerId !== provider.id)
      return yield* new CredentialDenied({ detail: "This connection belongs to another provider." })
    if (!provider.ownKey)
      return yield* new CredentialDenied({ detail: "This provider cannot be used with a key of your own." })
    return yield* ofConnection(provider, opened)
  })

  return Credentials.of({
    resolve: Effect.fnUntraced(function* ({ connectionId, provider, workspaceId }) {
      // No key of anybody's could be sent.
      if (provider.auth.type === "unsupported") return yield* placementUnsupported(provider.auth)
      if (connectionId !== null)
        return yield* Effect.flatMap(named(workspaceId, provider, connectionId), (found) => fitting(provider, found))
      if (provider.auth.type === "none") return { _tag: "None" } satisfies Credential
      const own = provider.ownKey ? yield* connections.useNewest(workspaceId, provider.id) : null
      if (own !== null) return yield* fitting(provider, yield* ofConnection(provider, own))
      if (!callsWithPlatformKey(provider))
        return yield* new ConnectionNotFound({
          detail: "This provider needs a connection of your own, and there is none.",
          hint: `Make a connection to this provider with ${routeToConnect(provider)}.`
        })
      const key = yield* platformKeys.use(provider.id)
      if (key !== null) return yield* fitting(provider, { _tag: "Platform", ...key })
      return yield* (yield* platformKeys.isSet(provider.id)) ? unusableKey : new PlatformKeyMissing({})
    }),
    access: (workspaceId) =>
      Effect.map(knownKeys.of(workspaceId), ({ hasConnection, hasPlatformKey, version }) => ({
        version,
        of: (provider) => ({
          hasPlatformKey: callsWithPlatformKey(provider) && hasPlatformKey(provider.id),
          hasConnection: provider.ownKey && hasConnection(provider.id)
        })
      }))
  })
})

/** The end of the layer waits for renewals of access tokens, unless they only wait for another node. */
export const CredentialsStored: Layer.Layer<
  Credentials,
  never,
  AuditTrail | AuthorizationServers | Connections | Ids | KnownKeys | PlatformKeys | Sealing | SecretRows
> = Layer.scoped(Credentials, make)
