import { storageMemory } from "../../support/engine.js"
import { runListsSuite } from "../../services/RunLists.suite.js"

runListsSuite("Lists over memory", storageMemory)
