/**
 * The rows under connections and platform keys: what a storage must do, and nothing that decides. Secrets come and go
 * sealed.
 */
import { Context, type Effect } from "effect"
import type { Actor } from "../../domain/AuditEntry.js"
import type { ConnectionId, WorkspaceId } from "../../domain/Ids.js"
import type { VariableValues } from "../../domain/Manifest.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Changing } from "../../services/AuditTrail.js"
import type { Connection, OAuthFacts } from "../../services/Connections.js"
import type { PageRequest } from "../../domain/Page.js"
import type { Sealed } from "../../services/Sealing.js"

/** None are kept as nothing, so that a key without variables is what it was before there were any. */
export const givenVariables = (
  variables: VariableValues | null | undefined
): { readonly variables?: VariableValues } =>
  variables === undefined || variables === null || Object.keys(variables).length === 0 ? {} : { variables }

export interface ConnectionRow {
  readonly connection: Connection
  /** Null once it is deleted. */
  readonly sealed: Sealed | null
}

/** An authorization that has begun. */
export interface AuthorizationRow {
  readonly linkDigest: Uint8Array
  readonly workspaceId: WorkspaceId
  readonly connectionId: ConnectionId
  readonly providerId: string
  readonly label: string
  readonly connectionExpiresAt: number | null
  readonly begunBy: Actor
  readonly createdAt: number
  readonly expiresAt: number
}
/** The browser that goes to the provider, and with what. */
export interface Leaving {
  readonly browserDigest: Uint8Array
  readonly stateDigest: Uint8Array
  readonly settingsDigest: Uint8Array
}

export type ConnectionPlace = Pick<Connection, "connectionId" | "workspaceId">

/** A renewal that was claimed: by whom, and what is renewed. */
export interface RenewalClaim {
  readonly holder: string
  readonly before: Sealed
}

export interface PlatformKeyRow {
  readonly providerId: string
  readonly sealed: Sealed
  readonly createdAt: number
  readonly variables?: VariableValues
}

/** Where a sealed secret stands. */
export type SecretPlace =
  | { readonly _tag: "Connection"; readonly workspaceId: WorkspaceId; readonly connectionId: ConnectionId }
  | { readonly _tag: "PlatformKey"; readonly providerId: string }

/** What a secret in a place is sealed for. */
export const aboutOf = (place: SecretPlace): string =>
  place._tag === "Connection" ? `connection/${place.workspaceId}/${place.connectionId}` : `platform/${place.providerId}`

export interface StoredSecret {
  readonly place: SecretPlace
  readonly sealed: Sealed
}

/** When the last connection of a workspace to a provider expires. */
export type LastExpiry = Pick<Connection, "workspaceId" | "providerId" | "expiresAt">

