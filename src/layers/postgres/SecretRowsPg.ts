/** Connections and platform keys as rows of Postgres. */
import { Effect, Layer } from "effect"
import { SecretRows } from "../secrets/SecretRows.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { authorizationRows } from "./secrets/AuthorizationRowsPg.js"
import { connectionRows } from "./secrets/ConnectionRowsPg.js"
import { platformKeyRows } from "./secrets/PlatformKeyRowsPg.js"
import { sealRows } from "./secrets/SealRowsPg.js"
import { tokenRenewals } from "./secrets/TokenRenewalsPg.js"

export const SecretRowsPg: Layer.Layer<SecretRows, never, Database> = Layer.effect(
  SecretRows,
  Effect.gen(function* () {
    const database = yield* Database
    const databaseNow = yield* DatabaseNow
    return SecretRows.of({
      ...connectionRows(database),
      ...authorizationRows(database),
      ...tokenRenewals(database, databaseNow),
      ...platformKeyRows(database),
      ...sealRows(database, databaseNow)
    })
  })
)
