import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import {
  type Circuit,
  closed,
  openForSeconds,
  type Signal,
  signalOf,
  signalToOwnKeys,
  step
} from "../../src/domain/Circuit.js"
import { CallLost, type CallRunFailure, notSent, ProviderFailure } from "../../src/domain/ProviderCall.js"
import {
  AuthError,
  CapacityExhausted,
  ConnectionInvalid,
  FetchFailed,
  ProviderError,
  ProviderHttpError,
  ProviderRateLimited,
  ProviderTimeout
} from "../../src/domain/RunFailures.js"

const answered: Signal = { _tag: "Answered" }
const failed: Signal = { _tag: "Failed" }
const start = 1_800_000_000_000
/** The circuit after signals one second apart, and the moment after the last. */
const after = (signals: ReadonlyArray<Signal>, from: Circuit = closed, at = start) =>
  signals.reduce(({ circuit, now }, signal) => ({ circuit: step(circuit, signal, now), now: now + 1000 }), {
    circuit: from,
    now: at
  })
const times = (n: number, signal: Signal) => Array.from({ length: n }, () => signal)
const isOpen = (signals: ReadonlyArray<Signal>) => {
  const { circuit, now } = after(signals)
  return openForSeconds(circuit, now - 1000) > 0
}

describe("Circuit", () => {
  it("opens on five failures in a row, and an answer in between starts the count anew", () => {
    assert.isFalse(isOpen(times(4, failed)))
    assert.isTrue(isOpen(times(5, failed)))
    assert.isFalse(isOpen([...times(4, failed), answered, ...times(4, failed)]))
  })

  it("opens when half of twenty calls within a minute fail, and not when they are spread over more", () => {
    const mixed = Array.from({ length: 10 }, () => [answered, failed]).flat()
    assert.isTrue(isOpen(mixed))
    assert.isFalse(isOpen(mixed.slice(0, 19)))
    const slow = mixed.reduce(
      ({ circuit, now }, signal) => ({ circuit: step(circuit, signal, now), now: now + 5000 }),
      { circuit: closed, now: start }
    )
    assert.strictEqual(openForSeconds(slow.circuit, slow.now), 0)
  })

  it("is half-open after its pause: a failure opens it for twice as long, an answer closes it", () => {
    const opened = after(times(5, failed))
    assert.strictEqual(openForSeconds(opened.circuit, opened.now - 1000), 10)
    const halfOpen = opened.now - 1000 + 10_000
    assert.strictEqual(openForSeconds(opened.circuit, halfOpen), 0)
    const again = step(opened.circuit, failed, halfOpen)
    assert.strictEqual(openForSeconds(again, halfOpen), 20)
    const closedAgain = step(opened.circuit, answered, halfOpen)
    assert.strictEqual(openForSeconds(step(closedAgain, failed, halfOpen), halfOpen), 0)
  })

  it("pauses grow to five minutes at most", () => {
    let circuit = after(times(5, failed)).circuit
    let longest = 0
    for (let n = 0; n < 20; n++) {
      const now = circuit.openUntil
      circuit = step(circuit, failed, now)
      longest = Math.max(longest, openForSeconds(circuit, now))
    }
    assert.strictEqual(longest, 300)
  })

  it("calls that were under way when it opened neither close it nor make the pause longer", () => {
    const opened = after(times(5, failed))
    for (const late of [answered, failed]) {
      assert.strictEqual(step(opened.circuit, late, opened.now).openUntil, opened.circuit.openUntil)
    }
    // Nor do they count once it is closed again.
    const paused = step(closed, { _tag: "RateLimited", seconds: 30 }, start)
    const { circuit } = after(times(4, failed), paused, start + 1_000)
    assert.isFalse(openForSeconds(step(circuit, failed, start + 31_000), start + 31_000) > 0)
  })

  it("waits as long as a provider asks after a 429, within bounds, and ten minutes for credit", () => {
    const openFor = (signal: Signal) => openForSeconds(step(closed, signal, start), start)
    assert.strictEqual(openFor({ _tag: "RateLimited", seconds: 7 }), 7)
    assert.strictEqual(openFor({ _tag: "RateLimited", seconds: 0 }), 1)
    assert.strictEqual(openFor({ _tag: "RateLimited", seconds: 86_400 }), 300)
    assert.strictEqual(openFor({ _tag: "OutOfCredit" }), 600)
  })

  it.prop(
    "whatever happens, it closes by itself within ten minutes",
    [
      FastCheck.array(
        FastCheck.constantFrom<Signal>(answered, failed, { _tag: "RateLimited", seconds: 60 }, { _tag: "OutOfCredit" })
      )
    ],
    ([signals]) => {
      const { circuit, now } = after(signals)
      return openForSeconds(circuit, now - 1000) <= 600
    }
  )

  it("blames a provider for its failures, and not for a customer's mistake or a call that was never sent", () => {
    const told = { cost: { _tag: "None" }, evidence: null } as const
    const refused = (failure: CallRunFailure) => signalOf(new ProviderFailure({ ...told, failure, sent: true }))
    const lost = (failure: CallRunFailure) => signalOf(new CallLost({ ...told, failure }))
    assert.deepStrictEqual(signalOf(null), answered)
    assert.deepStrictEqual(refused(new ProviderError({ providerStatus: 500 })), failed)
    assert.deepStrictEqual(lost(new ProviderTimeout()), failed)
    assert.deepStrictEqual(signalOf(notSent(new FetchFailed())), failed)
    assert.deepStrictEqual(refused(new AuthError({ providerStatus: 401 })), failed)
    assert.deepStrictEqual(refused(new ProviderHttpError({ providerStatus: 404 })), answered)
    assert.deepStrictEqual(refused(new ProviderHttpError({ providerStatus: 402 })), { _tag: "OutOfCredit" })
    assert.deepStrictEqual(refused(new CapacityExhausted({ providerStatus: 200 })), { _tag: "OutOfCredit" })
    assert.deepStrictEqual(refused(new ProviderRateLimited({ retryAfterSeconds: 9, providerStatus: 429 })), {
      _tag: "RateLimited",
      seconds: 9
    })
    assert.isNull(signalOf(notSent(new ConnectionInvalid())))
  })

  it("tells a customer's own key of what the provider has, and not of what the platform's key has", () => {
    const told = { cost: { _tag: "None" }, evidence: null, sent: true } as const
    const signal = (failure: CallRunFailure) => signalToOwnKeys(new ProviderFailure({ ...told, failure }))
    assert.deepStrictEqual(signal(new ProviderError({ providerStatus: 500 })), failed)
    assert.deepStrictEqual(signalToOwnKeys(notSent(new FetchFailed())), failed)
    for (const failure of [
      new AuthError({ providerStatus: 401 }),
      new CapacityExhausted({ providerStatus: 200 }),
      new ProviderHttpError({ providerStatus: 402 }),
      new ProviderRateLimited({ retryAfterSeconds: 9, providerStatus: 429 })
    ])
      assert.deepStrictEqual(signal(failure), answered, failure.code)
    assert.deepStrictEqual(signalToOwnKeys(null), answered)
    assert.isNull(signalToOwnKeys(notSent(new ConnectionInvalid())))
    // An access token that nobody gave was not refused by the operation: the key has the trouble, nobody answered.
    assert.isNull(signalToOwnKeys(notSent(new AuthError())))
  })
})
