import { Layer } from "effect"
import { AccountsMemory } from "../../src/layers/AccountsMemory.js"
import { IdsCounting } from "../../src/layers/IdsCounting.js"
import { MemoryStorageLayer } from "../../src/layers/MemoryStorage.js"
import { accountsSuite } from "../services/Accounts.suite.js"

accountsSuite("AccountsMemory", Layer.provide(AccountsMemory, Layer.merge(IdsCounting, MemoryStorageLayer)))
