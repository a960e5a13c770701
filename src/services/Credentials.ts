/**
 * Which key a call may use: the connection that the run names, else the workspace's own connection to that provider,
 * else the platform's key. Secrets leave here only as `Redacted`, for one call. Says what a workspace can run without
 * touching any secret.
 */
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../domain/Ids.js"
import type { ProviderManifest } from "../domain/Manifest.js"
import type { Credential } from "../domain/ProviderCall.js"
import type {
  ConnectionInvalid,
  ConnectionNotFound,
  ConnectionUnusable,
  CredentialDenied,
  CredentialPlacementUnsupported,
  PlatformAuthIncompatible,
  PlatformKeyMissing
} from "../domain/RunFailures.js"
import type { StorageError } from "../domain/StorageErrors.js"

export type CredentialFailure =
  | ConnectionInvalid
  | ConnectionNotFound
  | ConnectionUnusable
  | CredentialDenied
  | CredentialPlacementUnsupported
  | PlatformAuthIncompatible
  | PlatformKeyMissing

export interface ProviderAccess {
  readonly hasPlatformKey: boolean
  readonly hasConnection: boolean
}
/** For which providers keys are there, for one workspace at one moment. */
export interface WorkspaceAccess {
  /** Another one whenever `of` may answer otherwise than before, but for a connection that expires. */
  readonly version: string
  readonly of: (provider: Provider) => ProviderAccess
}

type Provider = Omit<ProviderManifest, "operations">

export class Credentials extends Context.Tag("gateway/services/Credentials")<
  Credentials,
  {
    readonly resolve: (input: {
      readonly workspaceId: WorkspaceId
      readonly provider: Provider
      readonly connectionId: string | null
    }) => Effect.Effect<Credential, CredentialFailure | StorageError>
    /** From memory, as a rule; refreshed within seconds of a change on another node. Null: of nobody's workspace. */
    readonly access: (workspaceId: WorkspaceId | null) => Effect.Effect<WorkspaceAccess>
  }
>() {}
