import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { ProviderFailure } from "../../../src/domain/ProviderCall.js"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { ProviderError, ProviderHttpError } from "../../../src/domain/RunFailures.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { ProviderHealthMemory } from "../../../src/layers/memory/ProviderHealthMemory.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { ProviderHealthPg } from "../../../src/layers/postgres/ProviderHealthPg.js"
import { ProviderHealth } from "../../../src/services/ProviderHealth.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

const failure = new ProviderFailure({
  failure: new ProviderError({ providerStatus: 500 }),
  sent: true,
  cost: { _tag: "None" },
  evidence: null
})

const outOfCredit = new ProviderFailure({
  failure: new ProviderHttpError({ providerStatus: 402 }),
  sent: true,
  cost: { _tag: "None" },
  evidence: null
})

const suite = (name: string, layer: Layer.Layer<ProviderHealth>) =>
  describe(name, () => {
    it.effect("a provider is enabled until an operator says otherwise, and that holds from the next question", () =>
      Effect.gen(function* () {
        const health = yield* ProviderHealth
        assert.deepStrictEqual(yield* health.health("a"), { state: "enabled", openForSeconds: 0 })
        for (const state of ["draining", "disabled", "enabled"] as const) {
          yield* health.setState("a", state, commandLine)
          assert.strictEqual((yield* health.health("a")).state, state)
        }
        yield* health.setState("a", "disabled", commandLine)
        assert.strictEqual((yield* health.health("b")).state, "enabled")
      }).pipe(Effect.provide(layer))
    )

    it.effect(
      "used-up credit of the platform's key closes no provider to a customer's own connection; an outage does",
      () =>
        Effect.gen(function* () {
          const health = yield* ProviderHealth
          const seconds = (key: "Platform" | "None" | "Connection") =>
            Effect.map(health.health("e", key), ({ openForSeconds }) => openForSeconds)
          const keys = ["Platform", "None", "Connection"] as const
          yield* health.record("e", outOfCredit)
          assert.deepStrictEqual(yield* Effect.forEach(keys, seconds), [600, 600, 0])
          yield* Effect.replicateEffect(health.record("e", failure), 5)
          assert.deepStrictEqual(yield* Effect.forEach(keys, seconds), [600, 600, 10])
        }).pipe(Effect.provide(layer))
    )

    it.effect("failures of one provider open its circuit for a while and no other's", () =>
      Effect.gen(function* () {
        const health = yield* ProviderHealth
        yield* Effect.replicateEffect(health.record("c", failure), 5)
        assert.strictEqual((yield* health.health("c")).openForSeconds, 10)
        assert.strictEqual((yield* health.health("d")).openForSeconds, 0)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* health.health("c")).openForSeconds, 0)
      }).pipe(Effect.provide(layer))
    )
  })

const database = Layer.merge(sharedDatabase(), IdsCrypto)
suite(
  "ProviderHealthMemory",
  ProviderHealthMemory.pipe(Layer.provide(AuditTrailMemory), Layer.provide([MemoryStorageLayer, IdsCrypto]))
)
suite("ProviderHealthPg", Layer.provide(ProviderHealthPg, database))

describe("ProviderHealthPg", () => {
  it.effect("a node that starts later knows what an operator set", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Effect.flatMap(ProviderHealth, (health) => health.setState("e", "disabled", commandLine)),
        ProviderHealthPg
      )
      const { state } = yield* Effect.provide(
        Effect.flatMap(ProviderHealth, (health) => health.health("e")),
        ProviderHealthPg
      )
      assert.strictEqual(state, "disabled")
    }).pipe(Effect.provide(database))
  )

  it.effect(
    "a node that cannot read the states at its start waits, and never takes a disabled provider for enabled",
    () =>
      Effect.gen(function* () {
        yield* Effect.provide(
          Effect.flatMap(ProviderHealth, (health) => health.setState("f", "disabled", commandLine)),
          ProviderHealthPg
        )
        const real = yield* Database
        let away = true
        const failing: typeof real = {
          ...real,
          query: (statement) =>
            Effect.suspend(() =>
              away ? Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) : real.query(statement)
            )
        }
        const state = yield* Effect.fork(
          Effect.provide(
            Effect.flatMap(ProviderHealth, (health) => health.health("f")),
            Layer.provide(Layer.fresh(ProviderHealthPg), Layer.succeed(Database, failing))
          )
        )
        yield* TestClock.adjust("1 minute")
        assert.isTrue((yield* Fiber.poll(state))._tag === "None")
        away = false
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(state)).state, "disabled")
      }).pipe(Effect.provide(database))
  )
})
