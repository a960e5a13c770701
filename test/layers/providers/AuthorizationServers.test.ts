/** What the answer of a provider's token address means for a user's grant. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { UserGrant } from "../../../src/domain/Manifest.js"
import { AuthorizationServersHttp } from "../../../src/layers/providers/AuthorizationServersHttp.js"
import { AuthorizationServers } from "../../../src/services/AuthorizationServers.js"
import { serve } from "./support.js"

const secret = "canary-client-secret"
const client = { id: "gateway", secret: Redacted.make(secret) }
const callback = new URL("https://gateway.test/console/connect/callback?code=once&state=s")

/** How a server with this token address is asked, and how it fails. */
const asked = (status: number, body: string, contentType = "application/json", issuer?: string) =>
  Effect.gen(function* () {
    let requests = 0
    const { origin, port } = yield* serve((_, response) => {
      requests += 1
      response.writeHead(status, { "content-type": contentType }).end(body)
    })
    const server = Schema.decodeUnknownSync(UserGrant)({
      type: "oauth2_authorization_code",
      authorizationUrl: `${origin}/auth`,
      tokenUrl: `${origin}/token`,
      pkce: "none",
      ...(issuer === undefined ? {} : { issuer })
    })
    const servers = Context.get(
      yield* Layer.build(AuthorizationServersHttp({ egressAllow: [`127.0.0.1:${port}`] })),
      AuthorizationServers
    )
    const granted = servers.refresh(server, client, Redacted.make("refresh-1"))
    const back = (address: URL) =>
      servers.exchange(server, client, { callback: address, state: "s", verifier: Redacted.make("verifier") })
    return {
      granted,
      renewed: Effect.flip(granted),
      back,
      exchanged: Effect.flip(back(callback)),
      revoked: Effect.flip(
        servers.revoke({ ...server, revocationUrl: `${origin}/revoke` }, client, Redacted.make("access-1"))
      ),
      requests: () => requests
    }
  })

const json = (value: object) => JSON.stringify(value)

