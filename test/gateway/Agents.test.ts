// Agents of a gateway with several nodes: no request needs the node of the one before.
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { overHttp, revisions } from "../support/agents.js"
import { startGateway } from "../support/gateway.js"
import type { Loose } from "../support/httpGateway.js"
import { acquireTestDatabase } from "../support/postgres.js"

const input = { name: "Ada Example", domain: "example.com" }

it.scopedLive(
  "with three nodes over one Postgres, each request to another node, a run is made once and charged once",
  () =>
    Effect.gen(function* () {
      const databaseUrl = Option.some(yield* acquireTestDatabase())
      const nodes = [
        yield* startGateway({ databaseUrl }),
        yield* startGateway({ databaseUrl }),
        yield* startGateway({ databaseUrl })
      ] as const
      const [{ call, funded }] = nodes
      const { token } = yield* funded(1_000_000)
      for (const revision of revisions) {
        let turn = 0
        const seen = new Set<string>()
        const spreading: typeof fetch = (target, init) => {
          const { url } = nodes[turn++ % nodes.length] ?? nodes[0]
          seen.add(url)
          const { pathname } = new URL(String(target instanceof Request ? target.url : target))
          return fetch(url + pathname, init)
        }
        const agent = yield* Effect.promise(() => overHttp(nodes[0].url, token, revision, { fetch: spreading }))
        const ask = (name: string, args: Record<string, unknown>) => Effect.promise(() => agent.call(name, args))
        const args = { endpointId: "job:people.email.find", input, fallback: true, idempotencyKey: `k ${revision}` }
        const quoted = yield* ask("quote_run", { endpointId: args.endpointId, input, fallback: true })
        assert.isTrue(quoted.value.admissible)
        const made = yield* ask("run_operation", args)
        assert.deepInclude(made.value, { status: "completed", outcome: "hit", replayed: false })
        for (let again = 0; again < 3; again++) {
          const replayed = yield* ask("run_operation", args)
          assert.deepInclude(replayed.value, { runId: made.value.runId, replayed: true })
          assert.deepStrictEqual(replayed.value.result, made.value.result)
        }
        const read = yield* ask("get_run", { runId: made.value.runId, fields: ["email"] })
        assert.deepStrictEqual(Object.keys(read.value.result), ["email"])
        const listed = yield* ask("list_runs", { limit: 5 })
        assert.include(
          listed.value.runs.map(({ runId }: Loose) => runId),
          made.value.runId
        )
        const cancelled = yield* ask("cancel_run", { runId: made.value.runId })
        assert.strictEqual(cancelled.value.status, "completed")
        assert.strictEqual(seen.size, 3)
        yield* Effect.promise(() => agent.close())
        const { json } = yield* call("GET", `/v1/ledger?runId=${made.value.runId}`, { token })
        assert.deepStrictEqual(
          json.entries.map(({ kind }: Loose) => kind),
          ["charge", "release", "hold"]
        )
      }
    }),
  120_000
)
