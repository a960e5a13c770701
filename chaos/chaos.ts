/**
 * `npm run chaos`: every attack in its long form against a Postgres, gateways and a provider of its own. Ends with a
 * table, and with 1 when any promise was broken. Names of attacks (those of `attacks` below) as arguments run only
 * those.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { answers } from "./attacks/Answers.js"
import { archives } from "./attacks/Archives.js"
import { clocks } from "./attacks/Clocks.js"
import { kills } from "./attacks/Kills.js"
import { paymentKills } from "./attacks/PaymentKills.js"
import { payments } from "./attacks/Payments.js"
import { poison } from "./attacks/Poison.js"
import { restarts } from "./attacks/Restarts.js"
import { restores } from "./attacks/Restores.js"
import { simultaneous } from "./attacks/Simultaneous.js"
import { stalls } from "./attacks/Stalls.js"
import { slowReaders } from "./attacks/SlowReaders.js"
import { storage } from "./attacks/Storage.js"
import { waiters } from "./attacks/Waiters.js"
import { worstShapes } from "./attacks/WorstShapes.js"
import { isClean, type Row, table } from "./stage/Findings.js"
import { acquireOwnPostgres, type OwnPostgres } from "./stage/OwnPostgres.js"
import { buildProgram } from "./stage/Program.js"
import { acquireStage, type Stage } from "./stage/Stage.js"

type Attack = (stage: Stage, postgres: OwnPostgres) => Effect.Effect<ReadonlyArray<Row>>

const attacks: { readonly [name: string]: Attack } = {
  simultaneous: (stage) =>
    Effect.forEach([1, 2, 3], (nodes) => simultaneous(stage, { nodes, mixedRuns: 400, credits: 500 })),
  waiters: (stage) => Effect.map(waiters(stage, { runs: 30, waitersOfEach: 10, runMillis: 3_000 }), (row) => [row]),
  shapes: (stage) => Effect.map(worstShapes(stage, { every: 1 }), (row) => [row]),
  readers: (stage) => Effect.map(slowReaders(stage, { readers: 186 }), (row) => [row]),
  payments: (stage) =>
    Effect.all([payments(stage, 60), paymentKills(stage, { topUps: 40, kills: 10 })], { concurrency: 1 }),
  answers: (stage) => Effect.map(answers(stage, { answers: 10_000, seed: 7 }), (row) => [row]),
  storage: (stage, postgres) =>
    storage(stage, postgres, { clients: 16, awaySeconds: 30, massacres: 10, cuts: 8, lockSeconds: 12 }),
  stalls: (stage) => stalls(stage, { seconds: 30, runs: 40 }),
  clocks: (stage) => Effect.map(clocks(stage, { runs: 200 }), (row) => [row]),
  poison: (stage) => Effect.map(poison(stage), (row) => [row]),
  restarts: (stage) => Effect.map(restarts(stage, { restarts: 6, clients: 12 }), (row) => [row]),
  restores: (stage, postgres) => Effect.map(restores(stage, postgres, { queued: 24 }), (row) => [row]),
  archives: (stage) => Effect.map(archives(stage, { runs: 6_000, kills: 40 }), (row) => [row]),
  kills: (stage) => Effect.map(kills(stage, { nodes: 3, kills: 204, clients: 32 }), (row) => [row])
}

const main = Effect.scoped(
  Effect.gen(function* () {
    const asked = process.argv.slice(2)
    const unknown = asked.find((name) => !Object.hasOwn(attacks, name))
    if (unknown !== undefined)
      return yield* Effect.dieMessage(`there is no attack ${unknown}; there are ${Object.keys(attacks).join(", ")}`)
    const chosen = Object.entries(attacks).filter(([name]) => asked.length === 0 || asked.includes(name))
    const program = yield* Effect.promise(() => buildProgram("gateway"))
    const postgres = yield* acquireOwnPostgres
    const stage = yield* acquireStage(postgres.url, program)
    const rows: Array<Row> = []
    for (const [name, attack] of chosen) {
      yield* Console.log(`${name} …`)
      const started = performance.now()
      const found = yield* attack(stage, postgres)
      rows.push(...found)
      const problems = found.flatMap((row) => row.problems.map((problem) => `  broken: ${row.attack}: ${problem}`))
      yield* Console.log([`  ${((performance.now() - started) / 1000).toFixed(0)} s`, ...problems].join("\n"))
    }
    const clean = rows.every(isClean)
    yield* Console.log(`\n${table(rows)}\n\n${clean ? "Every promise was kept." : "Promises were broken; see above."}`)
    if (!clean) yield* Effect.sync(() => void (process.exitCode = 1))
  })
)

NodeRuntime.runMain(main)
