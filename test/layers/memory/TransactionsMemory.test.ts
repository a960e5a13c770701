import { storageMemory } from "../../support/engine.js"
import { transactionsSuite } from "../../services/Transactions.suite.js"

transactionsSuite("Transactions over memory", storageMemory)
