/**
 * Every statement of a list reads a range of an index from the newest on, also where nothing matches: a page touches a
 * few rows of a workspace that has thousands, whatever Postgres believes about them. Seen in the plan that a prepared
 * statement keeps, and in what it read.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { AuditFilter } from "../../../src/domain/AuditEntry.js"
import { RequestId, RunId, TopUpId, type WorkspaceId } from "../../../src/domain/Ids.js"
import { LedgerKind } from "../../../src/domain/Ledger.js"
import { RunStatus } from "../../../src/domain/Run.js"
import { AuditTrailPg } from "../../../src/layers/postgres/AuditTrailPg.js"
import { CapabilityRequestsPg } from "../../../src/layers/postgres/CapabilityRequestsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { SecretRowsPg } from "../../../src/layers/postgres/SecretRowsPg.js"
import { SecretRows } from "../../../src/layers/secrets/SecretRows.js"
import { AuditTrail } from "../../../src/services/AuditTrail.js"
import { CapabilityRequests } from "../../../src/services/CapabilityRequests.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { TopUps } from "../../../src/services/TopUps.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { funded, storagePg } from "../../support/engine.js"
import { explain, nodesOf, readBy, recorded } from "../../support/explaining.js"
import { testDatabase } from "../../support/postgres.js"

const rowsMade = 8_000
const limit = 5

/**
 * One large workspace whose runs all completed for one job, and others with a few rows each, which is what the planner
 * then believes of all.
 */
