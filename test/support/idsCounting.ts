/**
 * Identifiers made of the clock's time and a number that counts from 1, for tests that want the same ids every time.
 */
import { Effect, Layer } from "effect"
import { suffix } from "../../src/domain/Ids.js"
import { Ids } from "../../src/services/Ids.js"

const make = Effect.map(Effect.clock, (clock) => {
  let count = 0
  const next = (): string => {
    count += 1
    const tail = new Uint8Array(10)
    new DataView(tail.buffer).setUint32(6, count)
    return suffix(clock.unsafeCurrentTimeMillis(), tail)
  }
  return Ids.of({
    suffix: Effect.sync(next),
    suffixes: (count) => Effect.sync(() => Array.from({ length: count }, next))
  })
})

export const IdsCounting: Layer.Layer<Ids> = Layer.effect(Ids, make)
