/**
 * Picks the key for a call: the workspace's own connection or the gateway's key. It reads the key from the storage for
 * every call, so that a key that was taken back is not used again. `access`, which the catalog asks, answers from
 * memory (`KnownKeys.ts`).
 */
import { Effect, Either, Layer } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { Credential } from "../../domain/ProviderCall.js"
import { ConnectionNotFound, CredentialDenied, PlatformKeyMissing } from "../../domain/RunFailures.js"
import { Connections, type OpenedConnection } from "../../services/Connections.js"
import { Credentials } from "../../services/Credentials.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { keyFor, variablesFor } from "../providers/KeyPlacement.js"
import { KnownKeys } from "./KnownKeys.js"
import { givenVariables } from "./SecretRows.js"

type Provider = Endpoint["provider"]

const ofConnection = ({ connection, secret }: OpenedConnection): Credential => ({
  _tag: "Connection",
  connectionId: connection.connectionId,
  secret,
  ...givenVariables(connection.variables)
})

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

  const named = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    providerId: string,
    ownKey: boolean,
    connectionId: string
  ) {
    const opened = yield* connections.use(workspaceId, connectionId)
    if (opened.connection.providerId !== providerId)
      return yield* new CredentialDenied({ detail: "This connection belongs to another provider." })
    if (!ownKey) return yield* new CredentialDenied({ detail: "This provider cannot be used with a key of your own." })
    return ofConnection(opened)
  })

  return Credentials.of({
    resolve: Effect.fnUntraced(function* ({ connectionId, provider, workspaceId }) {
      if (connectionId !== null)
        return yield* Effect.flatMap(named(workspaceId, provider.id, provider.ownKey, connectionId), (found) =>
          fitting(provider, found)
        )
      if (provider.auth.type === "none") return { _tag: "None" } satisfies Credential
      const own = provider.ownKey ? yield* connections.useNewest(workspaceId, provider.id) : null
      if (own !== null) return yield* fitting(provider, ofConnection(own))
      if (!provider.platformKey)
        return yield* new ConnectionNotFound({
          detail: "This provider needs a connection of your own, and there is none."
        })
      const key = yield* platformKeys.use(provider.id)
      return key === null ? yield* new PlatformKeyMissing({}) : yield* fitting(provider, { _tag: "Platform", ...key })
    }),
    access: (workspaceId, provider) =>
      Effect.all({
        hasPlatformKey: provider.platformKey ? knownKeys.hasPlatformKey(provider.id) : Effect.succeed(false),
        hasConnection:
          provider.ownKey && workspaceId !== null
            ? knownKeys.hasConnection(workspaceId, provider.id)
            : Effect.succeed(false)
      })
  })
})

export const CredentialsStored: Layer.Layer<Credentials, never, Connections | PlatformKeys | KnownKeys> = Layer.effect(
  Credentials,
  make
)
