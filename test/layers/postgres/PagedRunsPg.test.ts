import { Layer } from "effect"
import { pagedRunsSuite } from "../../services/PagedRuns.suite.js"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

pagedRunsSuite("Paged runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 10 })))
