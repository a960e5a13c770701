import { runEndingsSuite } from "../../services/RunEndings.suite.js"
import { storageMemory } from "../../support/engine.js"

runEndingsSuite("Run endings over memory", storageMemory)
