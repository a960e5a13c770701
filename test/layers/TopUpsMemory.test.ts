import { Layer } from "effect"
import { AccountsMemory } from "../../src/layers/AccountsMemory.js"
import { IdsCounting } from "../../src/layers/IdsCounting.js"
import { MemoryStorageLayer } from "../../src/layers/MemoryStorage.js"
import { TopUpsMemory } from "../../src/layers/TopUpsMemory.js"
import { WalletDefaults } from "../../src/layers/WalletDefaults.js"
import { WalletMemory } from "../../src/layers/WalletMemory.js"
import { topUpsSuite } from "../services/TopUps.suite.js"

topUpsSuite("TopUpsMemory", (policy) =>
  TopUpsMemory(policy).pipe(
    Layer.provideMerge(Layer.merge(WalletMemory, AccountsMemory)),
    Layer.provide([IdsCounting, MemoryStorageLayer, Layer.succeed(WalletDefaults, { inflightLimit: 8 })])
  ))
