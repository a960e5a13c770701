/**
 * `npm run failover`: a primary and a synchronous standby on this machine, three nodes and clients under way. Ten times
 * the primary is killed and the standby promoted by hand, and the old primary comes back as the standby. Then the
 * standby alone is taken away. Holds that no acknowledged run is lost, no micro is astray, no call is made twice, all
 * nodes work again in time, and that nothing is acknowledged while it would be on one server only. Ends with 1 when any
 * of this is broken. `npm run failover -- 3` fails over three times.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Option, Ref } from "effect"
import { resumed } from "./attacks/Storage.js"
import { audit } from "./stage/Audit.js"
import { ask } from "./stage/Client.js"
import { baseBackup, type Cluster, clusterFolder, createCluster, database, makeCluster, user } from "./stage/Cluster.js"
import { type Findings, makeFindings } from "./stage/Findings.js"
import { find, mixed } from "./stage/Mix.js"
import type { Node } from "./stage/Nodes.js"
import { buildProgram } from "./stage/Program.js"
import { acquireStage, type Spender, type Stage } from "./stage/Stage.js"

const times = Number(process.argv[2] ?? 10)
const isCount = Number.isInteger(times) && times > 0
const clients = 12
const resumesWithinMillis = 10_000
const standbyAwayMillis = 16_000

/** Makes a cluster the standby of another, and waits until every commit is on both. */
const follow = (standby: Cluster, primary: Cluster) =>
  Effect.gen(function* () {
    yield* standby.clear
    yield* baseBackup(primary, standby.directory, ["--write-recovery-conf"], "standby")
    yield* standby.configure({})
    yield* standby.start
    yield* synchronous(primary)
  })

const synchronous = (primary: Cluster) =>
  Effect.gen(function* () {
    yield* primary.set("synchronous_standby_names", "standby")
    yield* Effect.repeat(
      Effect.delay(
        primary.rows<{ sync_state: string }>("select sync_state from pg_stat_replication where state = 'streaming'"),
        "100 millis"
      ),
      { until: ([row]) => row?.sync_state === "sync" }
    )
  })

interface Acknowledged {
  readonly token: string
  readonly status: string
}

/** What every client was told must still be so. */
const stillThere = (
  stage: Stage,
  findings: Findings,
  told: ReadonlyMap<string, Acknowledged>,
  node: Node
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const rows = yield* stage.rows<{ runId: string; status: string }>(
      `select run_id as "runId", status from runs where run_id = any($1::text[])`,
      [[...told.keys()]]
    )
    const found = new Map(rows.map(({ runId, status }) => [runId, status]))
    for (const [runId, { status, token }] of told) {
      const now = found.get(runId)
      if (now === undefined) {
        const answer = yield* ask(findings, node, "GET", `/v1/runs/${runId}`, { token })
        findings.hold(Option.isSome(answer) && answer.value.httpStatus === 200, "an acknowledged run is lost")
      } else if (status === "completed" || status === "failed")
        findings.hold(now === status, `a run that was told to be ${status} is ${now}`)
    }
  })

