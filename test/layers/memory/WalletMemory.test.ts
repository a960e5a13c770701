import { walletSuite } from "../../services/Wallet.suite.js"
import { storageMemory } from "../../support/engine.js"

walletSuite("Wallet over memory", storageMemory)
