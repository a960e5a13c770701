import { Clock, Effect, Layer } from "effect"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { TopUpsPg } from "../../../src/layers/postgres/TopUpsPg.js"
import { WalletDefaults } from "../../../src/layers/accounts/WalletDefaults.js"
import { WalletPg } from "../../../src/layers/postgres/WalletPg.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"
import { topUpsSuite } from "../../services/TopUps.suite.js"

const database = sharedDatabase()
topUpsSuite("TopUpsPg", (policy) =>
  TopUpsPg(policy).pipe(
    Layer.provideMerge(Layer.merge(WalletPg, AccountsPg)),
    Layer.provide([
      IdsCrypto,
      database,
      Layer.succeed(WalletDefaults, { inflightLimit: 8 }),
      // Postgres cannot be told what time it is, so its clock is that of the test.
      Layer.succeed(
        DatabaseNow,
        Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
      )
    ])
  )
)
