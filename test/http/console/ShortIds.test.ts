/** A table that shows the end of an id gives all of it too: filters and the command line take nothing less. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Address, Caller, testGateway } from "../../../src/testing.js"
import { signInAsOperator, signInTo } from "../../support/signIn.js"

const pageOf = (address: string, { cookie }: { readonly cookie: string }) =>
  Effect.promise(async () => (await fetch(address, { headers: { cookie } })).text())

describe("a short id in a table", () => {
  it.live("can be copied whole, of a workspace and of a token", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const { tokenId, workspaceId } = (yield* Caller).principal
      const operator = yield* signInAsOperator()
      const owner = yield* signInTo(workspaceId, "owner")
      for (const path of ["workspaces", "audit"])
        assert.include(
          yield* pageOf(`${url}/console/operator/${path}`, operator),
          `data-copy="${workspaceId}"`,
          `operator/${path}`
        )
      assert.include(yield* pageOf(`${url}/console/${workspaceId}/tokens`, owner), `data-copy="${tokenId}"`)
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )
})
