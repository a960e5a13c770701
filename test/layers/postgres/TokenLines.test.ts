import { Layer } from "effect"
import { LoginApprovalsPg } from "../../../src/layers/postgres/LoginApprovalsPg.js"
import { StorageMemory } from "../../../src/layers/compose/MemoryGateway.js"
import { tokenLinesSuite } from "../../services/TokenLines.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

tokenLinesSuite("Token lines in memory", StorageMemory({ inflightLimit: 8 }))
tokenLinesSuite(
  "Token lines over Postgres",
  Layer.provideMerge(LoginApprovalsPg, storagePg).pipe(Layer.provide(testDatabase()))
)
