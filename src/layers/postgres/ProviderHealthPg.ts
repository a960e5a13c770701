/**
 * Operator states in Postgres, read into memory every two seconds, so that what one node is told holds on all of them;
 * circuits stay each node's own. While Postgres does not answer, the last known states stand.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import { ProviderHealth, type ProviderState } from "../../services/ProviderHealth.js"
import { Database } from "./Database.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"

const refreshEvery = "2 seconds"

const make = Effect.gen(function* () {
  const { query, sql, transact } = yield* Database
  let states: ReadonlyMap<string, ProviderState> = new Map()
  // One at a time, so that an older reading never replaces a newer one.
  const one = yield* Effect.makeSemaphore(1)

  const refresh = one.withPermits(1)(
    Effect.map(
      query(
        sql<{
          readonly providerId: string
          readonly state: ProviderState
        }>`select provider_id as "providerId", state from provider_states`
      ),
      (rows) => {
        states = new Map(rows.map(({ providerId, state }) => [providerId, state]))
      }
    )
  )
  yield* Effect.ignore(refresh)
  yield* Effect.forkScoped(
    Effect.withTracerEnabled(Effect.schedule(Effect.ignore(refresh), Schedule.spaced(refreshEvery)), false)
  )

  return providerHealthOver({
    of: (providerId) => states.get(providerId),
    set: Effect.fn("ProviderHealth.setState")(function* (providerId: string, state: ProviderState) {
      const now = yield* Clock.currentTimeMillis
      yield* transact(sql`
        insert into provider_states (provider_id, state, changed_at) values (${providerId}, ${state}, ${now})
        on conflict (provider_id) do update set state = excluded.state, changed_at = excluded.changed_at`)
      yield* refresh
    })
  })
})

export const ProviderHealthPg: Layer.Layer<ProviderHealth, never, Database> = Layer.scoped(ProviderHealth, make)
