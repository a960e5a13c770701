/** What `Secrets.ts` composes, over the rows of Postgres. */
import { Layer } from "effect"
import type { Ids } from "../../services/Ids.js"
import type { Sealing } from "../../services/Sealing.js"
import { AuditTrailPg } from "../postgres/AuditTrailPg.js"
import type { Database } from "../postgres/Database.js"
import { SecretRowsPg } from "../postgres/SecretRowsPg.js"
import { AuthorizationServersHttp } from "../providers/AuthorizationServersHttp.js"
import { KeysChangedUnheard } from "../secrets/KnownKeys.js"
import { type Secrets, SecretsBetween, Stored, type StoredSecrets } from "./Secrets.js"

const RowsPg = Layer.merge(SecretRowsPg, AuditTrailPg)

/** With these hosts opened in the egress guard. */
export const SecretsPg = (egressAllow: ReadonlyArray<string>): Layer.Layer<Secrets, never, Database | Sealing | Ids> =>
  SecretsBetween.pipe(Layer.provideMerge(AuthorizationServersHttp({ egressAllow })), Layer.provide(RowsPg))

/** The same for a process that calls no provider, which so need not know all keys. */
export const StoredSecretsPg = (
  egressAllow: ReadonlyArray<string>
): Layer.Layer<StoredSecrets, never, Database | Sealing | Ids> =>
  Stored.pipe(
    Layer.provide(KeysChangedUnheard),
    Layer.provideMerge(AuthorizationServersHttp({ egressAllow })),
    Layer.provide(RowsPg)
  )
