// What a manifest must not say about reading in pages: each refusal with its path and what would be right.
import { assert, describe, it } from "vitest"
import { pageProblems } from "../../../src/layers/providers/PageChecks.js"
import { endpointOf } from "./support.js"

const right = {
  method: "GET",
  path: "/v1/things",
  input: { type: "object", properties: { limit: { type: "integer" }, at: {}, text: { type: "string" } } },
  volume: { field: "limit", default: 10, max: 100 },
  pages: { items: "body.things", size: 10, next: { by: "cursor", cursor: "body.next", field: "at" } }
}
const pages = (changes: object) => ({ pages: { ...right.pages, ...changes } })
const byUrl = { by: "url", url: "body.next" }

const account = {
  type: "oauth2_authorization_code",
  authorizationUrl: "https://things.test/auth",
  tokenUrl: "https://things.test/token"
}

const wrong: ReadonlyArray<readonly [path: string, message: RegExp, operation: object, provider?: object]> = [
  ["pages", /effectful operation/, { effect: "effectful", repeatable: false }],
  [
    "pages",
    /slow operation \(async\)/,
    { async: { ticket: "body.id", poll: { path: "/v1/things/{id}" }, done: "body.done" } }
  ],
  ["pages", /answers in JSON only/, { contentTypes: ["application/json", "text/csv"] }],
  ["pages", /answers in JSON only/, { response: { parse: { format: "csv" } } }],
  ["volume", /is needed to read in pages/, { volume: undefined }],
  ["volume.field", /must be a number of the input/, { volume: { ...right.volume, field: "text" } }],
  ["pages.size", /must be below volume\.max \(100\)/, pages({ size: 100 })],
  ["pages.max", /must be at least 10/, pages({ max: 9 })],
  ["pages.next.field", /another field than that of the volume/, pages({ next: { by: "page", field: "limit" } })],
  ["pages.next.field", /names nowhere, which is neither/, pages({ next: { by: "offset", field: "nowhere" } })],
  ["pages.next.by", /url is asked by GET/, { method: "POST", ...pages({ next: byUrl }) }],
  ["pages.next.by", /link is asked by GET/, { method: "POST", ...pages({ next: { by: "link" } }) }],
  [
    "pages.next.by",
    /no place for the key/,
    { path: "/{key}/things", ...pages({ next: byUrl }) },
    { auth: { type: "path", name: "key" } }
  ],
  ["pages.origins", /is for addresses that the provider tells/, pages({ origins: ["https://files.test"] })],
  ["pages.origins.0", /is no origin/, pages({ next: byUrl, origins: ["https://files.test/path"] })],
  [
    "pages.origins",
    /cannot be named with accounts of users/,
    pages({ next: byUrl, origins: ["https://files.test"] }),
    { auth: account }
  ],
  ["pages.billed", /must be page/, { ...pages({ billed: "call" }), response: { costMicros: "body.cost" } }]
]

describe("reading in pages", () => {
  it("takes a manifest that says it right", () => {
    assert.deepStrictEqual(pageProblems(endpointOf({ operation: right })), [])
    assert.deepStrictEqual(pageProblems(endpointOf({ operation: { ...right, ...pages({ next: byUrl }) } })), [])
  })

  for (const [path, message, operation, provider] of wrong)
    it(`is refused at ${path}: ${message.source}`, () => {
      const members = Object.entries({ ...right, ...operation }).filter(([, value]) => value !== undefined)
      const found = pageProblems(
        endpointOf({ operation: Object.fromEntries(members), ...(provider === undefined ? {} : { provider }) })
      )
      assert.deepStrictEqual(
        found.map((each) => each.path),
        [path]
      )
      assert.match(found[0]?.message ?? "", message)
    })
})