const main = Effect.scoped(
  Effect.gen(function* () {
    if (!isCount) return yield* Effect.dieMessage(`${process.argv[2]} is no number of fail-overs`)
    const findings = makeFindings()
    const folder = yield* clusterFolder
    let primary = yield* makeCluster(folder, "one")
    let standby = yield* makeCluster(folder, "two")
    yield* createCluster(primary)
    const program = yield* Effect.promise(() => buildProgram("gateway"))
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",")
    yield* follow(standby, primary)
    const stage = yield* acquireStage(
      `postgres://${user}@${hosts}/${database}?target_session_attrs=read-write`,
      program
    )
    const spenders = yield* Effect.forEach([1, 2, 3, 4], () => stage.fund(500_000_000))
    const nodes = yield* Effect.all(
      [1, 2, 3].map(() => stage.node(findings)),
      { concurrency: 3 }
    )
    const [first, second, third] = nodes
    if (first === undefined || second === undefined || third === undefined) return
    const told = new Map<string, Acknowledged>()
    const sent = yield* Ref.make(0)
    const spenderOf = (n: number): Spender => spenders[n % spenders.length]!
    const client = Effect.gen(function* () {
      const n = yield* Ref.getAndUpdate(sent, (before) => before + 1)
      const answer = yield* mixed(findings, () => nodes, spenderOf(n), n, `failover ${n}`)
      if (answer.runId !== undefined) told.set(answer.runId, { token: spenderOf(n).token, status: answer.status ?? "" })
      yield* Effect.sleep("20 millis")
    })
    const load = yield* Effect.forkScoped(
      Effect.forEach(Array.from({ length: clients }), () => Effect.forever(client), {
        concurrency: "unbounded",
        discard: true
      })
    )
    const { token } = spenderOf(0)

    let longest = 0
    for (let time = 1; time <= times; time++) {
      yield* Effect.sleep("2 seconds")
      const before = told.size
      const since = performance.now()
      yield* primary.kill
      yield* standby.promote
      yield* standby.set("synchronous_standby_names", "")
      yield* Effect.all(
        [
          resumed(findings, token, first, second),
          resumed(findings, token, second, third),
          resumed(findings, token, third, first)
        ],
        { concurrency: 3 }
      )
      const millis = performance.now() - since
      longest = Math.max(longest, millis)
      findings.hold(millis < resumesWithinMillis, `all nodes worked again only after ${Math.round(millis)} ms`)
      ;[primary, standby] = [standby, primary]
      yield* follow(standby, primary)
      yield* Console.log(
        `fail-over ${time}: all nodes work again after ${(millis / 1000).toFixed(1)} s; ${before} runs were acknowledged before`
      )
    }

    yield* load.interruptAsFork(load.id())
    const { astrayMicros, runs } = yield* audit(stage, findings, spenders)
    yield* stillThere(stage, findings, told, first)
    const [queued] = yield* stage.rows<{ n: number }>(
      "select count(*)::int as n from runs where error ->> 'code' = 'runtime_store_replaced_before_dispatch'"
    )

    yield* standby.stop
    const asked = yield* Effect.forEach(
      Array.from({ length: clients }, (_, n) => n),
      (n) =>
        ask(findings, nodes[n % nodes.length]!, "POST", "/v1/runs", {
          token: spenderOf(n).token,
          body: find(),
          key: `alone ${n}`,
          wait: 0,
          signal: AbortSignal.timeout(standbyAwayMillis)
        }),
      { concurrency: "unbounded" }
    )
    const acknowledged = asked.filter((answer) => Option.isSome(answer) && answer.value.httpStatus < 500).length
    findings.hold(acknowledged === 0, `${acknowledged} runs were acknowledged while only one server had them`)
    const refused = asked.filter((answer) => Option.isSome(answer) && answer.value.httpStatus === 503).length
    yield* standby.start
    yield* resumed(findings, token, first, second)
    const alone = yield* audit(stage, findings, spenders)

    const astray = astrayMicros + alone.astrayMicros
    yield* Console.log(
      [
        "",
        `${times} fail-overs under ${clients} clients: ${runs} runs, ${told.size} of them acknowledged to clients and all there`,
        `all nodes work again after ${(longest / 1000).toFixed(1)} s at most`,
        `${queued?.n ?? 0} runs waited in the queue at a fail-over and failed as replaced, at cost 0`,
        `${astray} micros astray`,
        `without the standby: ${acknowledged} of ${asked.length} requests acknowledged, ${refused} answered 503`
      ].join("\n")
    )
    const problems = findings.list()
    for (const problem of problems) yield* Console.log(`broken: ${problem}`)
    if (problems.length > 0 || astray !== 0) yield* Effect.sync(() => void (process.exitCode = 1))
    else yield* Console.log("Every promise was kept.")
  })
)

NodeRuntime.runMain(main)
