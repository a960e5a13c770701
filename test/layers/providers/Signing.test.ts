// Keys that sign a request, and keys in a path, a cookie or in two places: what is sent, and that no key comes back.
import { createHmac, createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import type { Credential } from "../../../src/domain/ProviderCall.js"
import { planRequest } from "../../../src/layers/providers/RequestPlan.js"
import { sigV4 } from "../../../src/layers/providers/SigV4.js"
import { callOnce, type CallOptions, certaintyOf, endpointOf, json, platformKey, serve } from "./support.js"

const sent = (options: CallOptions) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => json(response, 200, {}))
    const result = yield* callOnce(provider, options)
    assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
    return provider.requests[0]!
  })

const withVariables = (secret: string, variables: Readonly<Record<string, string>>): Credential => ({
  _tag: "Platform",
  secret: Redacted.make(secret),
  variables
})

/** What the run says of a key that does not fit; nothing is sent. */
const unfit = (auth: object, secret: string) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => json(response, 200, {}))
    const path = (auth as { type: string }).type === "path" ? "/bot{token}/send" : "/v1"
    const result = yield* callOnce(provider, {
      provider: { auth },
      operation: { path },
      credential: platformKey(secret)
    })
    assert.ok(result._tag !== "Answered")
    assert.deepStrictEqual([result.failure.code, certaintyOf(result)], ["platform_auth_incompatible", "not_sent"])
    assert.notInclude(result.failure.message, secret)
    return result.failure.message
  })

const problemsOf = (auth: object, operation: object = {}) =>
  Either.match(planRequest(endpointOf({ provider: { auth }, operation })), {
    onLeft: (found) => found.map(({ message, path }) => `${path} ${message}`).join("; "),
    onRight: () => ""
  })

describe("AWS Signature Version 4", () => {
  const key = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: null }
  const suite = (method: string, path: string, headers = {}, body: string | null = null) =>
    sigV4(
      { region: "us-east-1", service: "service" },
      key,
      { method, origin: "https://example.amazonaws.com", path, headers, body },
      Date.UTC(2015, 7, 30, 12, 36, 0)
    )["authorization"]

  it("gives the signatures of AWS's test suite", () => {
    for (const [method, path, signature] of [
      ["GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
      ["GET", "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"],
      ["GET", "/ሴ", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
      ["GET", "/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"],
      ["POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
      ["POST", "/?Param1=value1", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"]
    ] as const)
      assert.strictEqual(
        suite(method, path),
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
        path
      )
  })

  it("gives the signatures of the examples for IAM and S3", () => {
    assert.match(
      sigV4(
        { region: "us-east-1", service: "iam" },
        key,
        {
          method: "GET",
          origin: "https://iam.amazonaws.com",
          path: "/?Action=ListUsers&Version=2010-05-08",
          headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: null
        },
        Date.UTC(2015, 7, 30, 12, 36, 0)
      )["authorization"] ?? "",
      /SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7$/
    )
    const s3 = (path: string, headers = {}) =>
      sigV4(
        { region: "us-east-1", service: "s3" },
        { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sessionToken: null },
        { method: "GET", origin: "https://examplebucket.s3.amazonaws.com", path, headers, body: null },
        Date.UTC(2013, 4, 24)
      )["authorization"] ?? ""
    assert.match(
      s3("/test.txt", { range: "bytes=0-9" }),
      /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/
    )
    const signatureOf = (authorization: string) => authorization.split("Signature=")[1]
    assert.strictEqual(signatureOf(s3("/it's(1)!*")), signatureOf(s3("/it%27s%281%29%21%2A")))
    assert.match(
      s3("/?max-keys=2&prefix=J"),
      /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/
    )
  })

  it.scopedLive("signs what is sent, with the region of the connection and the session's token", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, {}))
      const credential = withVariables("AKID0000:secret+key/0000:session-token-0", { region: "eu-west-1" })
      const result = yield* callOnce(here, {
        provider: {
          baseUrl: "https://email.{region}.amazonaws.com",
          variables: { region: { pattern: "[a-z0-9-]+", description: "Region.", examples: ["us-east-1"] } },
          auth: { type: "aws_sigv4", service: "ses", region: "{region}" }
        },
        operation: { path: "/v2/email/o'dd(name)*/{id}", bindings: { q: { in: "query", name: "q" } } },
        input: { id: "a/b c", q: "x y+z", text: "ü" },
        credential,
        http: { origins: { "https://email.eu-west-1.amazonaws.com": here.origin } }
      })
      assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
      const [{ body, headers, url }] = here.requests as [(typeof here.requests)[0]]
      const date = String(headers["x-amz-date"])
      assert.strictEqual(headers["x-amz-security-token"], "session-token-0")
      const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"))
      const expected = sigV4(
        { region: "eu-west-1", service: "ses" },
        { id: "AKID0000", secret: "secret+key/0000", sessionToken: "session-token-0" },
        {
          method: "POST",
          origin: "https://email.eu-west-1.amazonaws.com",
          path: url,
          headers: { "content-type": "application/json" },
          body: Buffer.from(body, "latin1")
        },
        at
      )
      assert.strictEqual(headers.authorization, expected["authorization"])
    })
  )

  it.scopedLive("a key of another form is refused", () =>
    Effect.gen(function* () {
      for (const secret of ["AKID0000", ":x-secret", "AKID0000:"])
        assert.match(yield* unfit({ type: "aws_sigv4", service: "ses", region: "x" }, secret), /access_key_id/)
    })
  )
})