describe("a renewal", () => {
  const passing = [
    [403, "<html>Access denied</html>", "text/html"],
    [404, json({})],
    [408, json({ error: "timeout" })],
    [409, ""],
    [425, ""],
    [429, json({ error: "invalid_grant" })],
    [400, json({ error: "rate_limited" })],
    [403, json({ error: "rate_limited" })],
    [200, json({ status: "maintenance" })],
    [503, json({ error: "invalid_grant" })]
  ] as const
  for (const [status, body, contentType] of passing)
    it.scopedLive(`that is answered ${status} ${body} ends no grant: it may pass`, () =>
      Effect.gen(function* () {
        const failed = yield* (yield* asked(status, body, contentType)).renewed
        assert.strictEqual(failed._tag, "ServerUnavailable")
      })
    )

  it.scopedLive("that may pass says with which code it was refused, and no secret", () =>
    Effect.gen(function* () {
      for (const [error, word] of [
        ["rate_limited", "400 rate_limited"],
        [secret, "400"]
      ] as const) {
        const failed = yield* (yield* asked(400, json({ error }))).renewed
        assert.deepStrictEqual(failed._tag === "ServerUnavailable" && [failed.reason, failed.word], ["failed", word])
      }
    })
  )

  it.scopedLive(
    "that is answered invalid_grant, or what GitHub and Slack say instead, ends the grant, also in a 200",
    () =>
      Effect.gen(function* () {
        for (const [status, code] of [
          [200, "invalid_grant"],
          [400, "invalid_grant"],
          [403, "invalid_grant"],
          [200, "bad_refresh_token"],
          [200, "invalid_refresh_token"]
        ] as const) {
          const failed = yield* (yield* asked(status, json({ error: code }))).renewed
          assert.deepStrictEqual(failed._tag === "GrantRefused" && [failed.of, failed.code], ["grant", code])
        }
      })
  )

  it.scopedLive("that is answered such a code ends the grant, in capitals, with 401, and where HubSpot writes it", () =>
    Effect.gen(function* () {
      for (const [status, body, code] of [
        [400, { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" }, "BAD_REFRESH_TOKEN"],
        [400, { error: "Invalid_Grant" }, "Invalid_Grant"],
        [401, { error: "invalid_grant" }, "invalid_grant"],
        [401, { error: "TOKEN_REVOKED" }, "TOKEN_REVOKED"]
      ] as const) {
        const failed = yield* (yield* asked(status, json(body))).renewed
        assert.deepStrictEqual(failed._tag === "GrantRefused" && [failed.of, failed.code], ["grant", code])
      }
    })
  )

  it.scopedLive("gives the scopes of the answer only where they are printable", () =>
    Effect.gen(function* () {
      for (const [scope, expected] of [
        ["read,write repo", ["read", "write", "repo"]],
        ["a\u0000b", null],
        ["\ud800", null]
      ] as const) {
        const { scopes } = yield* (yield* asked(200, json({ access_token: "token-1", scope }))).granted
        assert.deepStrictEqual(scopes, expected)
      }
    })
  )

  it.scopedLive(
    "gives a token that ends after no seconds no end: so Mailchimp and others tell one that never ends",
    () =>
      Effect.gen(function* () {
        for (const [expires_in, expected] of [
          [0, null],
          ["0", null],
          [0.4, null],
          [1, 1]
        ] as const) {
          const { expiresInSeconds } = yield* (yield* asked(200, json({ access_token: "token-1", expires_in }))).granted
          assert.strictEqual(expiresInSeconds, expected, String(expires_in))
        }
      })
  )

  it.scopedLive("that is refused to the gateway's client says so", () =>
    Effect.gen(function* () {
      for (const [status, error, code] of [
        [400, "unauthorized_client", "unauthorized_client"],
        [400, "INVALID_CLIENT", "INVALID_CLIENT"],
        [401, "invalid_client", "invalid_client"],
        [401, undefined, null]
      ] as const) {
        const failed = yield* (yield* asked(status, json({ error }))).renewed
        assert.deepStrictEqual(failed._tag === "GrantRefused" && [failed.of, failed.code], ["client", code])
      }
    })
  )
})

describe("an exchange of a code", () => {
  it.scopedLive("that is refused with a code of the provider's own is refused: the user begins anew", () =>
    Effect.gen(function* () {
      const failed = yield* (yield* asked(400, json({ error: "code_already_used" }))).exchanged
      assert.deepStrictEqual(failed._tag === "GrantRefused" && [failed.of, failed.code], ["grant", "code_already_used"])
    })
  )

  const issuer = "https://provider.test"
  const named = (status: number, body: string) => asked(status, body, "application/json", issuer)
  const from = (iss: string | null, error: string | null = null) => {
    const address = new URL(callback)
    if (iss !== null) address.searchParams.set("iss", iss)
    if (error !== null) address.searchParams.set("error", error)
    return address
  }

  it.scopedLive("is made for a browser that brings the iss that the manifest names, and for no other", () =>
    Effect.gen(function* () {
      const { back, requests } = yield* named(200, json({ access_token: "token-1" }))
      for (const address of [from(null), from(""), from("https://evil.test"), from(null, "access_denied")]) {
        const failed = yield* Effect.flip(back(address))
        assert.deepStrictEqual(failed._tag === "GrantRefused" && failed.of, "grant", address.search)
      }
      assert.strictEqual(requests(), 0)
      yield* back(from(issuer))
      assert.strictEqual(requests(), 1)
    })
  )

  it.scopedLive("does not look at iss where the manifest names none", () =>
    Effect.gen(function* () {
      const { back } = yield* asked(200, json({ access_token: "token-1" }))
      for (const address of [from(null), from("https://evil.test")]) yield* back(address)
    })
  )
})

describe("an error of the server itself", () => {
  const own = [
    [503, json({ error: "temporarily_unavailable" }), "503 temporarily_unavailable"],
    [503, json({ error: "invalid_grant" }), "503 invalid_grant"],
    [500, json({}), "500"],
    [502, "<html>Bad gateway</html>", "502"],
    [400, json({ error: "temporarily_unavailable" }), "400 temporarily_unavailable"],
    [503, json({ error: secret }), "503"]
  ] as const
  for (const [status, body, word] of own)
    it.scopedLive(`is told as one (${word}) to a renewal, an exchange and a revocation`, () =>
      Effect.gen(function* () {
        const { exchanged, renewed, revoked } = yield* asked(status, body)
        for (const failure of [renewed, exchanged, revoked]) {
          const failed = yield* failure
          assert.deepStrictEqual(failed._tag === "ServerUnavailable" && [failed.reason, failed.word], ["failed", word])
        }
      })
    )

  it.scopedLive("is not seen in an answer that has neither a token nor an error", () =>
    Effect.gen(function* () {
      for (const [status, body] of [
        [200, json({})],
        [200, "<html>"],
        [304, ""],
        [302, json({ error: "invalid_grant" })]
      ] as const) {
        const failed = yield* (yield* asked(status, body)).renewed
        assert.strictEqual(failed._tag === "ServerUnavailable" && failed.reason, "unusable", `${status} ${body}`)
      }
    })
  )
})
