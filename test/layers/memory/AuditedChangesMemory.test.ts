import { Effect, Layer, Stream } from "effect"
import { SealingForTests } from "../../../src/layers/compose/MemoryGateway.js"
import { SecretsMemory } from "../../../src/layers/compose/Secrets.js"
import { ProviderHealthMemory } from "../../../src/layers/memory/ProviderHealthMemory.js"
import { ProviderStatesMemory } from "../../../src/layers/memory/ProviderStatesMemory.js"
import { CatalogRevisions } from "../../../src/services/CatalogRevisions.js"
import { auditedChangesSuite } from "../../services/AuditedChanges.suite.js"
import { storageMemory } from "../../support/engine.js"

const absent = Effect.dieMessage("nothing is published in memory")
const noRevisions = Layer.succeed(
  CatalogRevisions,
  CatalogRevisions.of({
    publish: () => absent,
    latest: absent,
    sequence: absent,
    changes: Stream.never,
    tell: () => absent,
    watch: absent
  })
)

auditedChangesSuite(
  "Audited changes in memory",
  storageMemory,
  Layer.mergeAll(
    Layer.provide(SecretsMemory, SealingForTests),
    ProviderHealthMemory,
    ProviderStatesMemory,
    noRevisions
  ),
  ["CatalogRevisions"]
)
