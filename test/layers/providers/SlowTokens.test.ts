/**
 * A call whose access token is slow to come: nothing has been sent until the token is there, so the call has its whole
 * time from then on. The time of these tests stands still but for what the token takes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Redacted, Runtime, TestClock } from "effect"
import { callOf, callOnce, callWith, engine, json, platformKey, providerOrigin, serve } from "./support.js"

const timeoutMs = 2_000
const effectful = { effect: "effectful", repeatable: false, timeoutMs }

/** Answers later than an exchange could that has a millisecond. */
const serveSlowToken = (tokenMillis: number, statusOf: (token: string) => number = () => 200) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    let made = 0
    return yield* serve((seen, response) => {
      if (seen.url === "/token")
        return void Runtime.runFork(runtime)(
          Effect.zipRight(
            TestClock.adjust(tokenMillis),
            Effect.sync(() => json(response, 200, { access_token: `token-${(made += 1)}`, expires_in: 3600 }))
          )
        )
      const token = (seen.headers["authorization"] ?? "").replace("Bearer ", "")
      setTimeout(() => json(response, statusOf(token), {}), 20)
    })
  })

const client = {
  provider: { auth: { type: "oauth2_client_credentials", tokenUrl: `${providerOrigin}/token` } },
  credential: platformKey("client:secret-1")
}

describe("an access token that is slow to come", () => {
  it.scoped("takes nothing of the time of an effectful call: that of a client", () =>
    Effect.gen(function* () {
      const provider = yield* serveSlowToken(timeoutMs - 1)
      const result = yield* callOnce(provider, { ...client, operation: effectful })
      assert.strictEqual(result._tag, "Answered")
      assert.strictEqual(provider.requests.filter(({ url }) => url !== "/token").length, 1)
    })
  )

  it.scoped("takes nothing of the time of an effectful call: that of a user's account", () =>
    Effect.gen(function* () {
      const provider = yield* serveSlowToken(0)
      const account = {
        type: "oauth2_authorization_code",
        authorizationUrl: `${providerOrigin}/auth`,
        tokenUrl: `${providerOrigin}/token`
      }
      const take = () => Effect.as(TestClock.adjust(timeoutMs - 1), Redacted.make("token-of-the-user"))
      const result = yield* callOnce(provider, {
        provider: { platformKey: false, auth: account },
        credential: {
          _tag: "Connection",
          connectionId: "con_1",
          secret: Redacted.make("token-as-stored"),
          accessTokens: { take }
        },
        operation: effectful
      })
      assert.strictEqual(result._tag, "Answered")
    })
  )

  it.scoped("takes nothing of the time of a call that is repeated with a new one", () =>
    Effect.gen(function* () {
      const provider = yield* serveSlowToken(timeoutMs - 1, (token) => (token === "token-1" ? 401 : 200))
      const result = yield* callOnce(provider, { ...client, operation: { timeoutMs } })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(
        provider.requests.map(({ headers, url }) => (url === "/token" ? url : headers["authorization"])),
        ["/token", "Bearer token-1", "/token", "Bearer token-2"]
      )
    })
  )

  it.scoped("is waited for no longer than a call may take, and nothing is sent then", () =>
    Effect.gen(function* () {
      const provider = yield* serveSlowToken(timeoutMs)
      const result = yield* callOnce(provider, { ...client, operation: effectful })
      assert.strictEqual(result._tag, "ProviderFailure")
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "timeout")
      assert.deepStrictEqual(
        provider.requests.map(({ url }) => url),
        ["/token"]
      )
    })
  )
})

describe("a client's access token that is due to be renewed", () => {
  const call = callWith(callOf({ ...client, operation: { timeoutMs } }))
  /** A token lives for an hour and is renewed in its last minute. What the token address answers is told each time. */
  const stage = Effect.gen(function* () {
    let gives = true
    let refuses = ""
    let made = 0
    const provider = yield* serve((seen, response) => {
      if (seen.url === "/token")
        return gives
          ? json(response, 200, { access_token: `token-${(made += 1)}`, expires_in: 3600 })
          : json(response, 503, {})
      json(response, seen.headers["authorization"] === `Bearer ${refuses}` ? 401 : 200, {})
    })
    return {
      provider,
      give: (does: boolean) => void (gives = does),
      refuse: (token: string) => void (refuses = token),
      sent: () => provider.requests.map(({ headers, url }) => (url === "/token" ? url : headers["authorization"]))
    }
  })

  it.scoped("goes on until it ends where its address fails, which is asked again by each call", () =>
    Effect.gen(function* () {
      const { give, provider, sent } = yield* stage
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* call)._tag, "Answered")
        give(false)
        yield* TestClock.adjust("3545 seconds")
        assert.strictEqual((yield* call)._tag, "Answered")
        assert.strictEqual((yield* call)._tag, "Answered")
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* call)._tag, "ProviderFailure")
        give(true)
        assert.strictEqual((yield* call)._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
      assert.deepStrictEqual(sent(), [
        ...["/token", "Bearer token-1", "/token", "Bearer token-1", "/token", "Bearer token-1"],
        ...["/token", "/token", "Bearer token-2"]
      ])
    })
  )

  it.scoped("is not sent again once the provider has refused it", () =>
    Effect.gen(function* () {
      const { give, provider, refuse, sent } = yield* stage
      yield* Effect.gen(function* () {
        yield* call
        give(false)
        refuse("token-1")
        yield* TestClock.adjust("3545 seconds")
        assert.strictEqual((yield* call)._tag, "ProviderFailure")
        assert.strictEqual((yield* call)._tag, "ProviderFailure")
      }).pipe(Effect.provide(engine(provider)))
      assert.deepStrictEqual(sent(), ["/token", "Bearer token-1", "/token", "Bearer token-1", "/token", "/token"])
    })
  )

  it.scoped("goes on where its address is slow, and the new one is for the next call", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime<never>()
      const told = yield* Deferred.make<void>()
      let made = 0
      const provider = yield* serve((seen, response) => {
        if (seen.url !== "/token") return json(response, 200, {})
        made += 1
        const give = Effect.sync(() => json(response, 200, { access_token: `token-${made}`, expires_in: 3600 }))
        if (made === 1) return void Runtime.runSync(runtime)(give)
        Runtime.runFork(runtime)(
          TestClock.adjust("1500 millis").pipe(Effect.zipRight(Deferred.await(told)), Effect.zipRight(give))
        )
      })
      const sent = () =>
        provider.requests.map(({ headers, url }) => (url === "/token" ? url : headers["authorization"]))
      yield* Effect.gen(function* () {
        yield* call
        yield* TestClock.adjust("3545 seconds")
        assert.strictEqual((yield* call)._tag, "Answered")
        yield* Deferred.succeed(told, undefined)
        assert.strictEqual((yield* call)._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
      assert.deepStrictEqual(sent().slice(0, 4), ["/token", "Bearer token-1", "/token", "Bearer token-1"])
      assert.strictEqual(provider.requests.filter(({ url }) => url === "/token").length, 2)
    })
  )
})
