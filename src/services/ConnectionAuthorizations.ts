/**
 * How a workspace connects the account of a user at a provider with OAuth 2. It begins with a link. The person who
 * opens the link goes to the provider in their browser, and comes back with a code that becomes a connection. A link
 * works once, for the browser that uses it first. Every node can do each step.
 */
import { Context, Data, type Effect, type Redacted } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { ValidationError } from "../domain/ApiErrors.js"
import type { ConnectionId, WorkspaceId } from "../domain/Ids.js"
import type { Endpoint } from "../domain/Manifest.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { GrantRefused, ServerUnavailable } from "./AuthorizationServers.js"
import type { Connection } from "./Connections.js"

/** The link or the way back is over: used, too old, of another browser, or never made. */
export class AuthorizationOver extends Data.TaggedError("AuthorizationOver") {}

export interface BegunAuthorization {
  /** The connection has this id once the user has agreed. */
  readonly connectionId: ConnectionId
  readonly workspaceId: WorkspaceId
  readonly providerId: string
  readonly label: string
  /** Until then the person must be back. */
  readonly expiresAt: number
}

type Provider = Endpoint["provider"]

export class ConnectionAuthorizations extends Context.Tag("gateway/services/ConnectionAuthorizations")<
  ConnectionAuthorizations,
  {
    /** `link` is the secret of the address that the person opens; it is not kept. */
    readonly begin: (
      input: {
        readonly workspaceId: WorkspaceId
        readonly provider: Provider
        readonly label: string
        readonly expiresAt: number | null
      },
      by: Actor
    ) => Effect.Effect<
      BegunAuthorization & { readonly link: Redacted.Redacted<string> },
      ValidationError | StorageError
    >
    readonly begun: (
      link: Redacted.Redacted<string>
    ) => Effect.Effect<BegunAuthorization, AuthorizationOver | StorageError>
    /**
     * Where to send this browser, which has the link for itself from now on. `redirectUri` is where the provider sends
     * it back to.
     */
    readonly leave: (
      link: Redacted.Redacted<string>,
      going: {
        readonly provider: Provider
        readonly browser: Redacted.Redacted<string>
        readonly redirectUri: string
      }
    ) => Effect.Effect<URL, AuthorizationOver | StorageError>
    /**
     * Makes the connection. `callback` is the address with which the browser came back: `redirectUri` and what the
     * provider added. The link is used up, whatever comes of it.
     */
    readonly finish: <E>(
      browser: Redacted.Redacted<string>,
      callback: URL,
      providerOf: (providerId: string) => Effect.Effect<Provider | null, E>
    ) => Effect.Effect<Connection, AuthorizationOver | GrantRefused | ServerUnavailable | StorageError | E>
  }
>() {}
