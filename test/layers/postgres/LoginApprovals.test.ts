import { Clock, Effect, Layer } from "effect"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { LoginApprovalsMemory } from "../../../src/layers/memory/LoginApprovalsMemory.js"
import { LoginApprovalsPg } from "../../../src/layers/postgres/LoginApprovalsPg.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { loginApprovalsSuite } from "../../services/LoginApprovals.suite.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

loginApprovalsSuite(
  "LoginApprovalsMemory",
  Layer.merge(LoginApprovalsMemory, AccountsMemory).pipe(Layer.provide([IdsCrypto, MemoryStorageLayer]))
)
loginApprovalsSuite(
  "LoginApprovalsPg",
  Layer.merge(LoginApprovalsPg, AccountsPg).pipe(
    Layer.provide([IdsCrypto, sharedDatabase()]),
    // Postgres cannot be told what time it is.
    Layer.provide(
      Layer.succeed(
        DatabaseNow,
        Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
      )
    )
  )
)
