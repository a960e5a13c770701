/**
 * What must hold after any attack, read from rows and from the provider's own count: nothing stuck, nothing astray,
 * nothing called twice.
 */
import { Effect } from "effect"
import type { Findings } from "./Findings.js"
import { type Spender, type Stage, whileStorageReturns } from "./Stage.js"

interface Account {
  readonly workspaceId: string
  readonly granted: number
  readonly available: number
  readonly reserved: number
  readonly charged: number
  readonly uncertain: number
  readonly runs: number
  readonly keys: number
  readonly inflight: number
}

interface Attempt {
  readonly attemptId: string
  readonly runId: string
  readonly status: string
  readonly endpointId: string
  readonly n: number
  readonly costMicros: number | null
}

export interface Audit {
  readonly astrayMicros: number
  readonly runs: number
}

const effectful = "mock-send-message"
const settledWithinMillis = 20_000

interface Count {
  readonly live: number
  readonly runs: number
}

const count = (stage: Stage, ids: ReadonlyArray<string>) =>
  Effect.map(
    stage.rows<Count>(
      "select count(*) filter (where status in ('queued', 'running'))::int as live, count(*)::int as runs from runs where workspace_id = any($1::text[])",
      [ids]
    ),
    ([row]) => row ?? { live: 0, runs: 0 }
  )

/**
 * What `read` gives of a moment at which no run was under way, and whether there was such a moment. A request that its
 * client has given up may be admitted late, so what was read beside one is read again.
 */
const atRest = <A>(
  stage: Stage,
  ids: ReadonlyArray<string>,
  read: Effect.Effect<A>
): Effect.Effect<{ readonly found: A; readonly rested: boolean }> => {
  const look = Effect.gen(function* () {
    const before = yield* count(stage, ids)
    if (before.live > 0) return null
    const found = yield* read
    const after = yield* count(stage, ids)
    return after.live === 0 && after.runs === before.runs ? { found, rested: true } : null
  })
  return Effect.repeat(Effect.delay(look, "50 millis"), { until: (rested) => rested !== null }).pipe(
    Effect.timeoutTo({ duration: settledWithinMillis, onSuccess: (rested) => rested, onTimeout: () => null }),
    Effect.flatMap((rested) =>
      rested === null ? Effect.map(read, (found) => ({ found, rested: false })) : Effect.succeed(rested)
    )
  )
}

const read = (stage: Stage, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const verified = yield* Effect.orDie(Effect.retry(stage.wallet.verify, whileStorageReturns))
    const accounts = yield* stage.rows<Account>(
      `select w.workspace_id as "workspaceId", w.available_micros as available, w.reserved_micros as reserved, w.inflight,
         coalesce((select sum(amount_micros) from ledger_entries e where e.workspace_id = w.workspace_id and kind in ('adjustment', 'top_up')), 0)::bigint as granted,
         coalesce(sum(r.charge_micros), 0)::bigint as charged,
         coalesce(sum(r.hold_micros) filter (where r.status = 'reconciliation_pending'), 0)::bigint as uncertain,
         count(r.run_id)::int as runs, count(distinct r.idempotency_key)::int as keys
       from wallets w left join runs r on r.workspace_id = w.workspace_id
       where w.workspace_id = any($1::text[]) group by w.workspace_id`,
      [ids]
    )
    const attempts = yield* stage.rows<Attempt>(
      `select attempt_id as "attemptId", run_id as "runId", status, endpoint_id as "endpointId", n, cost_micros as "costMicros"
       from attempts where workspace_id = any($1::text[])`,
      [ids]
    )
    const wrong = yield* stage.rows<{ runId: string; status: string; charge: number; cost: number }>(
      `select r.run_id as "runId", r.status, r.charge_micros as charge, coalesce(sum(a.cost_micros), 0)::bigint as cost
       from runs r left join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.run_id
       where r.workspace_id = any($1::text[]) and r.charge_micros is not null
       group by r.workspace_id, r.run_id having r.charge_micros <> least(r.hold_micros, coalesce(sum(a.cost_micros), 0))`,
      [ids]
    )
    return { accounts, attempts, verified, wrong }
  })

/** Waits until no run is under way, notes one that does not end, and recomputes everything about these spenders. */
export const audit = (stage: Stage, findings: Findings, spenders: ReadonlyArray<Spender>): Effect.Effect<Audit> =>
  Effect.gen(function* () {
    const ids = spenders.map(({ workspaceId }) => workspaceId)
    const {
      found: { accounts, attempts, verified, wrong },
      rested
    } = yield* atRest(stage, ids, read(stage, ids))
    if (!rested) {
      const stuck = yield* stage.rows(
        `select run_id, status, endpoint_id, lease_node, lease_expires_at, cancel_requested, (extract(epoch from now()) * 1000)::bigint - created_at as age
         from runs where workspace_id = any($1::text[]) and status in ('queued', 'running') limit 3`,
        [ids]
      )
      findings.note(`runs never ended: ${JSON.stringify(stuck)}`)
    }

    findings.hold(verified.ok, `the ledger does not add up: ${verified.difference}`)

    for (const account of accounts) {
      findings.hold(
        account.runs === account.keys,
        `${account.runs} runs of ${account.keys} keys in ${account.workspaceId}`
      )
      if (rested) findings.hold(account.inflight === 0, `${account.inflight} runs are counted in flight and none is`)
      if (rested)
        findings.hold(
          account.reserved === account.uncertain,
          `${account.reserved} micros are reserved, and uncertain runs hold ${account.uncertain}`
        )
    }
    const astrayMicros =
      verified.driftMicros +
      accounts.reduce(
        (sum, { available, charged, granted, reserved }) => sum + Math.abs(granted - available - reserved - charged),
        0
      )

    for (const attempt of attempts) {
      const calls = stage.fixture.calls.byReference(attempt.attemptId)
      findings.hold(calls <= 1, `an attempt at ${attempt.endpointId} was sent ${calls} times`)
      findings.hold(
        attempt.status !== "running" || !rested,
        `an attempt of an ended run is still open: ${JSON.stringify(attempt)}`
      )
      if (attempt.costMicros !== null && attempt.costMicros > 0)
        findings.hold(calls === 1, `${attempt.runId} paid for a call that was not made`)
      if (attempt.endpointId === effectful)
        findings.hold(attempt.n === 1, `an effectful operation was tried ${attempt.n} times in ${attempt.runId}`)
    }
    for (const { charge, cost, runId, status } of wrong)
      findings.note(`${runId} is ${status}, cost ${cost} and was charged ${charge}`)
    return { astrayMicros, runs: accounts.reduce((sum, { runs }) => sum + runs, 0) }
  })
