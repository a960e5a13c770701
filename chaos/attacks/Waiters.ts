/**
 * Hundreds of waiters: none costs a database connection, each is woken by the end of its run, and those who hang up
 * lose none.
 */
import { setMaxListeners } from "node:events"
import { Effect, Option } from "effect"
import { audit } from "../stage/Audit.js"
import { wokenWithinMillis } from "../stage/Bounds.js"
import { ask } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { find } from "../stage/Mix.js"
import type { Stage } from "../stage/Stage.js"

interface WaitersSize {
  readonly runs: number
  readonly waitersOfEach: number
  readonly runMillis: number
}

const busyMax = 4

export const waiters = (stage: Stage, { runMillis, runs, waitersOfEach }: WaitersSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(100_000_000)
      const [here, there] = yield* Effect.all([stage.node(findings), stage.node(findings)], { concurrency: 2 })
      const hangUp = new AbortController()
      setMaxListeners(0, hangUp.signal)
      const numbers = Array.from({ length: runs * waitersOfEach }, (_, index) => index)

      /** Of each run the first waiter made it; a part of the others wait on the other node, and a part hangs up. */
      const waiter = (index: number) => {
        const run = index % runs
        const nth = Math.floor(index / runs)
        const leaves = nth % 5 === 4 || (run % 5 === 4 && nth === 0)
        return Effect.map(
          ask(findings, nth % 2 === 0 ? here : there, "POST", "/v1/runs", {
            token: spender.token,
            body: find({ delayMs: runMillis }),
            key: `waited for ${run}`,
            wait: 20,
            ...(leaves ? { signal: hangUp.signal } : {})
          }),
          (answer) => ({ answer, leaves })
        )
      }
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(runMillis / 2)
        // A connection that a waiter held would be busy at every look; what others do comes and goes.
        let calmest = Infinity
        for (let look = 0; look < 10; look++) {
          const [row] = yield* stage.rows<{ n: number }>(
            "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'provider-gateway' and state <> 'idle' and pid <> pg_backend_pid()"
          )
          calmest = Math.min(calmest, row?.n ?? 0)
          yield* Effect.sleep("20 millis")
        }
        hangUp.abort()
        return calmest
      })
      const [answers, busy] = yield* Effect.all(
        [Effect.forEach(numbers, waiter, { concurrency: "unbounded" }), watch],
        { concurrency: 2 }
      )
      findings.hold(busy <= busyMax, `${numbers.length} waiters kept ${busy} connections busy`)
      const stayed = answers.filter(({ leaves }) => !leaves)
      for (const { answer } of stayed) {
        findings.hold(
          Option.isSome(answer) && answer.value.status === "completed",
          `a waiter was answered ${Option.getOrNull(answer)?.status}`
        )
      }
      const slowest = Math.max(...stayed.map(({ answer }) => Option.getOrNull(answer)?.lateMillis ?? Infinity))
      findings.hold(slowest < wokenWithinMillis, `a waiter was woken ${Math.round(slowest)} ms late`)
      const { astrayMicros, runs: made } = yield* audit(stage, findings, [spender])
      findings.hold(made === runs, `${runs} keys made ${made} runs`)
      return {
        attack: "waiters, a part of whom hang up",
        operations: numbers.length,
        faults: answers.length - stayed.length,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
