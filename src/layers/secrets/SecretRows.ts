/**
 * The rows under connections and platform keys: what a storage must do, and nothing that decides. Secrets come and go
 * sealed.
 */
import { Context, type Effect } from "effect"
import type { ConnectionId, WorkspaceId } from "../../domain/Ids.js"
import type { VariableValues } from "../../domain/Manifest.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Changing } from "../../services/AuditTrail.js"
import type { Connection } from "../../services/Connections.js"
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

export interface StoredAccess {
  readonly platformProviders: ReadonlyArray<string>
  readonly connections: ReadonlyArray<Pick<Connection, "workspaceId" | "providerId" | "expiresAt">>
}

export class SecretRows extends Context.Tag("gateway/layers/SecretRows")<
  SecretRows,
  {
    readonly insertConnection: (connection: Connection, sealed: Sealed) => Effect.Effect<void, StorageError, Changing>
    readonly connection: (
      workspaceId: WorkspaceId,
      connectionId: string
    ) => Effect.Effect<ConnectionRow | null, StorageError>
    /** Of those neither deleted nor expired at `now`. */
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
    /** The one that was deleted, or null where there was none. */
    readonly deleteConnection: (
      workspaceId: WorkspaceId,
      connectionId: string,
      now: number
    ) => Effect.Effect<Connection | null, StorageError, Changing>
    /** Answers the one that was there before, or null. */
    readonly putPlatformKey: (row: PlatformKeyRow) => Effect.Effect<PlatformKeyRow | null, StorageError, Changing>
    /** The one that was deleted, or null where there was none. */
    readonly deletePlatformKey: (providerId: string) => Effect.Effect<PlatformKeyRow | null, StorageError, Changing>
    readonly platformKey: (providerId: string) => Effect.Effect<PlatformKeyRow | null, StorageError>
    /** By provider id. */
    readonly platformKeys: Effect.Effect<ReadonlyArray<PlatformKeyRow>, StorageError>
    readonly access: Effect.Effect<StoredAccess, StorageError>
    readonly notSealedWith: (keyId: string) => Effect.Effect<ReadonlyArray<StoredSecret>, StorageError>
    /** Only where the secret is still the one that was read. */
    readonly replaceSeal: (secret: StoredSecret, sealed: Sealed) => Effect.Effect<boolean, StorageError, Changing>
  }
>() {}
