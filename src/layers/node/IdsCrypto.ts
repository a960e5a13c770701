/**
 * Identifiers made of the clock's time, a counter and random bytes of the operating system. The ids of one node sort in
 * the order in which they were made. The counter keeps that order within a millisecond and after the clock was set
 * back.
 */
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { suffix } from "../../domain/Ids.js"
import { Ids } from "../../services/Ids.js"

const randomPerId = 8
const counterMax = 0xffff
// One call of the system gives the randomness of 512 ids: the call costs far more than the bytes.
const blockBytes = 512 * randomPerId

const make = Effect.map(Effect.clock, (clock) => {
  let block = randomBytes(blockBytes)
  let used = 0
  // The same for every id: it is read at once.
  const tail = new Uint8Array(2 + randomPerId)
  let millis = 0
  let counter = 0

  const next = (): string => {
    const now = clock.unsafeCurrentTimeMillis()
    if (now > millis) {
      millis = now
      counter = 0
    } else if (counter === counterMax) {
      // More ids than a millisecond has numbers: borrow from the next one.
      millis += 1
      counter = 0
    } else {
      counter += 1
    }
    if (used === blockBytes) {
      block = randomBytes(blockBytes)
      used = 0
    }
    tail[0] = counter >> 8
    tail[1] = counter & 0xff
    for (let i = 0; i < randomPerId; i++) tail[2 + i] = block[used + i] ?? 0
    used += randomPerId
    return suffix(millis, tail)
  }
  return Ids.of({
    suffix: Effect.sync(next),
    suffixes: (count) => Effect.sync(() => Array.from({ length: count }, next))
  })
})

export const IdsCrypto: Layer.Layer<Ids> = Layer.effect(Ids, make)
