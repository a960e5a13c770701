import { Layer } from "effect"
import { searchUsesSuite } from "../../services/SearchUses.suite.js"
import { storagePgByClock } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"

searchUsesSuite("Learning from use in Postgres", Layer.provide(storagePgByClock, testDatabase()))