const fill = (sql: Database["Type"]["sql"], large: WorkspaceId) => [
  sql`insert into workspaces (workspace_id, name, created_at) select 'ws_small_' || n, 'small ' || n, 0 from generate_series(1, 400) n`,
  sql`
    insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, job, input, status,
      outcome, hold_micros, charge_micros, spend_month, result, created_at)
    select case when n <= ${rowsMade} then ${large}::text else 'ws_small_' || n % 400 + 1 end, 'run_' || lpad(n::text, 26, '0'), 'tok_' || repeat('0', 26), n::text, '', '', 'e', 'e', 'people.email.find', '{}',
      'completed', 'hit', 0, 0, '2026-01', '{"_tag":"Json","value":1}', n
    from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`
    insert into idempotency_keys (workspace_id, key, request_digest, run_id)
    select workspace_id, idempotency_key, request_digest, run_id from runs`,
  sql`
    insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, run_id, created_at)
    select case when n <= ${rowsMade} then ${large}::text else 'ws_small_' || n % 400 + 1 end, 'led_' || lpad(n::text, 26, '0'), 'hold', 'available', 'reserved', 1, 0, 0, 'run_' || lpad(n::text, 26, '0'), n
    from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`
    insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, top_up_id, created_at)
    select case when n <= ${rowsMade} then ${large}::text else 'ws_small_' || n % 400 + 1 end, 'led_t' || lpad(n::text, 25, '0'), 'top_up', 'funding', 'available', 1, 0, 0, 'top_' || lpad(n::text, 26, '0'), n
    from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`
    insert into top_ups (workspace_id, top_up_id, status, amount_micros, created_at)
    select case when n <= ${rowsMade} then ${large}::text else 'ws_small_' || n % 400 + 1 end, 'top_' || lpad(n::text, 26, '0'), 'pending', 1, n from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`
    insert into capability_requests (workspace_id, capability_request_id, title, description, status, idempotency_key, created_at)
    select case when n <= ${rowsMade} then ${large}::text else 'ws_small_' || n % 400 + 1 end, 'cap_' || lpad(n::text, 26, '0'), '', '', 'open', n::text, n from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`
    insert into audit_entries (entry_id, created_at, actor, actor_name, action, subject_kind, subject_id, workspace_id)
    select 'aud_' || lpad(n::text, 26, '0'), n, '{"kind":"command_line","from":null,"requestId":null}', 'command_line', 'workspace.credited', 'workspace', 'subject ' || n,
      case when n <= ${rowsMade} then ${large}::text else 'ws_' || lpad((n % 400)::text, 26, '0') end
    from generate_series(1, ${rowsMade + 4_000}::int) n`,
  sql`update wallets set reserved_micros = 1 where workspace_id = ${large}`,
  sql`
    insert into payments (payment_reference) select 'pi_' || n from generate_series(1, 4000) n`,
  sql`
    insert into connections (workspace_id, connection_id, provider_id, label, created_at, revoked_at)
    select ${large}::text, 'con_' || lpad(n::text, 26, '0'), 'p', '', n, n from generate_series(1, ${rowsMade}::int) n`
]

describe("the statements of lists", () => {
  // Autovacuum may look at a table at any time, and tells the planner its size before it tells what it holds.
  const known = {
    "before the planner knows anything": undefined,
    "once the planner knows the size of the tables": "vacuum",
    "once the planner knows what the tables hold": "analyze"
  }
  for (const [when, command] of Object.entries(known)) {
    it.live(`read a few rows of an index each, ${when}`, () =>
      Effect.gen(function* () {
        const database = yield* Database
        const { asked, recording } = recorded(database)
        yield* Effect.gen(function* () {
          const { workspaceId } = yield* funded(0)
          yield* Effect.forEach(fill(database.sql, workspaceId), (statement) => database.survey(statement), {
            discard: true
          })
          if (command !== undefined) yield* database.survey(database.sql.unsafe(command))
          const runs = yield* RunStore
          const wallet = yield* Wallet
          const lists = yield* Effect.all({
            topUps: TopUps,
            requests: CapabilityRequests,
            secrets: SecretRows,
            audit: AuditTrail
          })
          asked.length = 0
          const middle = String(rowsMade / 2).padStart(26, "0")
          for (const after of [null, `run_${middle}`]) {
            for (const resultBytesMax of [null, 1_000]) {
              for (const capability of [undefined, "people.email.find", "no.such.job"]) {
                for (const status of [undefined, ...RunStatus.literals]) {
                  const filter = {
                    ...(capability === undefined ? {} : { capability }),
                    ...(status === undefined ? {} : { status })
                  }
                  const { items } = yield* runs.list(workspaceId, filter, { limit, after }, resultBytesMax)
                  assert.lengthOf(
                    items,
                    capability !== "no.such.job" && (status ?? "completed") === "completed" ? limit : 0
                  )
                }
              }
            }
          }
          for (const idempotencyKey of [String(rowsMade / 2), "never sent"]) {
            const { items } = yield* runs.list(workspaceId, { idempotencyKey }, { limit, after: null }, 1_000)
            assert.lengthOf(items, idempotencyKey === "never sent" ? 0 : 1)
          }
          for (const after of [null, `${rowsMade / 2}.${rowsMade / 2}`]) {
            for (const kind of [undefined, ...LedgerKind.literals]) {
              for (const time of [{}, { fromMillis: 10 }, { toMillis: 20 }, { fromMillis: 10, toMillis: 11 }]) {
                yield* wallet.entries(
                  workspaceId,
                  { ...(kind === undefined ? {} : { kind }), ...time },
                  { limit, after }
                )
              }
            }
            yield* wallet.entries(workspaceId, { runId: RunId.make(`run_${middle}`) }, { limit, after })
            yield* wallet.entries(workspaceId, { topUpId: TopUpId.make(`top_${middle}`) }, { limit, after })
            yield* lists.topUps.list(workspaceId, { limit, after: after === null ? null : `top_${middle}` })
            yield* lists.requests.list(workspaceId, { limit, after: after === null ? null : `cap_${middle}` })
            yield* lists.secrets.connections(workspaceId, { limit, after: after === null ? null : `con_${middle}` })
          }
          const audits: ReadonlyArray<AuditFilter> = [
            {},
            { fromMillis: 10, toMillis: rowsMade / 2 },
            { actor: "command_line" },
            { actor: "nobody" },
            { action: "workspace.credited" },
            { action: "token.revoked" }
          ]
          for (const after of [null, `${rowsMade / 2}.0`]) {
            for (const filter of audits) {
              const { items } = yield* lists.audit.list({ workspaceId, ...filter }, { limit, after })
              assert.strictEqual(items.length > 0, filter.actor !== "nobody" && filter.action !== "token.revoked")
            }
          }
          yield* wallet.overview(workspaceId)
          yield* runs.detail({ workspaceId, runId: RunId.make(`run_${middle}`) })
          yield* runs.smallDetail({ workspaceId, runId: RunId.make(`run_${middle}`) })
          yield* runs.locate(RunId.make(`run_${middle}`))
          yield* runs.locateRequest(RequestId.make(`req_1${middle.slice(1)}`))
        }).pipe(
          Effect.provide(
            Layer.mergeAll(
              storagePg,
              Layer.provide(AuditTrailPg, IdsCrypto),
              Layer.provide(CapabilityRequestsPg, IdsCrypto),
              SecretRowsPg
            ).pipe(Layer.provide(recording))
          )
        )
        const distinct = new Map(asked.map((statement) => [JSON.stringify(statement), statement]))
        assert.isAbove(distinct.size, 100)
        for (const [text, params] of distinct.values()) {
          const plan = yield* explain(database, text, params)
          const nodes = nodesOf(plan)
          const story = `${text}\n${JSON.stringify(params)}\n${JSON.stringify(plan, null, 1)}`
          for (const node of nodes) {
            assert.notMatch(node["Node Type"], /Seq Scan|Bitmap/, story)
            if (node["Index Name"] !== undefined) assert.isDefined(node["Index Cond"], story)
            // One index range for each of six statuses, each with one row more than a page.
            assert.isAtMost(readBy(node), 6 * (limit + 1), story)
          }
        }
      }).pipe(Effect.provide(testDatabase()))
    )
  }
})
