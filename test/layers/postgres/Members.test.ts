import { Layer } from "effect"
import { AccountsMemory } from "../../../src/layers/memory/AccountsMemory.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MembersMemory } from "../../../src/layers/memory/MembersMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { SessionsMemory } from "../../../src/layers/memory/SessionsMemory.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { AccountsPg } from "../../../src/layers/postgres/AccountsPg.js"
import { AuditTrailPg } from "../../../src/layers/postgres/AuditTrailPg.js"
import { MembersPg } from "../../../src/layers/postgres/MembersPg.js"
import { SessionsPg } from "../../../src/layers/postgres/SessionsPg.js"
import { membersSuite } from "../../services/Members.suite.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

membersSuite(
  "MembersMemory and SessionsMemory",
  Layer.merge(MembersMemory, SessionsMemory).pipe(
    Layer.provideMerge(Layer.merge(AccountsMemory, AuditTrailMemory)),
    Layer.provide([IdsCrypto, MemoryStorageLayer])
  )
)
membersSuite(
  "MembersPg and SessionsPg",
  Layer.merge(MembersPg, SessionsPg).pipe(
    Layer.provideMerge(Layer.merge(AccountsPg, AuditTrailPg)),
    Layer.provide([IdsCrypto, sharedDatabase()])
  )
)
