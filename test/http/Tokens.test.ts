/** The routes of tokens and of the audit trail, over real accounts in memory. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAccounts } from "../support/accountsGateway.js"

const json = (body: unknown) => ({ body: JSON.stringify(body), headers: { "content-type": "application/json" } })

describe("tokens over HTTP", () => {
  it.scopedLive(
    "are made, listed without their secret, changed, renewed and revoked, and the audit trail says so",
    () =>
      Effect.gen(function* () {
        const { person, send } = yield* startAccounts()
        const { authorization } = yield* person()
        const ask = (method: string, path: string, body?: unknown) => {
          const sent = body === undefined ? { headers: {} } : json(body)
          return send(method, path, { ...sent, headers: { ...sent.headers, authorization } })
        }
        const made = yield* ask("POST", "/v1/tokens", { label: "server", scopes: ["runs.read"], monthlyLimitUsd: 2.5 })
        assert.strictEqual(made.status, 201)
        const { token, tokenId, ...shown } = made.json
        assert.deepInclude(shown, { label: "server", scopes: ["runs:read"], monthlySpendLimitMicros: 2_500_000 })
        const listed = yield* ask("GET", "/v1/tokens")
        assert.notInclude(listed.text, token)
        assert.deepStrictEqual(listed.json.tokens[0].tokenId, tokenId)
        const changed = yield* ask("PATCH", `/v1/tokens/${tokenId}`, { label: "renamed", monthlyLimitUsd: null })
        assert.deepInclude(changed.json, { label: "renamed", monthlySpendLimitMicros: null })

        const asToken = (secret: string) =>
          send("GET", "/v1/whoami", { headers: { authorization: `Bearer ${secret}` } })
        const renewed = yield* ask("POST", `/v1/tokens/${tokenId}/rotate`, { overlapSeconds: 60 })
        assert.strictEqual(renewed.status, 200)
        assert.deepStrictEqual(
          [(yield* asToken(token)).status, (yield* asToken(renewed.json.token)).status],
          [200, 200]
        )
        // The body may be left out: nothing overlaps then.
        const again = yield* ask("POST", `/v1/tokens/${tokenId}/rotate`)
        for (const [secret, status] of [
          [token, 401],
          [renewed.json.token, 401],
          [again.json.token, 200]
        ] as const)
          assert.strictEqual((yield* asToken(secret)).status, status)
        for (let n = 0; n < 2; n++) assert.strictEqual((yield* ask("DELETE", `/v1/tokens/${tokenId}`)).status, 204)
        assert.strictEqual((yield* asToken(again.json.token)).json.error.code, "token_revoked")

        const audit = yield* ask("GET", `/v1/audit?subject=${tokenId}`)
        assert.deepStrictEqual(
          audit.json.entries.map(({ action }: { readonly action: string }) => action),
          ["token.revoked", "token.rotated", "token.rotated", "token.changed", "token.created"]
        )
        assert.deepInclude(audit.json.entries[0].actor, { kind: "token", from: "127.0.0.1" })
        // Moments of a state are written as all others are, and money is not taken for one.
        const { after } = audit.json.entries[0]
        assert.strictEqual(new Date(after.revokedAt).toISOString(), after.revokedAt)
        assert.deepInclude(audit.json.entries.at(-1).after, { monthlyLimitMicros: 2_500_000, expiresAt: null })
        for (const secret of [token, renewed.json.token, again.json.token]) assert.notInclude(audit.text, secret)
        const page = yield* ask("GET", "/v1/audit?limit=2&action=token.rotated")
        assert.deepStrictEqual([page.json.entries.length, page.json.nextCursor], [2, null])
        assert.strictEqual((yield* ask("GET", "/v1/audit?action=token.eaten")).status, 400)
      })
  )

  it.scopedLive(
    "refuse what is too much by name, unknown fields, other workspaces and callers without account:manage",
    () =>
      Effect.gen(function* () {
        const { person, send } = yield* startAccounts()
        const { authorization, tokenId } = yield* person(["account:manage", "runs:read"])
        const other = yield* person()
        const reader = yield* person(["runs:read"])
        const ask = (method: string, path: string, body: unknown, as = authorization) =>
          send(method, path, { ...json(body), headers: { ...json(body).headers, authorization: as } })
        const tooMuch = yield* ask("POST", "/v1/tokens", { label: "x", scopes: ["runs:execute", "runs:read"] })
        assert.deepStrictEqual(
          [tooMuch.status, tooMuch.json.error.code, tooMuch.json.error.details],
          [403, "forbidden", [{ field: "scopes", message: "this token itself lacks runs:execute" }]]
        )
        const unknown = yield* ask("POST", "/v1/tokens", { label: "x", scopes: ["runs:read"], budgetId: "b" })
        assert.deepStrictEqual([unknown.status, unknown.json.error.details[0].field], [400, "budgetId"])
        const wrongScopes: ReadonlyArray<[unknown, string, RegExp]> = [
          [[], "scopes", /^must be a list of at least one of .*runs:read/],
          [["runs:read", "nope"], "scopes.1", /^must be one of .*runs:read/],
          [["operator"], "scopes.0", /^must be one of .*runs:read/],
          [[7], "scopes.0", /^must be text$/],
          ["runs:read", "scopes", /^must be a list$/]
        ]
        for (const [scopes, field, message] of wrongScopes) {
          const wrong = yield* ask("POST", "/v1/tokens", { label: "x", scopes })
          assert.deepStrictEqual([wrong.status, wrong.json.error.details[0].field], [400, field])
          assert.match(wrong.json.error.details[0].message, message)
        }
        for (const overlapSeconds of [-1, 604_801, 1.5])
          assert.strictEqual((yield* ask("POST", `/v1/tokens/${tokenId}/rotate`, { overlapSeconds })).status, 400)
        for (const [method, path] of [
          ["PATCH", ""],
          ["POST", "/rotate"],
          ["DELETE", ""]
        ] as const)
          for (const id of [other.tokenId, "tok_nothing", "%00"])
            assert.strictEqual((yield* ask(method, `/v1/tokens/${id}${path}`, {})).status, 404)
        for (const path of ["/v1/tokens", "/v1/audit"]) {
          const refused = yield* send("GET", path, { headers: { authorization: reader.authorization } })
          assert.deepStrictEqual([refused.status, refused.json.scope], [403, "account:manage"])
        }
      })
  )
})
