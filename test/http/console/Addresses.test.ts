/** Addresses under the console: their query as it was sent, and the files whose addresses carry a digest. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAccounts } from "../../support/accountsGateway.js"

describe("the query of an address", () => {
  it.scopedLive("may have further question marks, and is read whole", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts({ runs: { list: () => Effect.succeed({ items: [], next: null }) } })
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const get = (path: string) => gateway.get(path, { authorization: null, headers: { cookie } })
      const own = `/console/${workspaceId}`
      const runs = yield* get(`${own}/runs?job=a?b&provider=mock`)
      assert.strictEqual(runs.status, 200)
      assert.match(runs.text, /name="job"[^>]*value="a\?b"/)
      assert.match(runs.text, /name="provider"[^>]*value="mock"/)
      for (const [path, to] of [
        [`${own}/runs/?job=a?b&provider=mock`, `${own}/runs?job=a?b&provider=mock`],
        [`/console/sign-in?next=${own}/runs?status=failed`, `${own}/runs?status=failed`]
      ] as const)
        assert.strictEqual((yield* get(path)).headers.get("location"), to, path)
    })
  )
})

describe("a file with a digest in its address", () => {
  it.scopedLive("of another version is answered with that of this node, and kept by nobody", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const get = (path: string) => gateway.get(path, { authorization: null })
      const page = (yield* get("/console/sign-in")).text
      for (const [ending, type] of [
        ["css", "text/css; charset=utf-8"],
        ["js", "text/javascript; charset=utf-8"],
        ["svg", "image/svg+xml"]
      ] as const) {
        const [path = ""] = new RegExp(`/console/assets/console-[\\w-]{16}\\.${ending}`).exec(page) ?? []
        const own = yield* get(path)
        const other = yield* get(`/console/assets/console-${"x".repeat(16)}.${ending}`)
        assert.deepStrictEqual([own.status, other.status, other.text], [200, 200, own.text], ending)
        assert.strictEqual(other.headers.get("content-type"), type)
        assert.strictEqual(other.headers.get("cache-control"), "no-store")
        assert.include(own.headers.get("cache-control"), "immutable")
      }
    })
  )

  it.scopedLive("that is none of ours is not found, and told as a page", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      for (const file of [
        "console.css",
        "console-x.css",
        `other-${"x".repeat(16)}.css`,
        `console-${"x".repeat(16)}.map`
      ]) {
        const answer = yield* gateway.get(`/console/assets/${file}`, { authorization: null })
        assert.strictEqual(answer.status, 404, file)
        assert.include(answer.text, "There is no page at this address", file)
      }
    })
  )
})
