/**
 * The customers' own keys at providers. A secret goes in and never comes out to a client: only a call takes it, as
 * `Redacted`.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { ConnectionId, WorkspaceId } from "../domain/Ids.js"
import type { VariableValues } from "../domain/Manifest.js"
import type { ConnectionNotFound, ConnectionUnusable } from "../domain/RunFailures.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Page, PageRequest } from "../domain/Page.js"

/** What may be told of the tokens of a user's OAuth account. */
export interface OAuthFacts {
  /** What the provider granted. */
  readonly scopes: ReadonlyArray<string>
  /** When the access token ends; null when the provider does not say. */
  readonly accessUntil: number | null
  /** Whether the gateway can renew the access token. */
  readonly renewable: boolean
  /** Since when, and why, the connection cannot be used any more; null while it can. */
  readonly refused: { readonly at: number; readonly reason: string } | null
}

export interface Connection {
  readonly connectionId: ConnectionId
  readonly workspaceId: WorkspaceId
  readonly providerId: string
  readonly label: string
  readonly createdAt: number
  readonly expiresAt: number | null
  /** What it gives for the variables of the provider's address; absent when it gives nothing. */
  readonly variables?: VariableValues
  /** Null for a connection with a key. */
  readonly oauth: OAuthFacts | null
}

export interface OpenedConnection {
  readonly connection: Connection
  /** The key, or the sealed text of a user's grant. */
  readonly secret: Redacted.Redacted<string>
}

/**
 * What the provider said to the end of a user's grant. `not_offered`: it has no address for that, and the user ends the
 * access in the account there. `unconfirmed`: it could not be asked, or said no. `no_grant`: the connection had a key.
 */
export type Revocation = "confirmed" | "unconfirmed" | "not_offered" | "no_grant"

export class Connections extends Context.Tag("gateway/services/Connections")<
  Connections,
  {
    /** Does not ask the provider whether the secret works, nor whether there is such a provider. */
    readonly create: (
      input: {
        readonly workspaceId: WorkspaceId
        readonly providerId: string
        readonly label: string
        readonly secret: Redacted.Redacted<string>
        readonly expiresAt: number | null
        /** Checked by the caller against the provider's manifest (`Catalog.variablesProblem`). */
        readonly variables?: VariableValues
      },
      by: Actor
    ) => Effect.Effect<Connection, ValidationError | StorageError>
    /** Newest first, without deleted ones; the sort key is the connection id. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<Connection>, StorageError>
    readonly get: (workspaceId: WorkspaceId, connectionId: string) => Effect.Effect<Connection, NotFound | StorageError>
    /**
     * Destroys the secret at once. Runs that name the connection fail with `connection_unusable` from then on. Then the
     * provider is asked once to end a user's grant.
     */
    readonly delete: (
      workspaceId: WorkspaceId,
      connectionId: string,
      by: Actor
    ) => Effect.Effect<Revocation, NotFound | StorageError>
    /**
     * `ConnectionUnusable` when it is deleted, expired or refused by the provider, or (the gateway's fault then) its
     * secret cannot be opened.
     */
    readonly use: (
      workspaceId: WorkspaceId,
      connectionId: string
    ) => Effect.Effect<OpenedConnection, ConnectionNotFound | ConnectionUnusable | StorageError>
    /** The workspace's newest connection to a provider that is neither deleted nor expired; null without one. */
    readonly useNewest: (
      workspaceId: WorkspaceId,
      providerId: string
    ) => Effect.Effect<OpenedConnection | null, ConnectionUnusable | StorageError>
  }
>() {}
