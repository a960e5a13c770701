import { storageMemory } from "../../support/engine.js"
import { runsSuite } from "../../services/Runs.suite.js"

runsSuite("Runs over memory", storageMemory)
