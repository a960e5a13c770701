/**
 * Nodes are replaced one after the other under load, behind a balancer that asks `/readyz` and sends nothing where it
 * says no: every request is answered, none is reset or refused, and a new node is ready as soon as it listens.
 */
import { Effect, Ref, type Scope } from "effect"
import { audit } from "../stage/Audit.js"
import { ask } from "../stage/Client.js"
import { type Findings, makeFindings, type Row } from "../stage/Findings.js"
import { find, sendMessage } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import type { Spender, Stage } from "../stage/Stage.js"

interface RestartsSize {
  readonly restarts: number
  readonly clients: number
}

const pauseMillis = 4_000
export const environment = { GATEWAY_STOP_PAUSE_MILLIS: String(pauseMillis), GATEWAY_DRAIN_MILLIS: "10000" }

interface Replacing {
  readonly stage: Stage
  readonly findings: Findings
  readonly spender: Spender
  readonly nodes: ReadonlyArray<Node>
  /** A new node, that serves. */
  readonly fresh: Effect.Effect<Node, never, Scope.Scope>
  readonly replacements: number
  readonly clients: number
}

/** Replaces the oldest node by a fresh one, so many times, while clients send runs to the nodes that are ready. */
export const replaceUnderLoad = ({ clients, findings, fresh, nodes: first, spender, replacements, stage }: Replacing) =>
  Effect.gen(function* () {
    const nodes = new Set<Node>(first)
    const readyAnswers = (node: Node) =>
      Effect.promise(() =>
        fetch(`${node.origin}/readyz`, { headers: { connection: "close" } }).then(
          ({ status }) => status === 200,
          () => false
        )
      )
    const ready = new Set<Node>(nodes)
    const look = Effect.suspend(() =>
      Effect.forEach(
        [...nodes],
        (node) =>
          Effect.map(
            readyAnswers(node),
            (well) => void (well && nodes.has(node) ? ready.add(node) : ready.delete(node))
          ),
        { concurrency: "unbounded", discard: true }
      )
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(look, Effect.sleep("200 millis"))))
    const sent = yield* Ref.make(0)
    const client = Effect.gen(function* () {
      const n = yield* Ref.getAndUpdate(sent, (before) => before + 1)
      const targets = [...ready]
      const node = targets[n % Math.max(1, targets.length)]
      if (node === undefined) {
        findings.note("no node was ready")
        return yield* Effect.sleep("200 millis")
      }
      const answer = yield* ask(findings, node, "POST", "/v1/runs", {
        token: spender.token,
        body: n % 3 === 0 ? sendMessage({ delayMs: 100 }) : find({ delayMs: 50 }),
        key: `restart ${n}`,
        wait: 5
      })
      findings.hold(answer._tag === "Some", "a request was reset or refused")
      if (answer._tag === "Some") {
        findings.hold(
          answer.value.httpStatus === 201,
          `a request was answered ${answer.value.httpStatus} ${answer.value.error?.code ?? ""}`
        )
        findings.hold(answer.value.status === "completed", `a run is ${answer.value.status ?? "unknown"}`)
      }
      yield* Effect.sleep("40 millis")
    })
    const load = yield* Effect.forkScoped(
      Effect.forEach(Array.from({ length: clients }), () => Effect.forever(client), {
        concurrency: "unbounded",
        discard: true
      })
    )
    yield* Effect.sleep("1 second")
    for (let replaced = 0; replaced < replacements; replaced++) {
      const [oldest] = nodes
      if (oldest === undefined) break
      const made = yield* fresh
      findings.hold(yield* readyAnswers(made), "a node listened before it was ready")
      nodes.add(made)
      yield* oldest.stop
      nodes.delete(oldest)
      ready.delete(oldest)
    }
    yield* load.interruptAsFork(load.id())
    return yield* audit(stage, findings, [spender])
  })

export const restarts = (stage: Stage, size: RestartsSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(500_000_000)
      const fresh = stage.node(findings, environment)
      const { astrayMicros, runs } = yield* replaceUnderLoad({
        stage,
        findings,
        spender,
        nodes: yield* Effect.all([fresh, fresh], { concurrency: 2 }),
        fresh,
        replacements: size.restarts,
        clients: size.clients
      })
      return {
        attack: "nodes replaced under load",
        operations: runs,
        faults: size.restarts,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
