/** From when on a manifest is said to be old, and that it is told apart from one that does not say its day. */
import { assert, describe, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { ProviderManifest } from "../../../src/domain/Manifest.js"
import { verifiedDaysMax } from "../../../src/domain/limits/Manifests.js"
import { endpointsOf } from "../../../src/layers/catalog/ManifestEndpoints.js"
import { ageWarnings } from "../../../src/layers/catalog/VerifiedAges.js"

const readOn = Date.parse("2026-11-22")
const daysLater = (days: number) => readOn + days * 86_400_000 + 3_600_000
const warned = (provenance: object, nowMillis: number, mock = false) => {
  const manifest = Schema.decodeUnknownEither(ProviderManifest)({
    id: "aged",
    name: "Aged",
    mock,
    baseUrl: "https://api.aged.example",
    operations: [
      {
        id: "aged-one",
        name: "One",
        summary: "A test.",
        method: "GET",
        path: "/",
        input: { type: "object" },
        price: { basis: "free", micros: 0 },
        provenance: { docs: "https://aged.example", ...provenance }
      }
    ]
  })
  return ageWarnings(endpointsOf(Either.getOrThrow(manifest)), nowMillis).map(({ message }) => message)
}
const dated = { verified: true, verifiedOn: "2026-11-22" }

describe("the day on which documentation was read", () => {
  it("is not in the future, but for the day that has begun elsewhere", () => {
    assert.deepStrictEqual(warned(dated, daysLater(-1)), [])
    assert.deepStrictEqual(warned(dated, daysLater(-2)), [
      "is a day that has not come: on which day was the documentation read?"
    ])
  })

  it("is too long ago after a year, and not before", () => {
    assert.deepStrictEqual(warned(dated, daysLater(verifiedDaysMax)), [])
    assert.match(warned(dated, daysLater(verifiedDaysMax + 1))[0] ?? "", /^is 366 days ago/)
  })

  it("is asked for where the documentation was read, and nowhere else", () => {
    assert.match(warned({ verified: true }, readOn)[0] ?? "", /^is missing/)
    assert.deepStrictEqual(warned({ verified: false }, readOn), [])
    assert.deepStrictEqual(warned({ verified: true }, readOn, true), [])
  })
})
