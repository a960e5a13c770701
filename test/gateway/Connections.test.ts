/** A connection over HTTP: the node that took it shows at once what it opens. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../support/gateway.js"

it.scopedLive("a connection shows in the catalog with its answer, and so does its end", () =>
  Effect.gen(function* () {
    const { call, funded } = yield* startGateway()
    const { token } = yield* funded(0)
    const listed = (etag: string) =>
      call("GET", "/v1/catalog/endpoints?provider=hunter", { token, headers: { "if-none-match": etag } })
    const accesses = (rows: ReadonlyArray<{ readonly access: string }>) => [
      ...new Set(rows.map(({ access }) => access))
    ]
    const before = yield* listed('"none"')
    assert.deepStrictEqual(accesses(before.json.endpoints), ["needs_your_account"])
    const made = yield* call("POST", "/v1/connections", {
      token,
      body: { providerId: "hunter", label: "mine", secret: "hunter-key-0123456789" }
    })
    assert.strictEqual(made.status, 201, made.text)
    const after = yield* listed(before.headers.get("etag") ?? "")
    assert.deepStrictEqual([after.status, accesses(after.json.endpoints)], [200, ["runs_now"]])
    yield* call("DELETE", `/v1/connections/${made.json.connectionId}`, { token })
    const ended = yield* listed(after.headers.get("etag") ?? "")
    assert.deepStrictEqual([ended.status, accesses(ended.json.endpoints)], [200, ["needs_your_account"]])
  })
)
