/**
 * `npm run rolling [COMMIT]`: an upgrade under load. Three nodes of an older version, behind a balancer that asks
 * `/readyz`, are replaced one by one by nodes of this version, the first of which migrates the database. No request
 * fails, every run is completed, the money adds up, and nodes of the older version are ready until they stop. The older
 * version is the last commit before the newest migration, or the one that is named. Ends with 1 when a promise was
 * broken.
 */
import { createHash, randomBytes } from "node:crypto"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schedule } from "effect"
import { WorkspaceId } from "../src/domain/Ids.js"
import { migrations } from "../src/layers/postgres/migrations/index.js"
import { environment, replaceUnderLoad } from "./attacks/Restarts.js"
import { isClean, makeFindings, table } from "./stage/Findings.js"
import type { Node } from "./stage/Nodes.js"
import { acquireOwnPostgres } from "./stage/OwnPostgres.js"
import { buildProgram, commitOf, sourcesOf } from "./stage/Program.js"
import { acquireStage, type Spender, type Stage } from "./stage/Stage.js"

const workspaceId = WorkspaceId.make("ws_01m820s0ry0009a5ks9nk0bjbf")
const micros = 500_000_000

/** A workspace with a balance and a token, by statements that every schema takes: this version's might not fit yet. */
const fund = (stage: Stage): Effect.Effect<Spender> =>
  Effect.gen(function* () {
    const token = `pgw_${randomBytes(32).toString("hex")}`
    const digest = createHash("sha256").update(token).digest()
    yield* stage.rows(
      "insert into workspaces (workspace_id, name, inflight_limit, created_at) values ($1, 'rolling', 10000, 1)",
      [workspaceId]
    )
    yield* stage.rows("insert into wallets (workspace_id, available_micros) values ($1, $2)", [workspaceId, micros])
    yield* stage.rows(
      `insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, reason, credit_key, created_at)
       values ($1, 'led_01m820s0ry0009a5ks9nk0bjbf', 'adjustment', 'funding', 'available', $2, $2, 0, 'funds', 'funds', 1)`,
      [workspaceId, micros]
    )
    yield* stage.rows(
      "insert into tokens (token_id, workspace_id, label, scopes, digest, created_at) values ('tok_01m820s0ry0009a5ks9nk0bjbf', $1, 'rolling', '{runs:execute,runs:read}', $2, 1)",
      [workspaceId, digest]
    )
    return { workspaceId, token }
  })

const migrated = (stage: Stage) =>
  Effect.map(stage.rows<{ name: string }>("select name from gateway_migrations order by name"), (rows) =>
    rows.map(({ name }) => name)
  )

const isReady = (node: Node) =>
  Effect.promise(() =>
    fetch(`${node.origin}/readyz`).then(
      ({ status }) => status === 200,
      () => false
    )
  )

const main = Effect.scoped(
  Effect.gen(function* () {
    const named = process.argv[2]
    const commit = commitOf(named)
    yield* Console.log(`the older version is ${commit}`)
    const older = yield* Effect.promise(() => buildProgram("gateway", "gateway.ts", sourcesOf(commit)))
    const program = yield* Effect.promise(() => buildProgram("gateway"))
    const postgres = yield* acquireOwnPostgres
    const stage = yield* acquireStage(postgres.url, program, { migrates: false })
    const findings = makeFindings()
    const start = stage.nodeOf(older, findings, environment)
    const nodes = [yield* start, yield* start, yield* start]
    const before = yield* migrated(stage)
    const spender = yield* fund(stage)
    yield* Console.log(`three nodes of it serve, at ${before.at(-1) ?? "no migration"}`)
    // Nodes from before `schema_needs` call every newer schema unknown; what they do then is told on the page.
    if (before.includes("0029_schema_needs"))
      yield* Effect.forkScoped(
        Effect.repeat(
          Effect.gen(function* () {
            const last = nodes.at(-1)
            if (last === undefined || !last.isAlive()) return
            if ((yield* migrated(stage)).length === before.length) return
            const well = yield* isReady(last)
            // The last one is asked to stop only when the third node of this version serves.
            findings.hold(
              well || replacing.count >= nodes.length,
              "a node of the older version was not ready after the migration"
            )
          }),
          Schedule.spaced("500 millis")
        )
      )
    const replacing = { count: 0 }
    const { astrayMicros, runs } = yield* replaceUnderLoad({
      stage,
      findings,
      spender,
      nodes,
      fresh: Effect.tap(stage.node(findings, environment), () =>
        Effect.sync(() => {
          replacing.count += 1
        })
      ).pipe(Effect.tap(() => Console.log("a node of this version serves"))),
      replacements: nodes.length,
      clients: 12
    })
    const after = yield* migrated(stage)
    findings.hold(after.length === Object.keys(migrations).length, "the database was not migrated")
    if (named === undefined)
      findings.hold(after.length > before.length, "the older version had the newest migration: nothing was upgraded")
    const row = {
      attack: `upgrade by ${after.length - before.length} migrations under load`,
      operations: runs,
      faults: nodes.length,
      astrayMicros,
      recoveryMillis: null,
      problems: findings.list()
    }
    const clean = isClean(row)
    yield* Console.log(
      [
        table([row]),
        ...row.problems.map((problem) => `  broken: ${problem}`),
        clean ? "Every promise was kept." : "Promises were broken."
      ].join("\n")
    )
    if (!clean) yield* Effect.sync(() => void (process.exitCode = 1))
  })
)

NodeRuntime.runMain(main)
