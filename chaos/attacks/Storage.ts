/**
 * `npm run chaos storage`: a database that is restarted, crashes, loses its backends, stays away, has no connection
 * left, or falls silent around a COMMIT, all under load. Answers are storage troubles and nothing else, the same key
 * then tells the truth, and within five seconds of the database's return every node works again and hears the others.
 */
import { Effect, Option, Ref } from "effect"
import Pg from "pg"
import { makeProxy, type Proxy } from "../../test/support/proxy.js"
import { audit } from "../stage/Audit.js"
import { wokenWithinMillis } from "../stage/Bounds.js"
import { ask, insist } from "../stage/Client.js"
import { type Findings, makeFindingsInTurns, type Row } from "../stage/Findings.js"
import { find, mixed, sendMessage } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import type { OwnPostgres } from "../stage/OwnPostgres.js"
import { apart, type Spender, type Stage } from "../stage/Stage.js"

interface StorageSize {
  readonly clients: number
  readonly awaySeconds: number
  readonly massacres: number
  readonly cuts: number
  readonly lockSeconds: number
}

const resumesWithinMillis = 5_000
/** After that nobody waits any longer for a node to hear of the others. */
const hearsWithin = "60 seconds"
/** A network that lost bytes without a word is found out by the time limit of a statement. */
const noticedWithinMillis = 15_000

let keys = 0
const newKey = () => `storage ${keys++}`

/** The database as seen through a relay that can cut it off. */
const relayed = (databaseUrl: string) =>
  Effect.gen(function* () {
    const url = new URL(databaseUrl)
    const proxy = yield* makeProxy({ host: decodeURIComponent(url.hostname), port: Number(url.port) })
    url.host = `127.0.0.1:${proxy.port}`
    return { proxy, url: url.href }
  })

/** The time until `here` completes a fresh run, and is told at once of the end of one on `there`. */
export const resumed = (findings: Findings, token: string, here: Node, there: Node) =>
  Effect.gen(function* () {
    const started = performance.now()
    yield* insist(findings, () => [here], { token, body: find(), key: newKey(), wait: 20 })
    const hears = Effect.gen(function* () {
      const body = find({ delayMs: 200 })
      const key = newKey()
      yield* insist(findings, () => [there], { token, body, key, wait: 0 })
      const answer = yield* ask(findings, here, "POST", "/v1/runs", { token, body, key, wait: 20 })
      return (
        Option.isSome(answer) &&
        answer.value.status === "completed" &&
        (answer.value.lateMillis ?? Infinity) < wokenWithinMillis
      )
    })
    yield* Effect.repeat(hears, { until: (heard) => heard }).pipe(
      Effect.timeoutTo({
        duration: hearsWithin,
        onSuccess: () => undefined,
        onTimeout: () => findings.note(`a node did not hear of ends on another within ${hearsWithin}`)
      })
    )
    return performance.now() - started
  })

export const storage = (stage: Stage, postgres: OwnPostgres, size: StorageSize): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { findings, take } = makeFindingsInTurns()
      const spenders = yield* Effect.forEach([1, 2, 3, 4], () => stage.fund(500_000_000))
      const { proxy, url } = yield* relayed(stage.databaseUrl)
      const nodes = yield* Effect.all([stage.node(findings), stage.node(findings, {}, url)], { concurrency: 2 })
      const [direct, behind] = nodes
      const sent = yield* Ref.make(0)

      const client = Effect.gen(function* () {
        const n = yield* Ref.getAndUpdate(sent, (before) => before + 1)
        yield* mixed(findings, () => nodes, spenders[n % spenders.length]!, n, newKey())
        yield* Effect.sleep("30 millis")
      }).pipe(Effect.forever)
      const underLoad = <A>(work: Effect.Effect<A>) =>
        Effect.scoped(
          Effect.zipRight(
            Effect.forkScoped(
              Effect.forEach(Array.from({ length: size.clients }), () => client, {
                concurrency: "unbounded",
                discard: true
              })
            ),
            work
          )
        )

      /**
       * One row of the table: the fault under load, the time to recover from it, and the audit once the load is over.
       */
      const attack = (name: string, faults: number, fault: Effect.Effect<void>, limitMillis = resumesWithinMillis) =>
        Effect.gen(function* () {
          const before = yield* Ref.get(sent)
          const token = spenders[0]!.token
          const recoveryMillis = yield* underLoad(
            Effect.gen(function* () {
              yield* Effect.sleep("1500 millis")
              yield* fault
              const times = yield* Effect.all(
                [resumed(findings, token, direct, behind), resumed(findings, token, behind, direct)],
                { concurrency: 2 }
              )
              return Math.max(...times)
            })
          )
          findings.hold(
            recoveryMillis < limitMillis,
            `${name}: worked again only after ${Math.round(recoveryMillis)} ms`
          )
          const { astrayMicros } = yield* audit(stage, findings, spenders)
          return row(name, (yield* Ref.get(sent)) - before, faults, astrayMicros, recoveryMillis)
        })
      const row = (
        attacked: string,
        operations: number,
        faults: number,
        astrayMicros: number,
        recoveryMillis: number | null
      ): Row => ({
        attack: attacked,
        operations,
        faults,
        astrayMicros,
        recoveryMillis,
        problems: take()
      })

      const rows = [
        yield* attack("database restarted", 1, Effect.zipRight(postgres.stop, postgres.start)),
        yield* attack("database crashed", 1, Effect.zipRight(postgres.crash, postgres.start)),
        yield* attack(
          "all backends killed",
          size.massacres,
          Effect.repeatN(Effect.delay(massacre(stage.databaseUrl), "300 millis"), size.massacres - 1)
        ),
        yield* attack(
          `database away for ${size.awaySeconds} s`,
          1,
          postgres.stop.pipe(Effect.zipRight(Effect.sleep(size.awaySeconds * 1000)), Effect.zipRight(postgres.start))
        ),
        yield* attack("runs locked, pool exhausted", 1, exhausted(stage, findings, direct, spenders, size.lockSeconds)),
        yield* attack("no connection left on the server", 1, crowd(stage.databaseUrl)),
        yield* attack("network swallows everything", 1, swallowed(proxy), noticedWithinMillis)
      ]
      const cutMillis = yield* cutAtCommit(findings, proxy, behind, spenders[1]!.token, size.cuts)
      const { astrayMicros } = yield* audit(stage, findings, spenders)
      rows.push(
        row(
          "cut between COMMIT and its answer",
          moments.length * size.cuts,
          moments.length * size.cuts,
          astrayMicros,
          cutMillis
        )
      )
      return rows
    })
  )

