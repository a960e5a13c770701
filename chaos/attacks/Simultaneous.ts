/** `npm run chaos simultaneous`: everything at once, over one node or several. The figures must be the same. */
import { Duration, Effect, Option } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { audit } from "../stage/Audit.js"
import { wokenWithinMillis } from "../stage/Bounds.js"
import { ask, insist } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { expectedOf, find, findPinned, mixed, sendMessage } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import { type Stage, whileStorageReturns } from "../stage/Stage.js"

const price = 5_000
const indices = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)
const together = <A>(count: number, work: (index: number) => Effect.Effect<A>) =>
  Effect.forEach(indices(count), work, { concurrency: "unbounded" })

interface SimultaneousSize {
  readonly nodes: number
  readonly mixedRuns: number
  readonly credits: number
}

export const simultaneous = (
  stage: Stage,
  { credits, mixedRuns, nodes: count }: SimultaneousSize
): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const nodes = yield* Effect.forEach(indices(count), () => stage.node(findings), { concurrency: "unbounded" })
      const all = () => nodes
      const at = (index: number): Node => nodes[index % nodes.length] ?? nodes[0]!
      const availableOf = (workspaceId: string) =>
        Effect.map(
          stage.rows<{ micros: number }>("select available_micros as micros from wallets where workspace_id = $1", [
            workspaceId
          ]),
          ([row]) => row?.micros ?? -1
        )

      // One key, 64 times.
      const one = yield* stage.fund(1_000_000)
      const before = stage.fixture.calls.of("mock-email-find")
      const answers = yield* together(64, (index) =>
        insist(findings, all, { token: one.token, body: findPinned({ delayMs: 50 }), key: "one key", wait: 20 }, index)
      )
      findings.hold(new Set(answers.map(({ runId }) => runId)).size === 1, "64 posts of one key made more than one run")
      findings.hold(
        answers.filter(({ replayed }) => replayed === true).length === 63,
        "64 posts of one key were not 1 run and 63 replays"
      )
      findings.hold(
        answers.every(({ status }) => status === "completed"),
        "a replay of a run under way did not wait for its end"
      )
      findings.hold(
        stage.fixture.calls.of("mock-email-find") - before === 1,
        "64 posts of one key made more than one call"
      )
      findings.hold(
        (yield* availableOf(one.workspaceId)) === 1_000_000 - price,
        "64 posts of one key did not cost one run"
      )

      // Funds for ten.
      const poor = yield* stage.fund(10 * price + price - 1)
      const drained = yield* together(20, (index) =>
        insist(
          findings,
          all,
          { token: poor.token, body: findPinned({ delayMs: 100 }), key: `drain ${index}`, wait: 20 },
          index
        )
      )
      findings.hold(
        drained.filter(({ httpStatus }) => httpStatus === 201).length === 10,
        `funds for 10 gave ${drained.filter(({ httpStatus }) => httpStatus === 201).length} runs`
      )
      findings.hold(
        drained.filter(({ error, httpStatus }) => httpStatus === 402 && error?.code === "insufficient_balance")
          .length === 10,
        "10 of 20 were not refused for want of balance"
      )

      // A key that may spend three a month.
      const capped = yield* stage.fund(1_000_000, { monthlyLimitMicros: Micros.make(3 * price) })
      const spent = yield* together(5, (index) =>
        insist(
          findings,
          all,
          { token: capped.token, body: findPinned({ delayMs: 100 }), key: `month ${index}`, wait: 20 },
          index
        )
      )
      findings.hold(
        spent.filter(({ httpStatus }) => httpStatus === 201).length === 3,
        "a month limit for 3 did not give 3 runs"
      )
      findings.hold(
        spent.filter(({ error }) => error?.code === "key_spend_limit_reached").length === 2,
        "a month limit for 3 did not refuse 2 of 5"
      )

      // Credits, each key up to eight times, while runs of the same wallets come and go.
      const shared = yield* Effect.forEach(indices(4), () => stage.fund(3_000_000))
      const credited = together(credits, (index) => {
        const spender = shared[index % shared.length]!
        const credit = stage.wallet.credit(
          {
            workspaceId: spender.workspaceId,
            kind: "adjustment",
            micros: 7,
            reason: null,
            topUpId: null,
            key: `credit ${index >> 3}`
          },
          commandLine
        )
        return Effect.orDie(Effect.retry(credit, whileStorageReturns))
      })
      const ran = together(mixedRuns, (index) =>
        mixed(findings, all, shared[index % shared.length]!, index, `mixed ${index}`)
      )
      const [, runs] = yield* Effect.all([credited, ran], { concurrency: 2 })
      for (const [index, { status }] of runs.entries()) {
        findings.hold(
          status === "running" || status === "queued" || expectedOf(index).includes(status ?? ""),
          `run ${index % 12} of the mix ended ${status}`
        )
      }
      const [sum] = yield* stage.rows<{ micros: number }>(
        "select sum(amount_micros)::bigint as micros from ledger_entries where workspace_id = any($1::text[]) and credit_key like 'credit %'",
        [shared.map(({ workspaceId }) => workspaceId)]
      )
      const keysOfEach = new Set(indices(credits).map((index) => `${index % shared.length} ${index >> 3}`)).size
      findings.hold(sum?.micros === keysOfEach * 7, `${keysOfEach} credit keys credited ${sum?.micros} micros`)

      const across = yield* stage.fund(1_000_000)
      const recoveryMillis = count < 2 ? null : yield* acrossNodes(stage, findings, at(0), at(1), across.token)
      const { astrayMicros } = yield* audit(stage, findings, [one, ...shared, poor, capped, across])
      return {
        attack: `simultaneous, ${count} ${count === 1 ? "node" : "nodes"}`,
        operations: 64 + mixedRuns + credits + 25,
        faults: recoveryMillis === null ? 0 : 1,
        astrayMicros,
        recoveryMillis,
        problems: findings.list()
      }
    })
  )