describe("HMAC", () => {
  const auth = {
    type: "hmac",
    text: "{timestamp}{method}{target}{body}",
    headers: { "X-Key": "{id}", "X-Sign": "v1={signature}", "X-Time": "{timestamp}", "X-Nonce": "{nonce}" }
  }

  it.scopedLive("signs the composed text over the bytes that are sent", () =>
    Effect.gen(function* () {
      const { body, headers, url } = yield* sent({
        provider: { auth },
        operation: {
          path: "/v1/things?fixed=1",
          input: { type: "object", properties: { data: {}, q: {} } },
          body: { as: "bytes", field: "data" }
        },
        input: { data: "AP8ADQo=", q: "{timestamp}" },
        credential: platformKey("key-id:the-secret")
      })
      const text = Buffer.concat([Buffer.from(`${String(headers["x-time"])}POST${url}`), Buffer.from(body, "latin1")])
      assert.strictEqual(headers["x-sign"], `v1=${createHmac("sha256", "the-secret").update(text).digest("hex")}`)
      assert.strictEqual(headers["x-key"], "key-id")
      assert.match(String(headers["x-nonce"]), /^[0-9a-f]{32}$/)
      assert.include(url, "%7Btimestamp%7D")
    })
  )

  it.scopedLive("adds a signature to the query, over the query before it", () =>
    Effect.gen(function* () {
      const { url } = yield* sent({
        provider: {
          auth: {
            type: "hmac",
            encoding: "base64",
            secretEncoding: "base64",
            algorithm: "sha512",
            text: "{query}",
            timestamp: "unixMillis",
            query: { signature: "{signature}", timestamp: "{timestamp}" }
          }
        },
        operation: { method: "GET" },
        input: { symbol: "A B" },
        credential: platformKey(Buffer.from("raw-secret").toString("base64"))
      })
      const [signed = "", signature = ""] = (url.split("?")[1] ?? "").split("&signature=")
      assert.match(signed, /^symbol=A%20B&timestamp=\d{13}$/)
      assert.strictEqual(
        decodeURIComponent(signature),
        createHmac("sha512", "raw-secret").update(signed).digest("base64")
      )
    })
  )

  it.scopedLive("follow-up requests have signatures of their own", () =>
    Effect.gen(function* () {
      const here = yield* serve((seen, response) =>
        json(response, 200, seen.method === "POST" ? { id: "t1" } : { done: true })
      )
      const result = yield* callOnce(here, {
        provider: { auth },
        operation: {
          async: { ticket: "body.id", poll: { path: "/v1/things/{id}" }, done: "body.done", intervalMs: 1 }
        },
        credential: platformKey("key-id:the-secret")
      })
      assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
      assert.strictEqual(here.requests.length, 2)
      for (const { body, headers, method, url } of here.requests)
        assert.strictEqual(
          headers["x-sign"],
          `v1=${createHmac("sha256", "the-secret")
            .update(`${String(headers["x-time"])}${method}${url}${body}`)
            .digest("hex")}`
        )
    })
  )

  it("what cannot be is found when the manifest is read", () => {
    assert.strictEqual(problemsOf(auth), "")
    assert.match(problemsOf({ ...auth, text: "{secret}" }), /auth.text names \{secret\}; it may name method/)
    assert.match(problemsOf({ ...auth, headers: { "X-Key": "{id}" } }), /needs \{signature\}/)
    assert.match(problemsOf({ ...auth, headers: { "X Key": "{signature}" } }), /is no name of a header/)
  })

  it.scopedLive("a key of another form is refused", () =>
    Effect.gen(function* () {
      assert.match(yield* unfit(auth, "only-a-secret"), /id:secret/)
      assert.match(
        yield* unfit({ ...auth, headers: { "X-Sign": "{signature}" }, secretEncoding: "hex" }, "not-hex!"),
        /must be hex/
      )
    })
  )
})

