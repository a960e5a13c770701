import { Layer } from "effect"
import { storagePg } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { runAdmissionSuite } from "../../services/RunAdmission.suite.js"

runAdmissionSuite("Admission of runs over Postgres", Layer.provide(storagePg, testDatabase({ connectionsMax: 20 })))
