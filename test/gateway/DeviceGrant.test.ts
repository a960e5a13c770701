/** A real OAuth client logs in to two nodes of the whole gateway, and its secrets are in neither database nor log. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Logger, Option } from "effect"
import { createHash } from "node:crypto"
import * as OAuth from "openid-client"
import { Database } from "../../src/layers/postgres/Database.js"
import { Members } from "../../src/services/Members.js"
import { Sessions } from "../../src/services/Sessions.js"
import { newBrowser } from "../support/browser.js"
import { startGateway } from "../support/gateway.js"
import { client } from "../support/httpGateway.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { signInTo } from "../support/signIn.js"

const grantType = "urn:ietf:params:oauth:grant-type:device_code"

it.scopedLive(
  "an OAuth client begins on one node, is approved on another, and nothing that it could use is stored or logged",
  () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make((options) => void lines.push(Logger.jsonLogger.log(options)))
      const databaseUrl = Option.some(yield* acquireTestDatabase())
      const started = Effect.provide(startGateway({ databaseUrl }), Logger.replace(Logger.defaultLogger, logger))
      const first = yield* started
      const second = yield* started
      const { workspaceId } = yield* second.funded(0)
      const { cookie } = yield* signInTo(workspaceId, "owner").pipe(
        Effect.provideService(Members, Context.get(second.services, Members)),
        Effect.provideService(Sessions, Context.get(second.services, Sessions))
      )
      const configOf = (url: string) => {
        const config = new OAuth.Configuration(
          {
            issuer: url,
            device_authorization_endpoint: `${url}/oauth/device_authorization`,
            token_endpoint: `${url}/oauth/token`
          },
          "build-screen",
          undefined,
          OAuth.None()
        )
        OAuth.allowInsecureRequests(config)
        return config
      }
      const begin = Effect.promise(() =>
        OAuth.initiateDeviceAuthorization(configOf(first.url), { scope: "catalog:read runs:execute" })
      )
      /** The client waits for the interval first; a second is enough for one request. */
      const poll = (url: string, begun: OAuth.DeviceAuthorizationResponse) =>
        Effect.tryPromise(() => OAuth.pollDeviceAuthorizationGrant(configOf(url), { ...begun, interval: 1 }))
      const decide = (begun: OAuth.DeviceAuthorizationResponse, decision: string) =>
        Effect.gen(function* () {
          const browser = newBrowser(client(second.url, 0), cookie)
          const away = yield* browser.get(
            new URL(begun.verification_uri_complete ?? "").href.replace("http://gateway.test", "")
          )
          const page = away.headers.get("location") ?? ""
          const shown = yield* browser.get(page)
          for (const text of ["build-screen", begun.user_code]) assert.include(shown.text, text)
          assert.strictEqual((yield* browser.post(page, { decision })).status, 303)
        })
      const ask = (url: string, device_code: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`${url}/oauth/token`, {
            method: "POST",
            body: new URLSearchParams({ grant_type: grantType, device_code, client_id: "build-screen" })
          })
          // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test looks into answers of every shape
          return (await answer.json()) as any
        })

      const begun = yield* begin
      assert.strictEqual((yield* ask(second.url, begun.device_code)).error, "authorization_pending")
      // Both nodes count by the database. The first request is moved ahead, so that a slow machine cannot be too late.
      const { query, sql } = Context.get(first.services, Database)
      yield* query(sql`update login_approvals set device_polled_at = device_polled_at + 60000`)
      assert.strictEqual((yield* ask(first.url, begun.device_code)).error, "slow_down")
      yield* decide(begun, "approve")
      const got = yield* poll(first.url, begun)
      const again = yield* ask(second.url, begun.device_code)
      assert.strictEqual(again.access_token, got.access_token)
      for (const { url } of [first, second]) {
        const me = yield* Effect.promise(async () => {
          const answer = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${got.access_token}` } })
          return { status: answer.status, text: await answer.text() }
        })
        assert.deepStrictEqual([me.status, JSON.parse(me.text).label], [200, "build-screen"])
      }

      const refused = yield* begin
      yield* decide(refused, "deny")
      const denied = yield* Effect.flip(poll(second.url, refused))
      assert.strictEqual(denied.cause instanceof OAuth.ResponseBodyError && denied.cause.error, "access_denied")

      const rows = yield* query(
        sql`select l::text as login, t::text as token, l.digest, l.device_salt from login_approvals l left join tokens t on t.digest = l.digest`
      )
      assert.lengthOf(rows, 2)
      const secrets = [begun.device_code, refused.device_code, got.access_token]
      const kept = JSON.stringify(rows)
      for (const secret of secrets) {
        assert.notInclude(kept, secret)
        assert.notInclude(kept, Buffer.from(secret).toString("hex"))
        assert.notInclude(lines.join("\n"), secret)
      }
      // The secret part of the token is not there either, only the digest of the whole.
      assert.notInclude(kept, got.access_token.slice(30, 78))
      assert.include(kept, createHash("sha256").update(got.access_token).digest("hex"))
      // A minute after the token was handed out, there is none any more.
      yield* query(sql`update login_approvals set device_handed_out_at = device_handed_out_at - 60000`)
      assert.strictEqual((yield* ask(first.url, begun.device_code)).error, "invalid_grant")
      assert.isAbove(lines.length, 0)
    }),
  60_000
)