/** Not the connection by which an embedded Postgres is known to be in use. */
const cutGateways =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'provider-gateway%' and application_name not like '%in use%'"

const massacre = (url: string) => Effect.asVoid(apart(url, (client) => client.query(cutGateways)))

/**
 * Holds a lock that every statement about runs needs, and asks more than the pool has connections for: for several
 * workspaces, for one alone has its turns.
 */
const exhausted = (stage: Stage, findings: Findings, node: Node, spenders: ReadonlyArray<Spender>, seconds: number) =>
  apart(stage.databaseUrl, async (client) => {
    await client.query("begin")
    await client.query("lock table runs in access exclusive mode")
    const asks = Array.from({ length: 40 }, (_, n) =>
      ask(findings, node, "GET", "/v1/runs", { token: spenders[n % spenders.length]!.token })
    )
    const [answers] = await Promise.all([
      Effect.runPromise(Effect.all(asks, { concurrency: "unbounded" })),
      client.query("select pg_sleep($1)", [seconds]).then(() => client.query("rollback"))
    ])
    const troubled = answers.filter((answer) => Option.isSome(answer) && answer.value.httpStatus === 503).length
    findings.hold(troubled > 0, "an exhausted pool troubled nobody")
  }).pipe(Effect.asVoid)

/** Takes every connection that the server has to give, and cuts those of the gateways, which then get none. */
const crowd = (url: string) =>
  Effect.promise(async () => {
    const guests: Array<Pg.Client> = []
    for (let full = false; !full;) {
      const guest = new Pg.Client({ connectionString: url, application_name: "attacker" })
      guest.on("error", () => undefined)
      full = await guest.connect().then(
        () => false,
        () => true
      )
      if (!full) guests.push(guest)
      if (guests.length === 1) await guest.query("select 1")
    }
    await guests[0]?.query(cutGateways)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await Promise.all(guests.map((guest) => guest.end().catch(() => undefined)))
  })

const swallowed = (proxy: Proxy) =>
  Effect.gen(function* () {
    proxy.swallow(true)
    yield* Effect.sleep("2 seconds")
    proxy.swallow(false)
  })

const settledWithinMillis = 5_000
const moments = [
  ["admission", "before"],
  ["admission", "after"],
  ["next attempt", "after"],
  ["settlement", "after"]
] as const

/**
 * One run at a time with the cut at its admission (before and after the COMMIT arrived), between two attempts, and at
 * its settlement; answers the longest.
 */
const cutAtCommit = (findings: Findings, proxy: Proxy, node: Node, token: string, cuts: number) =>
  Effect.gen(function* () {
    let longest = 0
    for (let cut = 0; cut < cuts; cut++) {
      for (const [moment, when] of moments) {
        const body =
          moment === "next attempt"
            ? { ...find({ outcome: "miss", delayMs: 300 }), fallback: { enabled: true, maxAttempts: 2 } }
            : cut % 2 === 0
              ? find({ delayMs: 300 })
              : sendMessage({ delayMs: 300 })
        const key = newKey()
        const started = performance.now()
        if (moment === "admission") proxy.cutAt("COMMIT", when)
        const arm =
          moment === "admission"
            ? Effect.void
            : Effect.delay(
                Effect.sync(() => proxy.cutAt("COMMIT", when)),
                "200 millis"
              )
        const [answer] = yield* Effect.all([insist(findings, () => [node], { token, body, key, wait: 20 }), arm], {
          concurrency: 2
        })
        const millis = performance.now() - started
        longest = Math.max(longest, millis)
        findings.hold(
          answer.status === "completed" || answer.status === "reconciliation_pending",
          `a run cut at its ${moment} ended ${answer.status} ${answer.error?.code ?? ""}`
        )
        findings.hold(
          millis < settledWithinMillis,
          `a run cut ${when} the COMMIT of its ${moment} was known only after ${Math.round(millis)} ms`
        )
      }
    }
    return longest
  })
