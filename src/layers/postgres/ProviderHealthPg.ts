/**
 * The health of providers where operators set their states in Postgres. Each node reads the states into memory every
 * two seconds, so a state that is set on one node holds on all. Circuits stay local to each node. While Postgres does
 * not answer, the last known states hold. A node that has not read the states yet does not start, so that it never
 * takes a disabled provider for an enabled one.
 */
import { Effect, Layer } from "effect"
import type { Ids } from "../../services/Ids.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { ProviderStates } from "../../services/ProviderStates.js"
import { makeReading } from "../node/Background.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"
import type { Database } from "./Database.js"
import { ProviderStatesPg } from "./ProviderStatesPg.js"

const make = Effect.gen(function* () {
  const { all, set } = yield* ProviderStates
  const states = yield* makeReading({ name: "provider states", every: "2 seconds" }, all)
  return providerHealthOver({ of: (providerId) => states.last().get(providerId), set, refresh: states.refresh })
})

export const ProviderHealthPg: Layer.Layer<ProviderHealth, never, Database | Ids> = Layer.scoped(
  ProviderHealth,
  make
).pipe(Layer.provide(ProviderStatesPg))
