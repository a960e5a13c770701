import { Layer } from "effect"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { runsSuite } from "../../services/Runs.suite.js"

runsSuite("Runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 20 })))
