import { Layer } from "effect"
import { reconciliationSuite } from "../../services/Reconciliation.suite.js"
import { storageMemory, storagePg } from "../../support/engine.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

reconciliationSuite("Reconciliation over memory", storageMemory)
reconciliationSuite("Reconciliation over Postgres", Layer.provide(storagePg, sharedDatabase()))
