import { Layer } from "effect"
import { SealingForTests } from "../../../src/layers/compose/MemoryGateway.js"
import { SecretsPg } from "../../../src/layers/compose/SecretsOnPostgres.js"
import { CatalogRevisionsPg } from "../../../src/layers/postgres/CatalogRevisionsPg.js"
import { ContractStorePg } from "../../../src/layers/postgres/ContractStorePg.js"
import { ProviderHealthPg } from "../../../src/layers/postgres/ProviderHealthPg.js"
import { ProviderStatesPg } from "../../../src/layers/postgres/ProviderStatesPg.js"
import { auditedChangesSuite } from "../../services/AuditedChanges.suite.js"
import { storagePg } from "../../support/engine.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

const database = sharedDatabase()

auditedChangesSuite(
  "Audited changes in Postgres",
  Layer.provide(storagePg, database),
  Layer.mergeAll(
    Layer.provide(SecretsPg([]), SealingForTests),
    ProviderHealthPg,
    ProviderStatesPg,
    CatalogRevisionsPg.pipe(Layer.provide(ContractStorePg))
  ).pipe(Layer.provide(database))
)
