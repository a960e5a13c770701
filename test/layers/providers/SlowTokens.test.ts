/**
 * A call whose access token is slow to come: nothing has been sent until the token is there, so the call has its whole
 * time from then on. The time of these tests stands still but for what the token takes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Runtime, TestClock } from "effect"
import { callOnce, json, platformKey, providerOrigin, serve } from "./support.js"

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