/**
 * What one node knows of another's work: ends, cancels, and what it left behind. Answers how long the taking over took.
 */
const acrossNodes = (
  stage: Stage,
  findings: ReturnType<typeof makeFindings>,
  here: Node,
  there: Node,
  token: string
): Effect.Effect<number> =>
  Effect.scoped(
    Effect.gen(function* () {
      const body = find({ delayMs: 700 })
      yield* ask(findings, there, "POST", "/v1/runs", { token, body, key: "woken", wait: 0 })
      const woken = Option.getOrNull(
        yield* ask(findings, here, "POST", "/v1/runs", { token, body, key: "woken", wait: 20 })
      )
      findings.hold(woken?.status === "completed", `a waiter on another node saw ${woken?.status}`)
      findings.hold(
        (woken?.lateMillis ?? Infinity) < wokenWithinMillis,
        `a waiter on another node was woken ${woken?.lateMillis} ms late`
      )

      const slow = Option.getOrNull(
        yield* ask(findings, there, "POST", "/v1/runs", {
          token,
          body: find({ delayMs: 8_000 }),
          key: "cancelled",
          wait: 0
        })
      )
      const cancelled = Option.getOrNull(
        yield* ask(findings, here, "POST", `/v1/runs/${slow?.runId}/cancel`, { token })
      )
      findings.hold(
        cancelled?.status === "failed" && cancelled.error?.code === "cancellation_requested_after_dispatch",
        `a cancel sent to another node gave ${cancelled?.status} ${cancelled?.error?.code}`
      )
      findings.hold(
        (cancelled?.millis ?? Infinity) < wokenWithinMillis,
        `a cancel sent to another node took ${cancelled?.millis} ms`
      )

      const doomed = yield* stage.node(findings)
      const read = find({ delayMs: 600 })
      const write = sendMessage({ delayMs: 600 })
      yield* ask(findings, doomed, "POST", "/v1/runs", { token, body: read, key: "left read", wait: 0 })
      yield* ask(findings, doomed, "POST", "/v1/runs", { token, body: write, key: "left write", wait: 0 })
      yield* Effect.sleep("150 millis")
      yield* doomed.kill
      const [elapsed, [reading, writing]] = yield* Effect.timed(
        Effect.all(
          [
            insist(findings, () => [here], { token, body: read, key: "left read", wait: 30 }),
            insist(findings, () => [here], { token, body: write, key: "left write", wait: 30 })
          ],
          { concurrency: 2 }
        )
      )
      findings.hold(reading.status === "completed", `a read-only run that a killed node left ended ${reading.status}`)
      findings.hold(
        writing.status === "reconciliation_pending",
        `an effectful run that a killed node left ended ${writing.status}`
      )
      findings.hold(Duration.toMillis(elapsed) < 10_000, `taking over took ${Duration.toMillis(elapsed)} ms`)
      return Duration.toMillis(elapsed)
    })
  )
