import { Layer } from "effect"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { accountsSuite } from "../../services/Accounts.suite.js"

accountsSuite("AccountsMemory", Layer.provide(AccountsMemory, Layer.merge(IdsCounting, MemoryStorageLayer)))
