import { Layer } from "effect"
import { AccountsMemory } from "../../src/layers/AccountsMemory.js"
import { AccountsPg } from "../../src/layers/AccountsPg.js"
import { CapabilityRequestsMemory } from "../../src/layers/CapabilityRequestsMemory.js"
import { CapabilityRequestsPg } from "../../src/layers/CapabilityRequestsPg.js"
import { IdsCounting } from "../../src/layers/IdsCounting.js"
import { IdsCrypto } from "../../src/layers/IdsCrypto.js"
import { MemoryStorageLayer } from "../../src/layers/MemoryStorage.js"
import { capabilityRequestsSuite } from "../services/CapabilityRequests.suite.js"
import { sharedDatabase } from "../support/sharedDatabase.js"

capabilityRequestsSuite("CapabilityRequestsMemory", Layer.merge(CapabilityRequestsMemory, AccountsMemory).pipe(Layer.provide([IdsCounting, MemoryStorageLayer])))
capabilityRequestsSuite("CapabilityRequestsPg", Layer.merge(CapabilityRequestsPg, AccountsPg).pipe(Layer.provide([IdsCrypto, sharedDatabase()])))
