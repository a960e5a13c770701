import { Layer } from "effect"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { runListsSuite } from "../../services/RunLists.suite.js"

runListsSuite("Lists over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
