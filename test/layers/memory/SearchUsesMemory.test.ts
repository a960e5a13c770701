import { searchUsesSuite } from "../../services/SearchUses.suite.js"
import { storageMemory } from "../../support/engine.js"

searchUsesSuite("Learning from use in memory", storageMemory)
