/**
 * Everything that stands on stored secrets, over either storage: connections, platform keys, their rotation, and the
 * credentials of calls.
 */
import { Layer } from "effect"
import type { AuditTrail } from "../../services/AuditTrail.js"
import type { Connections } from "../../services/Connections.js"
import type { Credentials } from "../../services/Credentials.js"
import type { Ids } from "../../services/Ids.js"
import type { PlatformKeys } from "../../services/PlatformKeys.js"
import type { Sealing } from "../../services/Sealing.js"
import type { SecretRotation } from "../../services/SecretRotation.js"
import { ConnectionsSealed } from "../secrets/ConnectionsSealed.js"
import { CredentialsStored } from "../secrets/CredentialsStored.js"
import { AuditTrailPg } from "../postgres/AuditTrailPg.js"
import type { Database } from "../postgres/Database.js"
import { PlatformKeysSealed } from "../secrets/PlatformKeysSealed.js"
import { KnownKeysLayer } from "../secrets/KnownKeys.js"
import type { SecretRows } from "../secrets/SecretRows.js"
import { SecretRowsMemory } from "../memory/SecretRowsMemory.js"
import { SecretRowsPg } from "../postgres/SecretRowsPg.js"
import { SecretRotationSealed } from "../secrets/SecretRotationSealed.js"

export type Secrets = Connections | PlatformKeys | SecretRotation | Credentials

/** Over rows that somebody else chose. */
export const SecretsOver: Layer.Layer<Secrets, never, SecretRows | Sealing | Ids | AuditTrail> = CredentialsStored.pipe(
  Layer.provideMerge(Layer.mergeAll(ConnectionsSealed, PlatformKeysSealed, SecretRotationSealed)),
  Layer.provide(KnownKeysLayer)
)

export const SecretsPg: Layer.Layer<Secrets, never, Database | Sealing | Ids> = Layer.provide(
  SecretsOver,
  Layer.merge(SecretRowsPg, AuditTrailPg)
)
export const SecretsMemory: Layer.Layer<Secrets, never, Sealing | Ids | AuditTrail> = Layer.provide(
  SecretsOver,
  SecretRowsMemory
)
