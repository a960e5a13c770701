import { Layer } from "effect"
import { slowRunsSuite } from "../../services/SlowRuns.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

slowRunsSuite("Slow runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
