/**
 * Idempotency keys on Postgres. Callers hold the wallets' locks, so no other transaction can be claiming a key of the same
 * workspace at the same time, and what this statement sees is all there is.
 */
import { Effect, Layer, Schema } from "effect"
import { RunId } from "../domain/Ids.js"
import { Idempotency, type KeyClaim, type KeyState } from "../services/Idempotency.js"
import { Database } from "./Database.js"

const decodeOwners = Schema.decodeUnknown(Schema.Array(Schema.Struct({ n: Schema.Int, runId: RunId, requestDigest: Schema.String })))

const place = (claim: KeyClaim): string => `${claim.workspaceId} ${claim.key}`

export const IdempotencyPg: Layer.Layer<Idempotency, never, Database> = Layer.effect(
  Idempotency,
  Effect.map(Database, ({ query, sql }) => {
    const claim = Effect.fnUntraced(function*(claims: ReadonlyArray<KeyClaim>) {
      const first = new Map<string, KeyClaim>()
      for (const one of claims) if (!first.has(place(one))) first.set(place(one), one)
      const rows = [...first.values()].map((one, n) => ({ n, workspace_id: one.workspaceId, key: one.key, digest: one.requestDigest, run_id: one.runId }))
      const found = yield* query(sql`
        with wanted as (
          select * from json_to_recordset(${JSON.stringify(rows)}::json) as c (n int, workspace_id text, key text, digest text, run_id text)
        ), claimed as (
          insert into idempotency_keys (workspace_id, key, request_digest, run_id)
          select workspace_id, key, digest, run_id from wanted
          on conflict (workspace_id, key) do nothing
          returning workspace_id, key, run_id, request_digest
        )
        select c.n, coalesce(m.run_id, k.run_id) as "runId", coalesce(m.request_digest, k.request_digest) as "requestDigest"
        from wanted c
        left join claimed m on m.workspace_id = c.workspace_id and m.key = c.key
        left join idempotency_keys k on k.workspace_id = c.workspace_id and k.key = c.key
        where coalesce(m.run_id, k.run_id) is not null`)
      const owners = new Map((yield* Effect.orDie(decodeOwners(found))).map((owner) => [owner.n, owner]))
      // Neither ours nor anybody's: another transaction claims it at this moment, so the locks were not held. Never guess here.
      if (owners.size < rows.length) return yield* Effect.dieMessage("an idempotency key was claimed without the wallet's lock")
      const places = new Map([...first.keys()].map((where, n) => [where, n]))
      return claims.map((one): KeyState => {
        const owner = owners.get(places.get(place(one)) ?? -1)
        return owner === undefined || owner.runId === one.runId ? { _tag: "Claimed" } : { _tag: "Owned", runId: owner.runId, requestDigest: owner.requestDigest }
      })
    })

    return Idempotency.of({
      claim,
      release: (claims) =>
        Effect.asVoid(query(sql`
          delete from idempotency_keys k
          using json_to_recordset(${JSON.stringify(claims.map((one) => ({ workspace_id: one.workspaceId, key: one.key, run_id: one.runId })))}::json)
            as c (workspace_id text, key text, run_id text)
          where k.workspace_id = c.workspace_id and k.key = c.key and k.run_id = c.run_id`))
    })
  })
)
