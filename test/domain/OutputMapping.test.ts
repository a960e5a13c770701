// `normalized` of the contract: fixed names, the job's vocabulary, and open words about what is missing or not
// understood.
import { assert, describe, it } from "vitest"
import type { Json } from "../../src/domain/Json.js"
import { type MappedAnswer, normalize } from "../../src/domain/OutputMapping.js"

const answer = (values: { readonly [field: string]: Json }, more: Partial<MappedAnswer> = {}): MappedAnswer => ({
  job: "people.email.find",
  endpointId: "finder",
  map: {
    fields: { email: "x", status: "x" },
    values: { status: { deliverable: "valid", accept_all: "catch_all" } },
    single: ["email"],
    verified: true
  },
  values,
  outcome: "hit",
  guessed: false,
  ...more
})

describe("an answer", () => {
  it("that is sure becomes all keys of the contract", () =>
    assert.deepStrictEqual(normalize(answer({ email: "a@b.co", status: "deliverable" })), {
      job: "people.email.find",
      endpointId: "finder",
      fields: { email: "a@b.co", status: "valid" },
      missing: [],
      ambiguous: [],
      unmapped: [],
      providerValues: { status: "deliverable" },
      verdict: "confirmed",
      verdictReason: "The provider confirms the answer.",
      mapVerified: true
    }))

  it("with a status word outside the vocabulary says unknown and lists it", () => {
    const normalized = normalize(answer({ email: "a@b.co", status: "greylisted" }))
    assert.deepStrictEqual(
      [normalized.fields["status"], normalized.unmapped, normalized.providerValues],
      ["unknown", ["status"], { status: "greylisted" }]
    )
  })

  it("with a status word in other letters is understood", () =>
    assert.strictEqual(normalize(answer({ status: "DELIVERABLE" })).fields["status"], "valid"))

  it("with a word of the vocabulary itself keeps it and needs no translation", () => {
    const normalized = normalize(answer({ email: "a@b.co", status: "risky" }))
    assert.deepStrictEqual(
      [normalized.fields["status"], normalized.unmapped, normalized.providerValues],
      ["risky", [], {}]
    )
  })

  it("with several different values for a single field is ambiguous and takes the first", () => {
    const normalized = normalize(answer({ email: ["a@b.co", "c@b.co"], status: "deliverable" }))
    assert.deepStrictEqual([normalized.fields["email"], normalized.ambiguous], ["a@b.co", ["email"]])
    assert.deepStrictEqual(normalize(answer({ email: ["a@b.co", "a@b.co"] })).ambiguous, [])
  })

  it("lists fields without a value as missing and leaves them out; 0 and false are values", () => {
    const map = { fields: { a: "x", b: "x", c: "x", d: "x", e: "x" }, values: {}, single: [], verified: false }
    const normalized = normalize(answer({ a: null, b: "", c: [], d: 0, e: false }, { job: "company.enrich", map }))
    assert.deepStrictEqual(
      [normalized.missing, normalized.fields, normalized.mapVerified],
      [["a", "b", "c"], { d: 0, e: false }, false]
    )
  })

  it("of another job keeps a word without translation and lists it", () => {
    const map = { fields: { size: "x" }, values: { size: { small: "1-10" } }, single: [], verified: true }
    const normalized = normalize(answer({ size: "huge" }, { job: "company.enrich", map }))
    assert.deepStrictEqual(
      [normalized.fields, normalized.unmapped, normalized.providerValues],
      [{ size: "huge" }, ["size"], {}]
    )
  })

  it("gets its verdict from the outcome", () => {
    assert.strictEqual(normalize(answer({}, { outcome: "miss" })).verdict, "empty")
    assert.strictEqual(normalize(answer({})).verdict, "empty")
    assert.strictEqual(normalize(answer({ email: "a@b.co" }, { outcome: "weak" })).verdict, "guessed")
    assert.strictEqual(
      normalize(answer({ email: "a@b.co" }, { outcome: "weak", guessed: true })).verdictReason,
      "The provider marks the answer as a guess."
    )
  })
})
