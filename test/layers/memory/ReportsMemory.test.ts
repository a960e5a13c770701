import { storageMemory } from "../../support/engine.js"
import { reportsSuite } from "../../services/Reports.suite.js"

reportsSuite("Reports over memory", storageMemory)
