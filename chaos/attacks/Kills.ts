/**
 * `npm run chaos kills`: nodes that kill themselves at the named points, again and again, under load, beside one that
 * lives. Every client keeps its key and asks on until it has an answer; every run ends; what a dead node left is taken
 * over within ten seconds; no write action is made twice.
 */
import { Effect, Fiber, Option, Ref } from "effect"
import { faultPoints } from "../../src/services/FaultPoints.js"
import { audit } from "../stage/Audit.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { mixed } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import type { Stage } from "../stage/Stage.js"

interface KillsSize {
  /** Nodes that die, at a time. */
  readonly nodes: number
  readonly kills: number
  readonly clients: number
}

const recoveredWithinMillis = 10_000
/** Clients do not wait for what a dead node left: there is more to run. */
const waitSeconds = 1
/** Nor do they keep the machine from starting nodes, which is most of its work here. */
const betweenRuns = "250 millis"

export const kills = (stage: Stage, size: KillsSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spenders = yield* Effect.forEach([1, 2, 3, 4], () => stage.fund(500_000_000))
      const nodes = new Map<number, Node>([[-1, yield* stage.node(findings)]])
      const serving = () => [...nodes.values()]
      const begun = yield* Ref.make(0)
      const done = yield* Ref.make(0)
      const operations = yield* Ref.make(0)
      const recoveries: Array<Fiber.RuntimeFiber<void>> = []
      let longest = 0

      /** From the end of a node until nothing is under way any more that was when it ended. */
      const recovery = Effect.gen(function* () {
        const died = performance.now()
        const left = yield* stage.rows<{ token: string }>(
          "select lease_token as token from runs where status = 'running'"
        )
        const remaining = Effect.map(
          stage.rows<{ n: number }>(
            "select count(*)::int as n from runs where status = 'running' and lease_token = any($1::text[])",
            [left.map(({ token }) => token)]
          ),
          ([row]) => row?.n ?? 0
        )
        yield* Effect.repeat(Effect.delay(remaining, "250 millis"), { until: (n) => n === 0 })
        const millis = performance.now() - died
        longest = Math.max(longest, millis)
        findings.hold(millis < recoveredWithinMillis, `what a node left was taken over after ${Math.round(millis)} ms`)
      }).pipe(
        Effect.timeoutTo({
          duration: "30 seconds",
          onSuccess: () => undefined,
          onTimeout: () => findings.note("what a node left was not taken over in 30 s")
        })
      )

      /** One place for a node: filled anew until enough of them were killed. */
      const place = (at: number): Effect.Effect<void> =>
        Effect.gen(function* () {
          const n = yield* Ref.getAndUpdate(begun, (before) => before + 1)
          if (n >= size.kills) return false
          const point = faultPoints[n % faultPoints.length]!
          yield* Effect.scoped(
            Effect.gen(function* () {
              const node = yield* stage.mortalNode(findings, { GATEWAY_FAULT_POINT: `${point}:${1 + ((n * 7) % 11)}` })
              // One that already died of what it took over at its start is a kill like any other.
              if (Option.isSome(node)) {
                nodes.set(at, node.value)
                yield* Effect.timeoutTo(node.value.ended, {
                  duration: "60 seconds",
                  onSuccess: () => undefined,
                  onTimeout: () => findings.note(`a node did not pass ${point} often enough to die there`)
                })
                nodes.delete(at)
              }
              yield* Ref.update(done, (before) => before + 1)
              recoveries.push(yield* Effect.forkIn(recovery, outer))
            })
          )
          return true
        }).pipe(Effect.repeat({ while: (more) => more }), Effect.asVoid)

      const outer = yield* Effect.scope
      const client = (number: number): Effect.Effect<void> =>
        Effect.gen(function* () {
          const n = yield* Ref.getAndUpdate(operations, (before) => before + 1)
          yield* mixed(findings, serving, spenders[n % spenders.length]!, n + number, `kill ${n}`, waitSeconds)
          yield* Effect.sleep(betweenRuns)
        }).pipe(Effect.forever)

      const clients = yield* Effect.forkScoped(
        Effect.forEach(
          Array.from({ length: size.clients }, (_, number) => number),
          client,
          { concurrency: "unbounded", discard: true }
        )
      )
      yield* Effect.forEach(
        Array.from({ length: size.nodes }, (_, at) => at),
        place,
        { concurrency: "unbounded", discard: true }
      )

      yield* clients.interruptAsFork(clients.id())
      // What the last nodes left is judged too.
      yield* Fiber.joinAll(recoveries)
      const { astrayMicros, runs } = yield* audit(stage, findings, spenders)
      return {
        attack: "kill -9 at every named point",
        operations: runs,
        faults: yield* Ref.get(done),
        astrayMicros,
        recoveryMillis: longest,
        problems: findings.list()
      }
    })
  )
