/** The whole gateway with a folder of its operator's over the built-in catalog. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const own = `
id: mock
name: My fixture
baseUrl: http://fixture.invalid
mock: true
operations:
  - id: mock-geocode
    name: My geocoder
    summary: Overrides the built-in fixture.
    job: geo.geocode
    method: POST
    path: /v1/mock-geocode
    input: { type: object, properties: { address: { type: string, description: Where } }, required: [address] }
    price: { basis: per_call, micros: 7000 }
`

it.scopedLive(
  "a folder of GATEWAY_CATALOG overrides built-in operations by id, and what it does not name stays",
  () =>
    Effect.gen(function* () {
      const folder = yield* catalogFolder({ providers: { mine: own } })
      const { call } = yield* startGateway({ catalogFolders: [folder] })
      const { json } = yield* call("GET", "/v1/public-catalog/mock-geocode")
      assert.deepStrictEqual([json.title, json.price.amountMicros], ["My geocoder", 7000])
      assert.strictEqual((yield* call("GET", "/v1/public-catalog/mock-web-search")).json.providerId, "mock")
    }),
  60_000
)
