/** What a customer quotes of a run leads an operator to it, in whichever workspace it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Address, Caller, testGateway } from "../../../src/testing.js"
import { signInAsOperator, signInTo } from "../../support/signIn.js"

describe("the page that finds a run", () => {
  it.live("takes the id of a run or of the request that made it, and says it where there is none", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const { principal, token } = yield* Caller
      const operator = yield* signInAsOperator()
      const owner = yield* signInTo(principal.workspaceId, "owner")
      const find = (id: string, { cookie } = operator) =>
        Effect.promise(async () => {
          const answer = await fetch(`${url}/console/operator/runs?id=${encodeURIComponent(id)}`, {
            redirect: "manual",
            headers: { cookie }
          })
          return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() }
        })
      const made = yield* Effect.promise(() =>
        fetch(`${url}/v1/runs?wait=true`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({
            endpointId: "mock-email-find",
            input: { name: "Ada Example", domain: "example.com" },
            idempotencyKey: "k"
          })
        })
      )
      const { runId } = (yield* Effect.promise(() => made.json())) as { readonly runId: string }
      const requestId = made.headers.get("x-request-id") ?? ""
      assert.match(requestId, /^req_/)
      for (const id of [runId, requestId, ` ${requestId} `]) {
        const { location, status } = yield* find(id)
        assert.deepStrictEqual([status, location], [303, `/console/${principal.workspaceId}/runs/${runId}`], id)
      }
      for (const id of [`req_${"0".repeat(26)}`, `run_${"0".repeat(26)}`, "<b>4711"]) {
        const { status, text } = yield* find(id)
        assert.strictEqual(status, 404)
        assert.include(text, "No run has this id")
        assert.include(text, `value="${id.replace("<", "&lt;").replace(">", "&gt;")}"`)
      }
      assert.strictEqual((yield* find("")).status, 200)
      assert.strictEqual((yield* find(runId, owner)).status, 403)
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )
})