export class SecretRows extends Context.Tag("gateway/layers/SecretRows")<
  SecretRows,
  {
    /** False, and nothing happens, where it is there already: an insert may be repeated. */
    readonly insertConnection: (
      connection: Connection,
      sealed: Sealed
    ) => Effect.Effect<boolean, StorageError, Changing>
    readonly connection: (
      workspaceId: WorkspaceId,
      connectionId: string
    ) => Effect.Effect<ConnectionRow | null, StorageError>
    /**
     * How many a workspace has, without deleted ones. Holds the workspace's lock until the transaction ends, so that
     * whoever counts before an insert is right.
     */
    readonly countConnections: (workspaceId: WorkspaceId) => Effect.Effect<number, StorageError, Changing>
    /** Of those neither deleted nor expired at `now`. One that the provider has refused comes after all others. */
    readonly newestConnection: (
      workspaceId: WorkspaceId,
      providerId: string,
      now: number
    ) => Effect.Effect<ConnectionRow | null, StorageError>
    /** Newest first, one more than the limit where there are more. */
    readonly connections: (
      workspaceId: WorkspaceId,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Connection>, StorageError>
    /** The one that was deleted, with the secret that it had then, or null where there was none. */
    readonly deleteConnection: (
      workspaceId: WorkspaceId,
      connectionId: string,
      now: number
    ) => Effect.Effect<ConnectionRow | null, StorageError, Changing>
    /**
     * Gives the renewal of the tokens to `holder` for so long, unless somebody else has it. `interrupted` says that
     * the one who had it before has not given it back. Null where there is no such connection with tokens, or none
     * any more.
     */
    readonly claimRenewal: (
      place: ConnectionPlace,
      holder: string,
      millis: number
    ) => Effect.Effect<
      { readonly row: ConnectionRow; readonly claimed: boolean; readonly interrupted: boolean } | null,
      StorageError
    >
    /**
     * Stores new tokens, and ends the renewal if it is still the holder's. False, and nothing happens, where it is not
     * and another secret is there than before, or none.
     */
    readonly storeRenewed: (
      place: ConnectionPlace,
      claim: RenewalClaim,
      sealed: Sealed,
      oauth: OAuthFacts
    ) => Effect.Effect<boolean, StorageError>
    /** Ends the renewal without new tokens. */
    readonly endRenewal: (place: ConnectionPlace, holder: string) => Effect.Effect<void, StorageError>
    /**
     * Ends the renewal because the provider refused it. False, and nothing happens, when it is not the holder's any
     * more, or another secret is there than before.
     */
    readonly refuseRenewal: (
      place: ConnectionPlace,
      claim: RenewalClaim,
      oauth: OAuthFacts
    ) => Effect.Effect<boolean, StorageError, Changing>
    /** Forgets those that were over when this one began. */
    readonly insertAuthorization: (row: AuthorizationRow) => Effect.Effect<void, StorageError, Changing>
    /** One that is not over at `now`. */
    readonly authorization: (
      linkDigest: Uint8Array,
      now: number
    ) => Effect.Effect<AuthorizationRow | null, StorageError>
    /** False when it is over, or another browser has left with it. */
    readonly leaveAuthorization: (
      linkDigest: Uint8Array,
      leaving: Leaving,
      now: number
    ) => Effect.Effect<boolean, StorageError>
    /** Takes it away, so that it is used once; null where this browser has not left with this state, or is too late. */
    readonly takeAuthorization: (
      stateDigest: Uint8Array,
      browserDigest: Uint8Array,
      now: number
    ) => Effect.Effect<{ readonly row: AuthorizationRow; readonly settingsDigest: Uint8Array } | null, StorageError>
    /** Answers the one that was there before, or null. */
    readonly putPlatformKey: (row: PlatformKeyRow) => Effect.Effect<PlatformKeyRow | null, StorageError, Changing>
    /** The one that was deleted, or null where there was none. */
    readonly deletePlatformKey: (providerId: string) => Effect.Effect<PlatformKeyRow | null, StorageError, Changing>
    readonly platformKey: (providerId: string) => Effect.Effect<PlatformKeyRow | null, StorageError>
    /** By provider id. */
    readonly platformKeys: Effect.Effect<ReadonlyArray<PlatformKeyRow>, StorageError>
    readonly platformProviders: Effect.Effect<ReadonlyArray<string>, StorageError>
    /**
     * One for each workspace and provider. Connections that are deleted, or that the provider has refused, do not
     * count.
     */
    readonly lastExpiries: (
      workspaceIds: ReadonlyArray<WorkspaceId>
    ) => Effect.Effect<ReadonlyArray<LastExpiry>, StorageError>
    readonly notSealedWith: (keyId: string) => Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>
    /** How many of the nodes that run say which sealing keys they have, and lack this one. */
    readonly nodesWithout: (keyId: string) => Effect.Effect<number, StorageError>
    /** Only where the secret is still the one that was read. */
    readonly replaceSeal: (secret: StoredSecret, sealed: Sealed) => Effect.Effect<boolean, StorageError, Changing>
  }
>() {}
