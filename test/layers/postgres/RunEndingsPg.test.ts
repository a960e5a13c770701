import { Layer } from "effect"
import { runEndingsSuite } from "../../services/RunEndings.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

runEndingsSuite("Run endings over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
