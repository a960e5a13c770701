import { pagedRunsSuite } from "../../services/PagedRuns.suite.js"
import { storageMemory } from "../../support/engine.js"

pagedRunsSuite("Paged runs over memory", storageMemory)
