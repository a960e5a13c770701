/**
 * Operator states in Postgres. Each node reads them into memory every two seconds, so a state that is set on one node
 * holds on all. Circuits stay local to each node. While Postgres does not answer, the last known states hold. A node
 * that has not read the states yet does not start, so that it never takes a disabled provider for an enabled one.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { AuditTrail } from "../../services/AuditTrail.js"
import type { Ids } from "../../services/Ids.js"
import { ProviderHealth, ProviderState } from "../../services/ProviderHealth.js"
import { makeReading } from "../node/Background.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"

const stateRows = rowsOf(Schema.Struct({ providerId: Schema.String, state: ProviderState }))

const make = Effect.gen(function* () {
  const { query, sql } = yield* Database
  const trail = yield* AuditTrail
  const states = yield* makeReading(
    { name: "provider states", every: "2 seconds" },
    Effect.map(
      stateRows(query(sql`select provider_id as "providerId", state from provider_states`)),
      (rows): ReadonlyMap<string, ProviderState> => new Map(rows.map(({ providerId, state }) => [providerId, state]))
    )
  )

  return providerHealthOver(
    {
      of: (providerId) => states.last().get(providerId),
      set: Effect.fnUntraced(function* (providerId, state) {
        const now = yield* Clock.currentTimeMillis
        const [before] = yield* stateRows(
          query(
            sql`select provider_id as "providerId", state from provider_states where provider_id = ${providerId} for update`
          )
        )
        yield* query(sql`
          insert into provider_states (provider_id, state, changed_at) values (${providerId}, ${state}, ${now})
          on conflict (provider_id) do update set state = excluded.state, changed_at = excluded.changed_at`)
        return before?.state ?? null
      }),
      refresh: states.refresh
    },
    trail
  )
})

export const ProviderHealthPg: Layer.Layer<ProviderHealth, never, Database | Ids> = Layer.scoped(
  ProviderHealth,
  make
).pipe(Layer.provide(AuditTrailPg))
