/** What every CapabilityRequests layer promises. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { describe } from "vitest"
import type { Accounts } from "../../src/services/Accounts.js"
import { CapabilityRequests } from "../../src/services/CapabilityRequests.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const wish = {
  title: "Fax a letter",
  description: "Sends a PDF by fax",
  desiredInputs: "pdf, number",
  desiredOutputs: null,
  idempotencyKey: "k 1"
}

export const capabilityRequestsSuite = (name: string, layer: Layer.Layer<CapabilityRequests | Accounts>) =>
  describe(name, () => {
    const workspace = Effect.map(newWorkspace, ({ workspaceId }) => workspaceId)
    const test = (title: string, work: Effect.Effect<void, unknown, CapabilityRequests | Accounts>) =>
      it.effect(title, () => Effect.provide(work, layer))

    test(
      "a request is open and listed, and the same key answers the same request",
      Effect.gen(function* () {
        const requests = yield* CapabilityRequests
        const workspaceId = yield* workspace
        const [first, second] = yield* Effect.all(
          [requests.create({ workspaceId, ...wish }), requests.create({ workspaceId, ...wish })],
          { concurrency: 2 }
        )
        assert.deepStrictEqual(second, first)
        const { idempotencyKey: _key, ...content } = wish
        assert.deepStrictEqual(first, {
          ...content,
          workspaceId,
          capabilityRequestId: first.capabilityRequestId,
          status: "open",
          createdAt: first.createdAt
        })
        assert.deepStrictEqual(yield* requests.list(workspaceId, { limit: 10, after: null }), {
          items: [first],
          next: null
        })
      })
    )

    test(
      "the same key with any other content is a conflict",
      Effect.gen(function* () {
        const requests = yield* CapabilityRequests
        const workspaceId = yield* workspace
        yield* requests.create({ workspaceId, ...wish })
        for (const other of [{ title: "x" }, { description: "x" }, { desiredInputs: null }, { desiredOutputs: "x" }]) {
          assert.strictEqual(
            (yield* Effect.flip(requests.create({ workspaceId, ...wish, ...other })))._tag,
            "idempotency_conflict"
          )
        }
      })
    )

    test(
      "a workspace sees its own requests, newest first, page by page",
      Effect.gen(function* () {
        const requests = yield* CapabilityRequests
        const workspaceId = yield* workspace
        const other = yield* workspace
        yield* requests.create({ workspaceId: other, ...wish })
        const made = yield* Effect.forEach(["a", "b", "c"], (idempotencyKey) =>
          requests.create({ workspaceId, ...wish, idempotencyKey })
        )
        const first = yield* requests.list(workspaceId, { limit: 2, after: null })
        const second = yield* requests.list(workspaceId, { limit: 2, after: first.next })
        assert.deepStrictEqual([...first.items, ...second.items], made.reverse())
        assert.isNull(second.next)
      })
    )
  })
