import { Layer } from "effect"
import { AccountsMemory } from "../../src/layers/AccountsMemory.js"
import { AccountsPg } from "../../src/layers/AccountsPg.js"
import { IdsCrypto } from "../../src/layers/IdsCrypto.js"
import { LoginApprovalsMemory } from "../../src/layers/LoginApprovalsMemory.js"
import { LoginApprovalsPg } from "../../src/layers/LoginApprovalsPg.js"
import { MemoryStorageLayer } from "../../src/layers/MemoryStorage.js"
import { loginApprovalsSuite } from "../services/LoginApprovals.suite.js"
import { sharedDatabase } from "../support/sharedDatabase.js"

loginApprovalsSuite("LoginApprovalsMemory", Layer.merge(LoginApprovalsMemory, AccountsMemory).pipe(Layer.provide([IdsCrypto, MemoryStorageLayer])))
loginApprovalsSuite("LoginApprovalsPg", Layer.merge(LoginApprovalsPg, AccountsPg).pipe(Layer.provide([IdsCrypto, sharedDatabase()])))
