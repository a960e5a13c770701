/** What the check of a catalog warns of in keys, variables and rules, and what it leaves alone. */
import { assert, describe, it } from "@effect/vitest"
import { likelyMistakes } from "../../../src/layers/catalog/LikelyMistakes.js"
import { inItsFile } from "../../../src/layers/catalog/ManifestReading.js"
import { endpoint } from "../../support/catalog.js"

const warned = (...operations: ReadonlyArray<object>) =>
  likelyMistakes(
    operations.map((operation, at) => endpoint({ id: `books-${at}`, ...operation })),
    []
  ).map(({ message, path }) => `${path}: ${message}`)

describe("a check of a catalog warns of", () => {
  it("a rule of errors for a status that is to be a miss", () => {
    const ruled = (when: string, missStatuses = [404]) => warned({ response: { missStatuses, errors: [{ when }] } })
    const message =
      "response.errors.0.when: holds for every 404, so missStatuses never makes a miss of it: leave it out here"
    assert.deepStrictEqual(ruled("status >= `400`"), [message])
    assert.deepStrictEqual(ruled("contains([`404`, `422`], status)"), [message])
    assert.deepStrictEqual(ruled("status >= `400`", [204, 404, 410]), [
      "response.errors.0.when: holds for every 404 and 410, so missStatuses never makes a miss of it: leave it out here"
    ])
    for (const right of [
      "status >= `400` && status != `404`",
      "status == `404` && body.error",
      "status == `404` && input.name",
      "body.error"
    ])
      assert.deepStrictEqual(ruled(right), [], right)
  })

  it("a prefix of a key that is a word without a blank behind it", () => {
    const prefixed = (prefix: string) =>
      warned({ provider: { auth: { type: "header", name: "Authorization", prefix }, platformKey: false } })
    assert.deepStrictEqual(prefixed("Bearer"), [
      'auth.prefix: stands right before the key, as in Bearer0123: write "Bearer " with a blank at its end'
    ])
    assert.lengthOf(prefixed("basic"), 1)
    for (const right of ["Bearer ", "Token ", "token=", "apikey:"]) assert.deepStrictEqual(prefixed(right), [], right)
    const places = [
      { in: "header", name: "Authorization", prefix: "Token" },
      { in: "query", name: "user" }
    ]
    assert.deepStrictEqual(warned({ provider: { auth: { type: "pair", places }, platformKey: false } }), [
      'auth.places.0.prefix: stands right before the key, as in Token0123: write "Token " with a blank at its end'
    ])
  })

  it("a variable that nothing uses, once for a provider", () => {
    const shop = { pattern: "[a-z]+", description: "The shop.", examples: ["acme"], default: "acme" }
    const used = (provider: object, ...operations: ReadonlyArray<object>) =>
      warned(
        ...(operations.length === 0 ? [{}] : operations).map((operation) => ({
          provider: { id: "shops", variables: { shop }, ...provider },
          ...operation
        }))
      )
    const unused = "variables.shop: is used nowhere: write {shop} where it belongs, or take it out"
    assert.deepStrictEqual(used({}), [unused])
    assert.deepStrictEqual(used({}, {}, {}), [unused])
    assert.deepStrictEqual(used({}, {}, { path: "/{shop}" }), [])
    assert.deepStrictEqual(used({ baseUrl: "https://{shop}.example.com" }), [])
    const region = { auth: { type: "aws_sigv4", service: "ses", region: "{shop}" }, platformKey: false }
    assert.deepStrictEqual(used(region), [])
    const poll = { method: "POST", path: "/jobs", body: { shop: "{shop}", id: "{id}" } }
    assert.deepStrictEqual(used({}, { method: "POST", async: { ticket: "body.id", poll, done: "body.done" } }), [])
  })

  it("a method that changes something, of an operation that says it changes nothing", () => {
    for (const method of ["PUT", "PATCH", "DELETE"])
      assert.deepStrictEqual(warned({ method }), [
        `effect: is read_only, so that ${method} may be sent again and in place of other operations: write effect: effectful, and repeatable: false unless a second call does no harm`
      ])
    for (const method of ["GET", "POST"]) assert.deepStrictEqual(warned({ method }), [])
    assert.deepStrictEqual(warned({ method: "DELETE", effect: "effectful", repeatable: false }), [])
  })

  it("a volume that is no number, or larger than its field may be", () => {
    const volumed = (schema: object, field = "limit") =>
      warned({
        input: {
          type: "object",
          properties: { limit: schema, page: { type: "object", properties: { size: schema } } }
        },
        volume: { field, default: 10, max: 100 }
      })
    const noNumber = "volume.field: limit is text, of which no number of results can be read: name a number or a list"
    assert.deepStrictEqual(volumed({ type: "string" }), [noNumber])
    assert.deepStrictEqual(volumed({ type: ["boolean", "null"] }), [noNumber.replace("text", "boolean")])
    assert.deepStrictEqual(volumed({ type: "integer", maximum: 50 }), [
      "volume.max: is 100, and the schema of limit allows at most 50"
    ])
    assert.deepStrictEqual(volumed({ type: "array", maxItems: 50 }), [
      "volume.max: is 100, and the schema of limit allows at most 50"
    ])
    for (const right of [
      { type: "integer", maximum: 100 },
      { type: ["string", "integer"] },
      { type: "string", pattern: "^[0-9]+$" },
      { type: "string", examples: ["10"] },
      { type: "array" },
      {}
    ])
      assert.deepStrictEqual(volumed(right), [], JSON.stringify(right))
  })

  it("a count of results that is not the length of the list of pages", () => {
    const counted = (resultCount: string, body: object, more: object = {}) =>
      warned({
        input: { type: "object", properties: { page: { type: "integer" } } },
        pages: { items: "body.hits", size: 20, next: { by: "page", field: "page" } },
        response: { resultCount },
        samples: { hit: { input: {}, body, outcome: "hit", ...more } }
      })
    const body = { total: 95, hits: [1, 2] }
    assert.deepStrictEqual(counted("body.total", body), [
      "response.resultCount: tells 95 in samples.hit, where pages.items has 2 results: count what the list holds"
    ])
    assert.deepStrictEqual(counted("length(body.hits)", body), [])
    assert.deepStrictEqual(counted("body.total", { ...body, total: 2 }), [])
    assert.deepStrictEqual(counted("body.total", body, { pages: [{ body }] }), [])
    assert.deepStrictEqual(counted("body.total", body, { outcome: "miss" }), [])
  })

  it("a fixed value or a sample that holds a key", () => {
    const key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    const message = "looks like a key, and no manifest holds one: set it with gateway key set"
    const fixed = (value: unknown) => warned({ fixed: [{ in: "header", name: "X-Mode", value }] })
    assert.deepStrictEqual(fixed(`Bearer ${key}`), [`fixed.0.value: ${message}`])
    assert.deepStrictEqual(warned({ provider: { fixed: [{ in: "query", name: "k", value: key }] } }, {}), [
      `provider.fixed.0.value: ${message}`
    ])
    const sources = new Map([["books-0", { file: "a.yaml", at: "operations.0" }]])
    const told = (path: string) => inItsFile(sources, { endpointId: "books-0", path, message }).path
    assert.deepStrictEqual(["fixed.0.value", "provider.fixed.0.value"].map(told), [
      "operations.0.fixed.0.value",
      "fixed.0.value"
    ])
    for (const right of [
      "2025-10-01",
      "application/vnd.pub.v2+json",
      "text-embedding-3-large",
      true,
      { clientId: "us" }
    ])
      assert.deepStrictEqual(fixed(right), [], JSON.stringify(right))
    const shown = (body: object) => warned({ samples: { hit: { input: { name: "Ada" }, body, outcome: "hit" } } })
    assert.deepStrictEqual(shown({ account: { token: key } }), [
      "samples.hit.body: holds what looks like a key (sk_live_…): put an invented value in its place"
    ])
    // Answers are full of ids that are as random as keys.
    for (const id of [
      "msg_01XFDUDYJgAACzvnptvVoYEL",
      "64a7ff0cc4dfae00013df1a5",
      "eyJqb2JfdGl0bGUi",
      "sk-learn",
      "pk_live_4eC39HqLyjWDarjtT1zdp7dc"
    ])
      assert.deepStrictEqual(shown({ id }), [], id)
  })
})
