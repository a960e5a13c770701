import { Layer } from "effect"
import { LoginApprovalsPg } from "../../../src/layers/postgres/LoginApprovalsPg.js"
import { TokensPg } from "../../../src/layers/postgres/TokensPg.js"
import { StorageMemory } from "../../../src/layers/compose/MemoryGateway.js"
import { tokenLinesSuite } from "../../services/TokenLines.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

tokenLinesSuite("Token lines in memory", StorageMemory({ inflightLimit: 8 }))
tokenLinesSuite(
  "Token lines over Postgres",
  Layer.provideMerge(Layer.merge(LoginApprovalsPg, TokensPg), storagePg).pipe(Layer.provide(testDatabase()))
)
