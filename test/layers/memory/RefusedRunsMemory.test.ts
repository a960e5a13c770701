import { storageMemory } from "../../support/engine.js"
import { refusedRunsSuite } from "../../services/RefusedRuns.suite.js"

refusedRunsSuite("Refused runs over memory", storageMemory)
