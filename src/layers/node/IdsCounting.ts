/**
 * Identifiers that count from 1 under the time of the clock, for tests and trials that want the same ids every time.
 * Never for production: they can be guessed.
 */
import { Clock, Effect, Layer } from "effect"
import { suffix } from "../../domain/Ids.js"
import { Ids } from "../../services/Ids.js"

const make = Effect.sync(() => {
  let count = 0
  const next = (millis: number): string => {
    count += 1
    const tail = new Uint8Array(10)
    new DataView(tail.buffer).setUint32(6, count)
    return suffix(millis, tail)
  }
  return Ids.of({ suffix: Effect.map(Clock.currentTimeMillis, next) })
})

export const IdsCounting: Layer.Layer<Ids> = Layer.effect(Ids, make)
