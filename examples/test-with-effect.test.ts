// A whole gateway without HTTP, in a test with Effect.
import { it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { assert } from "vitest"
import { Caller, hit, run, testGateway, Wallet } from "provider-gateway/testing"

const slow = testGateway({ providers: { "mock-email-find": hit(undefined, { after: "3 seconds" }) } })
const request = { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }

it.effect("holds the money until the provider answers", () =>
  Effect.gen(function* () {
    const { principal } = yield* Caller
    const wallet = yield* Wallet
    const running = yield* Effect.fork(run(request))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* wallet.balance(principal.workspaceId)).reservedMicros, 5_000)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(running)).run.outcome, "hit")
  }).pipe(Effect.provide(slow.services))
)
