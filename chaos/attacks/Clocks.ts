/**
 * Nodes whose clocks are wrong, one behind and one ahead, beside one that is right: no run is taken from its node, no
 * window or month is lost.
 */
import { Effect } from "effect"
import { audit } from "../stage/Audit.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { insist } from "../stage/Client.js"
import { find, sendMessage } from "../stage/Mix.js"
import type { Stage } from "../stage/Stage.js"

interface ClocksSize {
  readonly runs: number
}

const skews = [0, -7_000, 3_600_000, 400 * 86_400_000]
/** Other nodes look for leases that are over meanwhile, and by a wrong clock each of these would be. */
const delayMs = 2_500

export const clocks = (stage: Stage, { runs }: ClocksSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(500_000_000)
      const sent = stage.fixture.calls.of("mock-send-message")
      const nodes = yield* Effect.forEach(
        skews,
        (skew) => stage.node(findings, { CHAOS_CLOCK_SKEW_MILLIS: String(skew) }),
        { concurrency: 2 }
      )
      for (const [at, skew] of skews.entries()) {
        const ready = yield* Effect.promise(() =>
          fetch(`${nodes[at]!.origin}/readyz`).then(async (answer) => ({
            status: answer.status,
            text: await answer.text()
          }))
        )
        findings.hold(
          ready.status === (skew === 0 ? 200 : 503),
          `a node that is ${skew} ms off answers /readyz with ${ready.status} ${ready.text}`
        )
      }
      yield* Effect.forEach(
        Array.from({ length: runs }, (_, n) => n),
        (n) =>
          insist(
            findings,
            () => nodes,
            {
              token: spender.token,
              body: n % 2 === 0 ? sendMessage({ delayMs }) : find({ delayMs }),
              key: `clock ${n}`,
              wait: 20
            },
            n
          ),
        { concurrency: 16 }
      )
      const [ended] = yield* stage.rows<{ effects: number; wrong: number; months: string; spread: number }>(
        `select count(*) filter (where endpoint_id = 'mock-send-message')::int as effects, count(*) filter (where status <> 'completed')::int as wrong,
         string_agg(distinct spend_month, ', ') as months, max(abs(extract(epoch from clock_timestamp()) * 1000 - created_at))::bigint as spread
       from runs where workspace_id = $1`,
        [spender.workspaceId]
      )
      findings.hold(ended?.wrong === 0, `${ended?.wrong} runs did not complete`)
      findings.hold(ended?.months.length === 7, `runs of one moment count for ${ended?.months}`)
      findings.hold((ended?.spread ?? Infinity) < 600_000, `a run is ${ended?.spread} ms away from now`)
      const calls = stage.fixture.calls.of("mock-send-message") - sent
      findings.hold(calls === ended?.effects, `${ended?.effects} runs with an effect made ${calls} calls`)
      const { astrayMicros, runs: operations } = yield* audit(stage, findings, [spender])
      return {
        attack: "clocks 7 s behind, 1 h and 400 days ahead",
        operations,
        faults: skews.length - 1,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
