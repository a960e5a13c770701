import { tokensSuite } from "../../services/Tokens.suite.js"
import { storageMemory } from "../../support/engine.js"

tokensSuite("Tokens in memory", storageMemory)
