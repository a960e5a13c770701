import { Layer } from "effect"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { IdsCounting } from "../../../src/layers/node/IdsCounting.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { TopUpsMemory } from "../../../src/layers/memory/TopUpsMemory.js"
import { WalletDefaults } from "../../../src/layers/accounts/WalletDefaults.js"
import { WalletMemory } from "../../../src/layers/memory/WalletMemory.js"
import { topUpsSuite } from "../../services/TopUps.suite.js"

topUpsSuite("TopUpsMemory", (policy) =>
  TopUpsMemory(policy).pipe(
    Layer.provideMerge(Layer.merge(WalletMemory, AccountsMemory)),
    Layer.provide([IdsCounting, MemoryStorageLayer, Layer.succeed(WalletDefaults, { inflightLimit: 8 })])
  )
)
