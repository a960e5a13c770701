import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ContractStorePg } from "../../../src/layers/postgres/ContractStorePg.js"
import { ContractStore } from "../../../src/services/ContractStore.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

const database = sharedDatabase()

describe("stored contracts", () => {
  it.effect("have none under an id that Postgres cannot hold", () =>
    Effect.gen(function* () {
      const { find } = yield* ContractStore
      assert.isNull(yield* find("a\u0000b", "x"))
    }).pipe(Effect.provide(ContractStorePg), Effect.provide(database))
  )
})