describe("a token signed with a private key", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const pemOf = ({ privateKey }: typeof rsa) => privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  const oneLine = (pem: string) => pem.trim().replaceAll("\n", "\\n")
  const google = {
    type: "jwt",
    claims: { iss: "{client_email}", sub: "{client_email}", aud: "https://sheets.googleapis.com/" },
    header: { kid: "{private_key_id}" }
  }
  const serviceAccount = JSON.stringify({
    type: "service_account",
    private_key_id: "kid-0000",
    private_key: pemOf(rsa),
    client_email: "robot@project.example"
  })
  const part = (token: string, at: number) =>
    JSON.parse(Buffer.from(token.split(".")[at] ?? "", "base64url").toString("utf8"))
  const bearer = (request: { readonly headers: { readonly authorization?: string | undefined } }) =>
    (request.headers.authorization ?? "").replace(/^Bearer /, "")
  const isSigned = (token: string, pem: string) =>
    verify(
      "sha256",
      Buffer.from(token.slice(0, token.lastIndexOf("."))),
      { key: createPublicKey(pem), dsaEncoding: "ieee-p1363" },
      Buffer.from(token.slice(token.lastIndexOf(".") + 1), "base64url")
    )

  it.scopedLive("is made from a service account as its file has it", () =>
    Effect.gen(function* () {
      const token = bearer(yield* sent({ provider: { auth: google }, credential: platformKey(serviceAccount) }))
      assert.deepStrictEqual(part(token, 0), { alg: "RS256", typ: "JWT", kid: "kid-0000" })
      const { exp, iat, ...claims } = part(token, 1)
      assert.deepStrictEqual(claims, { ...google.claims, iss: "robot@project.example", sub: "robot@project.example" })
      assert.strictEqual(exp - iat, 600)
      assert.isTrue(isSigned(token, pemOf(rsa)))
    })
  )

  it.scopedLive("is made from a PEM in one line, with variables of the connection in its claims", () =>
    Effect.gen(function* () {
      const token = bearer(
        yield* sent({
          provider: {
            variables: { issuer: { pattern: "[a-z0-9-]+", description: "Issuer.", examples: ["x"] } },
            auth: { type: "jwt", algorithm: "ES256", claims: { iss: "{issuer}", aud: "appstoreconnect-v1" } }
          },
          credential: withVariables(oneLine(pemOf(ec)), { issuer: "57246542-96fe" })
        })
      )
      assert.strictEqual(part(token, 1).iss, "57246542-96fe")
      assert.isTrue(isSigned(token, pemOf(ec)))
    })
  )

  it.scopedLive("a key that cannot sign is refused before anything is sent, and is not told", () =>
    Effect.gen(function* () {
      assert.match(yield* unfit(google, "not-a-key-at-all"), /JSON object with client_email/)
      assert.match(yield* unfit({ type: "jwt" }, "not-a-key-at-all"), /no private key in PEM/)
      assert.match(yield* unfit({ type: "jwt" }, oneLine(pemOf(ec))), /must hold an RSA key/)
      assert.match(yield* unfit({ type: "jwt", algorithm: "ES256" }, oneLine(pemOf(rsa))), /P-256/)
    })
  )
})

