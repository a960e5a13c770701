import { Layer } from "effect"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { refusedRunsSuite } from "../../services/RefusedRuns.suite.js"

refusedRunsSuite("Refused runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
