import { Layer } from "effect"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { CapabilityRequestsMemory } from "../../../src/layers/memory/CapabilityRequestsMemory.js"
import { CapabilityRequestsPg } from "../../../src/layers/postgres/CapabilityRequestsPg.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { capabilityRequestsSuite } from "../../services/CapabilityRequests.suite.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

capabilityRequestsSuite(
  "CapabilityRequestsMemory",
  Layer.merge(CapabilityRequestsMemory, AccountsMemory).pipe(Layer.provide([IdsCounting, MemoryStorageLayer]))
)
capabilityRequestsSuite(
  "CapabilityRequestsPg",
  Layer.merge(CapabilityRequestsPg, AccountsPg).pipe(Layer.provide([IdsCrypto, sharedDatabase()]))
)
