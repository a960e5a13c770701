import { runTakeoversSuite } from "../../services/RunTakeovers.suite.js"
import { storageMemory } from "../../support/engine.js"

runTakeoversSuite("Takeovers of runs over memory", storageMemory)
