import { Layer } from "effect"
import { runTakeoversSuite } from "../../services/RunTakeovers.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

runTakeoversSuite("Takeovers of runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
