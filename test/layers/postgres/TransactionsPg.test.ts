import { Layer } from "effect"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { transactionsSuite } from "../../services/Transactions.suite.js"

transactionsSuite("Transactions over Postgres", Layer.provide(storagePg, testDatabase()))
