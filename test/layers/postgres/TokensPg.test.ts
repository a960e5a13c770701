import { Layer } from "effect"
import { tokensSuite } from "../../services/Tokens.suite.js"
import { storagePgByClock } from "../../support/engine.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

tokensSuite("Tokens in Postgres", Layer.provide(storagePgByClock, sharedDatabase()))
