import { Layer } from "effect"
import type { BillingPolicy } from "../../../src/domain/TopUp.js"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { TopUpsMemory } from "../../../src/layers/memory/TopUpsMemory.js"
import { WalletDefaults } from "../../../src/layers/accounts/WalletDefaults.js"
import { WalletMemory } from "../../../src/layers/memory/WalletMemory.js"
import { automaticTopUpsSuite } from "../../services/AutomaticTopUps.suite.js"
import { topUpReportsSuite } from "../../services/TopUpReports.suite.js"
import { topUpsSuite } from "../../services/TopUps.suite.js"

const topUps = (policy: BillingPolicy) =>
  TopUpsMemory(policy).pipe(
    Layer.provideMerge(Layer.merge(WalletMemory, AccountsMemory)),
    Layer.provide([IdsCounting, MemoryStorageLayer, Layer.succeed(WalletDefaults, { inflightLimit: 8 })])
  )

topUpsSuite("TopUpsMemory", topUps)
topUpReportsSuite("TopUpReportsMemory", topUps)
automaticTopUpsSuite("AutomaticTopUpsMemory", topUps)
