/**
 * Everything that stands on stored secrets: connections, platform keys, their rotation, and the credentials of calls,
 * over any storage and in memory. `SecretsOnPostgres.ts` has it on Postgres: the types of the published test gateway
 * must not need those of a driver.
 */
import { Layer } from "effect"
import type { AuditTrail } from "../../services/AuditTrail.js"
import type { AuthorizationServers } from "../../services/AuthorizationServers.js"
import type { ConnectionAuthorizations } from "../../services/ConnectionAuthorizations.js"
import type { Connections } from "../../services/Connections.js"
import type { Credentials } from "../../services/Credentials.js"
import type { Ids } from "../../services/Ids.js"
import type { PlatformKeys } from "../../services/PlatformKeys.js"
import type { Sealing } from "../../services/Sealing.js"
import type { SecretRotation } from "../../services/SecretRotation.js"
import { AuthorizationServersHttp } from "../providers/AuthorizationServersHttp.js"
import { ConnectionAuthorizationsStored } from "../secrets/ConnectionAuthorizationsStored.js"
import { ConnectionsSealed } from "../secrets/ConnectionsSealed.js"
import { CredentialsStored } from "../secrets/CredentialsStored.js"
import { PlatformKeysSealed } from "../secrets/PlatformKeysSealed.js"
import { KnownKeysLayer } from "../secrets/KnownKeys.js"
import type { SecretRows } from "../secrets/SecretRows.js"
import { SecretRowsMemory } from "../memory/SecretRowsMemory.js"
import { SecretRotationSealed } from "../secrets/SecretRotationSealed.js"

/** What changes the keys that are stored. */
export type StoredSecrets =
  AuthorizationServers | ConnectionAuthorizations | Connections | PlatformKeys | SecretRotation
export type Secrets = StoredSecrets | Credentials

/** What changes the keys that are stored, over rows that somebody else chose. */
export const Stored = Layer.provideMerge(
  Layer.mergeAll(ConnectionAuthorizationsStored, ConnectionsSealed, SecretRotationSealed),
  PlatformKeysSealed
)

/** Over rows and authorization servers that somebody else chose. */
export const SecretsBetween: Layer.Layer<
  Exclude<Secrets, AuthorizationServers>,
  never,
  AuditTrail | AuthorizationServers | Ids | Sealing | SecretRows
> = CredentialsStored.pipe(Layer.provideMerge(Stored), Layer.provide(KnownKeysLayer))

/** Over rows that somebody else chose. */
export const SecretsOver: Layer.Layer<Secrets, never, SecretRows | Sealing | Ids | AuditTrail> = Layer.provideMerge(
  SecretsBetween,
  AuthorizationServersHttp()
)

export const SecretsMemory: Layer.Layer<Secrets, never, Sealing | Ids | AuditTrail> = Layer.provide(
  SecretsOver,
  SecretRowsMemory
)
