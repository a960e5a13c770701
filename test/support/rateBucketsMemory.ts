/** Token buckets in the memory of one process, by its clock, which several nodes of one test share. */
import { Clock, Effect, Layer, Ref } from "effect"
import { RateBuckets } from "../../src/services/RateBuckets.js"

export const RateBucketsMemory: Layer.Layer<RateBuckets> = Layer.effect(
  RateBuckets,
  Effect.map(Ref.make<ReadonlyMap<string, number>>(new Map()), (fullAt) =>
    RateBuckets.of({
      spend: (spent, mostMillis) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Ref.modify(fullAt, (before) => {
            const after = new Map(before)
            for (const { millis, tenant } of spent)
              after.set(tenant, Math.min(Math.max(after.get(tenant) ?? now, now) + millis, now + mostMillis))
            return [spent.map(({ tenant }) => ({ tenant, fullInMillis: (after.get(tenant) ?? now) - now })), after]
          })
        ),
      forgetFull: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Ref.update(fullAt, (before) => new Map([...before].filter(([, at]) => at > now)))
      )
    })
  )
)
