/** What is left of the balance and of each limit, over HTTP on the whole gateway: in one place, and on runs. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, FastCheck, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { Accounts } from "../../src/services/Accounts.js"
import { eventually } from "../support/eventually.js"
import { startGateway } from "../support/gateway.js"

const wishes = FastCheck.array(
  FastCheck.record({
    outcome: FastCheck.constantFrom("hit", "miss", "error", "refused"),
    key: FastCheck.nat(6),
    limited: FastCheck.boolean(),
    wait: FastCheck.boolean()
  }),
  { minLength: 40, maxLength: 40 }
)

it.scopedLive(
  "the headers of a run say what the limits and the balance say, and every limit is told with what is left of it",
  () =>
    Effect.gen(function* () {
      const { call, funded, services } = yield* startGateway({ rateBurst: 5_000, ratePerSecond: 1 })
      const { token, workspaceId } = yield* funded(1_000_000)
      const accounts = Context.get(services, Accounts)
      const monthlyLimitMicros = Micros.make(400_000)
      const limited = yield* accounts.createToken(
        { workspaceId, label: "limited", scopes: ["runs:execute"], monthlyLimitMicros, expiresAt: null },
        commandLine
      )
      const told = (path: string, as = token) => Effect.map(call("GET", path, { token: as }), ({ json }) => json)

      const before = yield* told("/v1/limits")
      assert.deepStrictEqual(before, {
        balance: { availableMicros: 1_000_000, reservedMicros: 0 },
        key: { limitMicros: null, spentMicros: 0, remainingMicros: null, resetsAt: null },
        inflight: { now: 0, limit: 8 },
        runsPerMinute: null,
        requests: { burst: 5_000, remaining: 4_999, refillPerSecond: 1 },
        budgets: []
      })
      yield* accounts.setLimits(workspaceId, { inflightLimit: 5, runsPerMinute: 1_000 }, commandLine)

      const [sequence = []] = FastCheck.sample(wishes, { numRuns: 1, seed: 7 })
      let replays = 0
      for (const { key, limited: withLimit, outcome, wait } of sequence) {
        const as = withLimit ? Redacted.value(limited.token) : token
        const { headers, json, status } = yield* call("POST", `/v1/runs${wait ? "?wait=true" : ""}`, {
          token: as,
          body: {
            endpointId: outcome === "refused" ? "no-such-tool" : "mock-email-find",
            input: { name: "Ada Example", domain: "example.com", _mock: { outcome } }
          },
          headers: { "idempotency-key": `${outcome} ${withLimit} ${key}` }
        })
        assert.strictEqual(status, 201)
        // What runs on at the provider settles at any time.
        if (json.status === "running" || json.status === "queued") {
          assert.match(headers.get("x-balance-micros") ?? "", /^\d+$/)
          yield* eventually(call("GET", `/v1/runs/${json.runId}`, { token }), (seen) => seen.json.completedAt !== null)
          continue
        }
        const said = headers.get("x-balance-micros")
        if (json.replayed) replays++
        const limits = yield* told("/v1/limits", as)
        assert.strictEqual(said, String((yield* told("/v1/balance")).availableMicros))
        assert.strictEqual(said, String(limits.balance.availableMicros))
        assert.strictEqual(headers.get("x-key-remaining-micros"), withLimit ? String(limits.key.remainingMicros) : null)
      }
      assert.isAbove(replays, 0)

      const after = yield* told("/v1/limits", Redacted.value(limited.token))
      assert.isAbove(after.key.spentMicros, 0)
      assert.deepStrictEqual(
        [after.key.limitMicros, after.key.remainingMicros],
        [monthlyLimitMicros, monthlyLimitMicros - after.key.spentMicros]
      )
      const now = new Date()
      assert.strictEqual(
        after.key.resetsAt,
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
      )
      assert.deepStrictEqual(after.inflight, { now: 0, limit: 5 })
      assert.strictEqual(after.runsPerMinute.limit, 1_000)
      assert.isBelow(after.runsPerMinute.remaining, 1_000)
      assert.isAtMost(Date.parse(after.runsPerMinute.resetsAt), Date.now() + 61_000)
      const refused = yield* call("GET", "/v1/limits")
      assert.deepStrictEqual([refused.status, refused.json.error.code], [401, "unauthorized"])
    }),
  60_000
)
