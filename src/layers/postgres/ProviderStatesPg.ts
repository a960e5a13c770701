/** Operator states in Postgres. */
import { Clock, Effect, Layer, Schema } from "effect"
import { AuditTrail } from "../../services/AuditTrail.js"
import type { Ids } from "../../services/Ids.js"
import { ProviderState, ProviderStates } from "../../services/ProviderStates.js"
import { changingState } from "../providers/ProviderStateChange.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"

const stateRows = rowsOf(Schema.Struct({ providerId: Schema.String, state: ProviderState }))

export const ProviderStatesPg: Layer.Layer<ProviderStates, never, Database | Ids> = Layer.effect(
  ProviderStates,
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    return ProviderStates.of({
      all: Effect.map(
        stateRows(query(sql`select provider_id as "providerId", state from provider_states`)),
        (rows) => new Map(rows.map(({ providerId, state }) => [providerId, state]))
      ),
      set: changingState(
        yield* AuditTrail,
        Effect.fnUntraced(function* (providerId, state) {
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
        })
      )
    })
  })
).pipe(Layer.provide(AuditTrailPg))
