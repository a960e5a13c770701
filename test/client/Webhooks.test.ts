// Webhooks as Standard Webhooks 1.0.0 signs them; the vector is the one of its reference implementations.
import { createHmac } from "node:crypto"
import { runInNewContext } from "node:vm"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { verifyWebhook, WebhookInvalid } from "../../src/client/index.js"
import { failureOf } from "./onGateway.js"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const body = '{"test": 2432232314}'
const sent = 1614265330
const headers = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": String(sent),
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
}
const signed = (text: string, key: string, at = sent) =>
  `v1,${createHmac("sha256", Buffer.from(key.slice(6), "base64"))
    .update(`${headers["webhook-id"]}.${at}.${text}`)
    .digest("base64")}`

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const failure = await failureOf(work)
  assert.instanceOf(failure, WebhookInvalid)
  return failure.reason
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: (sent + 10) * 1000 }))
afterEach(() => void vi.useRealTimers())

describe("verifyWebhook", () => {
  it("takes the vector of the specification, from every kind of headers and body", async () => {
    const expected = { id: headers["webhook-id"], sentAt: new Date(sent * 1000), payload: { test: 2432232314 } }
    assert.deepStrictEqual(await verifyWebhook(headers, body, secret), expected)
    assert.deepStrictEqual(await verifyWebhook(new Headers(headers), body, secret), expected)
    const shouting = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    assert.deepStrictEqual(await verifyWebhook(shouting, new TextEncoder().encode(body), secret), expected)
    assert.deepStrictEqual(await verifyWebhook(headers, body, secret.slice(6)), expected)
    // As of `request.arrayBuffer()`, of a view into a larger one, and of a class that is another's.
    const { buffer } = new TextEncoder().encode(body)
    assert.deepStrictEqual(await verifyWebhook(headers, buffer, secret), expected)
    const larger = new TextEncoder().encode(`xx${body}x`)
    const foreign: unknown = runInNewContext("new Uint8Array(buffer, 2, length)", {
      buffer: larger.buffer,
      length: body.length
    })
    assert.isFalse(foreign instanceof Uint8Array)
    assert.deepStrictEqual(await verifyWebhook(headers, foreign as Uint8Array, secret), expected)
  })

  it("takes any right signature among several, and any of two secrets while one is replaced", async () => {
    const old = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    const several = { ...headers, "webhook-signature": `v1a,abc v1,AAAA v1,*** ${headers["webhook-signature"]}` }
    await verifyWebhook(several, body, secret)
    await verifyWebhook(headers, body, [old, secret])
    assert.strictEqual(await reasonOf(verifyWebhook(headers, body, [old])), "wrong_signature")
  })

  it("takes bytes that are no ASCII as they came", async () => {
    const text = '{"name":"Zoë 🚆"}'
    const its = { ...headers, "webhook-signature": signed(text, secret) }
    assert.deepStrictEqual((await verifyWebhook(its, text, secret)).payload, { name: "Zoë 🚆" })
    assert.deepStrictEqual((await verifyWebhook(its, Buffer.from(text), secret)).payload, { name: "Zoë 🚆" })
  })

  it("refuses another body, id, time, version or secret", async () => {
    for (const [given, text] of [
      [headers, '{"test":2432232314}'],
      [{ ...headers, "webhook-id": "msg_other" }, body],
      [{ ...headers, "webhook-timestamp": String(sent + 1) }, body],
      [{ ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }, body],
      [{ ...headers, "webhook-signature": headers["webhook-signature"].slice(0, -9) }, body]
    ] as const)
      assert.strictEqual(await reasonOf(verifyWebhook(given, text, secret)), "wrong_signature")
  })

  it("refuses what is too old or from the future, five minutes by default", async () => {
    const at = (seconds: number) => vi.setSystemTime((sent + seconds) * 1000)
    at(300)
    await verifyWebhook(headers, body, secret)
    at(301)
    assert.strictEqual(await reasonOf(verifyWebhook(headers, body, secret)), "too_old")
    await verifyWebhook(headers, body, secret, { toleranceSeconds: 600 })
    at(-300)
    await verifyWebhook(headers, body, secret)
    at(-301)
    assert.strictEqual(await reasonOf(verifyWebhook(headers, body, secret)), "from_the_future")
  })

  it("refuses what lacks a header or has a time that is none", async () => {
    for (const name of Object.keys(headers))
      assert.strictEqual(
        await reasonOf(verifyWebhook({ ...headers, [name]: undefined }, body, secret)),
        "header_missing"
      )
    for (const timestamp of ["1e9", "-1", "1614265330.5", "yesterday"])
      assert.strictEqual(
        await reasonOf(verifyWebhook({ ...headers, "webhook-timestamp": timestamp }, body, secret)),
        "header_malformed"
      )
  })

  it("refuses a body that is signed and no JSON", async () => {
    const its = { ...headers, "webhook-signature": signed("hello", secret) }
    assert.strictEqual(await reasonOf(verifyWebhook(its, "hello", secret)), "body_not_json")
  })

  it("tells a secret that is none as a TypeError that does not repeat it", async () => {
    for (const wrong of ["", "whsec_", "whsec_*not base64*"]) {
      const failure = await failureOf(verifyWebhook(headers, body, wrong))
      assert.instanceOf(failure, TypeError)
      assert.strictEqual(failure.message, "The secret is not whsec_ and base64")
    }
  })

  it("tells arguments that can never be right as a TypeError, and so checks the age whatever was configured", async () => {
    const wrong = async (...[given, secrets, tolerance]: ReadonlyArray<unknown>) => {
      const call: unknown = Reflect.apply(verifyWebhook, null, [
        headers,
        given,
        secrets,
        { toleranceSeconds: tolerance }
      ])
      const failure = await failureOf(call as Promise<unknown>)
      assert.instanceOf(failure, TypeError)
      return failure.message
    }
    vi.setSystemTime((sent + 1_000_000) * 1000)
    // What `Number(process.env.TOLERANCE)` makes of a variable that is not set.
    for (const tolerance of [Number.NaN, -1, "300", null])
      assert.match(
        await wrong(body, secret, tolerance),
        /^toleranceSeconds is .*; a number of seconds from 0 is needed$/
      )
    for (const parsed of [{ test: 2432232314 }, null, undefined])
      assert.match(await wrong(parsed, secret), /^The body must be the text or the bytes that came over the wire/)
    assert.strictEqual(await wrong(body, []), "No secret is given")
    for (const missing of [undefined, null, [undefined]])
      assert.strictEqual(await wrong(body, missing), "The secret is not whsec_ and base64")
  })
})