describe("keys in other places", () => {
  it.scopedLive("a path, a cookie, and any two places", () =>
    Effect.gen(function* () {
      const path = yield* sent({
        provider: { auth: { type: "path", name: "token" } },
        operation: { path: "/bot{token}/sendMessage" },
        input: { text: "{token}" },
        credential: platformKey("123:A&A b")
      })
      assert.deepStrictEqual([path.url, path.body], ["/bot123:A%26A%20b/sendMessage", '{"text":"{token}"}'])
      const cookie = yield* sent({
        provider: { auth: { type: "cookie", name: "sid" } },
        operation: { bindings: { lang: { in: "header", name: "Cookie" } } },
        input: { lang: "lang=de" },
        credential: platformKey("abcdef")
      })
      assert.strictEqual(cookie.headers.cookie, "lang=de; sid=abcdef")
      const places = [
        { in: "header", name: "X-App", prefix: "App " },
        { in: "query", name: "app_key" }
      ]
      const pair = yield* sent({
        provider: { auth: { type: "pair", places } },
        credential: platformKey("one:two:three")
      })
      assert.deepStrictEqual([pair.headers["x-app"], pair.url], ["App one", "/v1/things?app_key=two%3Athree"])
    })
  )

  it.scopedLive("a key that would break out of its place is refused", () =>
    Effect.gen(function* () {
      for (const secret of ["..", "a/../b", "a\\b"])
        assert.match(yield* unfit({ type: "path", name: "token" }, secret), /no single step/)
      for (const secret of ["a; admin=1", "a b", 'a"b'])
        assert.match(yield* unfit({ type: "cookie", name: "sid" }, secret), /cookie/)
      const places = [
        { in: "header", name: "a" },
        { in: "cookie", name: "b" }
      ]
      assert.match(yield* unfit({ type: "pair", places }, "no-colon"), /first:second/)
    })
  )

  it("an operation without the place for its key is found when the manifest is read", () => {
    const auth = { type: "path", name: "token" }
    assert.match(problemsOf(auth, { path: "/v1" }), /path has no \{token\} for the key/)
    assert.strictEqual(problemsOf(auth, { path: "/bot{token}/x" }), "")
    assert.match(
      problemsOf(auth, { path: "/bot{token}/x", bindings: { a: { in: "path", name: "token" } } }),
      /where the key goes/
    )
  })

  it.scopedLive("neither a key nor what is derived from it comes back in an answer", () =>
    Effect.gen(function* () {
      const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const pem = rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      for (const [auth, secret, path] of [
        [{ type: "aws_sigv4", service: "x", region: "y" }, "AKID0000:canary-aws-secret", "/v1"],
        [{ type: "hmac", text: "{body}", headers: { "X-Sign": "{id} {signature}" } }, "id:canary-hmac-secret", "/v1"],
        [{ type: "jwt" }, pem.trim().replaceAll("\n", "\\n"), "/v1"],
        [{ type: "path", name: "token" }, "canary-of-path", "/bot{token}/x"],
        [{ type: "cookie", name: "sid" }, "canary-of-cookie", "/v1"],
        [
          {
            type: "pair",
            places: [
              { in: "header", name: "x-a" },
              { in: "query", name: "b" }
            ]
          },
          "canary-first:canary-second",
          "/v1"
        ]
      ] as const) {
        const here = yield* serve((seen, response) =>
          json(response, 200, { url: seen.url, headers: seen.headers, secret })
        )
        const result = yield* callOnce(here, {
          provider: { auth },
          operation: { path },
          credential: platformKey(secret)
        })
        assert.ok(result._tag === "Answered" && result.body._tag === "Json", JSON.stringify(result))
        const seen = JSON.stringify(result)
        const { headers } = here.requests[0]!
        const derived =
          auth.type === "jwt"
            ? String(headers.authorization).slice(7)
            : auth.type === "hmac"
              ? String(headers["x-sign"]).slice(3)
              : "canary"
        assert.isAbove(derived.length, 5)
        assert.notInclude(seen, derived, auth.type)
        assert.notInclude(seen, "canary", auth.type)
        assert.notInclude(seen, "PRIVATE KEY", auth.type)
      }
    })
  )
})
