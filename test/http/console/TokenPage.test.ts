/** The page of a token says what its figures count. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Address, Caller, testGateway } from "../../../src/testing.js"
import { signInTo } from "../../support/signIn.js"

it.live("the spend of a token says that it counts holds and the tokens below, which the overview does not", () =>
  Effect.gen(function* () {
    const { url } = yield* Address
    const { tokenId, workspaceId } = (yield* Caller).principal
    const { cookie } = yield* signInTo(workspaceId, "owner")
    const page = yield* Effect.promise(async () =>
      (await fetch(`${url}/console/${workspaceId}/tokens/${tokenId}`, { headers: { cookie } })).text()
    )
    assert.match(page, /Spent this month<\/dt><dd>.*with what is held for its runs/)
  }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
)
