/**
 * The database fails over to a copy of itself that is some seconds old, while nodes with full queues live on. What
 * waited in the copy may have been called already, so nobody is called for it again; what comes after is worked on as
 * ever.
 */
import { Effect } from "effect"
import { audit } from "../stage/Audit.js"
import { insist } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { find, sendMessage } from "../stage/Mix.js"
import type { OwnPostgres } from "../stage/OwnPostgres.js"
import { untilQuiet } from "../stage/Quiet.js"
import type { Stage } from "../stage/Stage.js"

interface RestoresSize {
  readonly queued: number
}

const delayMs = 400
/** Few enough that most runs wait in the queue. */
const environment = { GATEWAY_DISPATCH_SLOTS: "1" }

export const restores = (stage: Stage, postgres: OwnPostgres, { queued }: RestoresSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(100_000_000)
      const nodes = yield* Effect.all([stage.node(findings, environment), stage.node(findings, environment)], {
        concurrency: 2
      })
      const sent = stage.fixture.calls.of("mock-send-message")
      const calls = () => stage.fixture.calls.of("mock-send-message") - sent
      yield* Effect.forEach(
        Array.from({ length: queued }, (_, n) => n),
        (n) =>
          insist(
            findings,
            () => nodes,
            { token: spender.token, body: sendMessage({ delayMs }), key: `queued ${n}`, wait: 0 },
            n
          ),
        { concurrency: 8 }
      )
      yield* postgres.copy
      yield* untilQuiet(stage, findings, "60 seconds", { workspaceId: spender.workspaceId })
      findings.hold(calls() === queued, `${queued} runs made ${calls()} calls before the storage was restored`)
      const since = performance.now()
      yield* postgres.restore
      yield* insist(findings, () => nodes, { token: spender.token, body: find(), key: "after", wait: 20 })
      const recoveryMillis = performance.now() - since
      const { astrayMicros, runs } = yield* audit(stage, findings, [spender])
      findings.hold(calls() === queued, `${calls() - queued} calls with an effect went out again`)
      const [marked] = yield* stage.rows<{ n: number }>(
        "select count(*)::int as n from runs where workspace_id = $1 and error ->> 'code' = 'runtime_store_replaced_before_dispatch'",
        [spender.workspaceId]
      )
      findings.hold((marked?.n ?? 0) > 0, "the copy had no run that waited: the attack attacked nothing")
      return {
        attack: "fail-over to an older copy",
        operations: runs,
        faults: 1,
        astrayMicros,
        recoveryMillis,
        problems: findings.list()
      }
    })
  )
