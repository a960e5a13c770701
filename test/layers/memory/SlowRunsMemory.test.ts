import { slowRunsSuite } from "../../services/SlowRuns.suite.js"
import { storageMemory } from "../../support/engine.js"

slowRunsSuite("Slow runs over memory", storageMemory)
