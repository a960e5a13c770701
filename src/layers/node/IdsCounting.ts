/**
 * Identifiers made of the clock's time and a number that counts from 1. They are for tests and trials that want the
 * same ids every time, and never for production, because they can be guessed.
 */
import { Effect, Layer } from "effect"
import { suffix } from "../../domain/Ids.js"
import { Ids } from "../../services/Ids.js"

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
