/**
 * A node that stands still beside a healthy one, with calls under way: its main thread is blocked, or all of it is
 * frozen. What it had begun ends with the answer that the provider gave, however late; no run is uncertain whose call
 * was answered, and none is called twice that may not be.
 */
import { Effect } from "effect"
import { audit } from "../stage/Audit.js"
import { insist } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { find, sendMessage } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import { untilQuiet } from "../stage/Quiet.js"
import type { Stage } from "../stage/Stage.js"

interface StallsSize {
  readonly seconds: number
  /** Runs under way on the node at each stall, half of them with an effect. */
  readonly runs: number
}

/** The calls are answered while the node stands still. */
const delayMs = 1_500
const endWithin = "40 seconds"
let keys = 0

const stall = (stage: Stage, kind: "blocked" | "frozen", { runs, seconds }: StallsSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(100_000_000)
      const [still, healthy] = yield* Effect.all([stage.node(findings), stage.node(findings)], { concurrency: 2 })
      const sent = stage.fixture.calls.of("mock-send-message")
      const start = (node: Node, n: number) =>
        insist(findings, () => [node], {
          token: spender.token,
          body: n % 2 === 0 ? sendMessage({ delayMs }) : find({ delayMs }),
          key: `stall ${keys++}`,
          wait: 0
        })
      yield* Effect.forEach(
        Array.from({ length: runs }, (_, n) => n),
        (n) => start(still, n),
        { concurrency: "unbounded" }
      )
      yield* Effect.sleep("300 millis")
      const since = performance.now()
      yield* kind === "blocked" ? still.block(seconds * 1_000) : still.freeze
      // The healthy one works on meanwhile.
      const load = Effect.zipRight(
        Effect.flatMap(
          Effect.sync(() => keys),
          (n) => start(healthy, n)
        ),
        Effect.sleep("200 millis")
      )
      yield* Effect.timeoutOption(Effect.forever(load), seconds * 1_000)
      if (kind === "frozen") yield* still.thaw
      yield* untilQuiet(stage, findings, endWithin, { workspaceId: spender.workspaceId, untilCertain: true })
      const [ended] = yield* stage.rows<{ effects: number; uncertain: number; failed: string | null }>(
        `select count(*) filter (where endpoint_id = 'mock-send-message')::int as effects, count(*) filter (where status = 'reconciliation_pending')::int as uncertain,
         string_agg(distinct error ->> 'code', ', ') filter (where status = 'failed') as failed
       from runs where workspace_id = $1`,
        [spender.workspaceId]
      )
      findings.hold(ended?.uncertain === 0, `${ended?.uncertain} runs are uncertain, and every call was answered`)
      findings.hold(ended?.failed === null, `runs failed: ${ended?.failed}`)
      const calls = stage.fixture.calls.of("mock-send-message") - sent
      findings.hold(calls === ended?.effects, `${ended?.effects} runs with an effect made ${calls} calls`)
      const { astrayMicros, runs: operations } = yield* audit(stage, findings, [spender])
      return {
        attack: `node ${kind} for ${seconds} s`,
        operations,
        faults: 1,
        astrayMicros,
        recoveryMillis: performance.now() - since - seconds * 1_000,
        problems: findings.list()
      }
    })
  )

export const stalls = (stage: Stage, size: StallsSize): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.forEach(["blocked", "frozen"] as const, (kind) => stall(stage, kind, size))
