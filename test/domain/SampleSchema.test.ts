/** A schema that is drawn from samples holds for every one of them and demands nothing that they do not show. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { FastCheck as fc } from "effect"
import type { Json } from "../../src/domain/Json.js"
import type { Sample } from "../../src/domain/Manifest.js"
import { sampleSchema } from "../../src/domain/SampleSchema.js"

const sample = (body: Json, outcome: Sample["outcome"] = "hit", status = 200): Sample => ({
  input: {},
  status,
  headers: {},
  body,
  outcome
})
const schemaOf = (...samples: ReadonlyArray<Sample>) =>
  sampleSchema({ samples: Object.fromEntries(samples.map((each, at) => [`sample ${at}`, each])) })

describe("the schema of an answer drawn from samples", () => {
  it("joins what the samples show, and requires nothing", () => {
    const found = { person: { name: "Ada", age: 36, tags: ["a", null] } }
    const missed = { person: null, credits: 0.5 }
    assert.deepStrictEqual(schemaOf(sample(found), sample(missed, "miss")), {
      type: "object",
      properties: {
        person: {
          type: ["null", "object"],
          properties: {
            name: { type: "string" },
            age: { type: "number" },
            tags: { type: "array", items: { type: ["null", "string"] } }
          }
        },
        credits: { type: "number" }
      }
    })
  })

  it("reads answers of 2xx that are no errors, and says nothing where there are none", () => {
    assert.deepStrictEqual(schemaOf(sample("# Title")), { type: "string" })
    assert.isNull(schemaOf(sample({ error: "closed" }, "error"), sample({ gone: true }, "miss", 404), sample(null)))
    assert.isNull(schemaOf())
  })

  it("says nothing of what lies deeper than eight levels", () => {
    const nested = (levels: number): Json => (levels === 0 ? "deep" : { in: nested(levels - 1) })
    assert.notInclude(JSON.stringify(schemaOf(sample(nested(20)))), "string")
    assert.include(JSON.stringify(schemaOf(sample(nested(7)))), "string")
  })

  it("holds for every sample it was drawn from", () => {
    const json = fc.jsonValue({ maxDepth: 5 }).map((value): Json => JSON.parse(JSON.stringify(value)))
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 4 }), (bodies) => {
        const schema = schemaOf(...bodies.map((body) => sample(body)))
        const validate = new Ajv2020({ strict: false, ownProperties: true }).compile(schema ?? {})
        for (const body of bodies) assert.isTrue(validate(body), JSON.stringify({ schema, body }))
      }),
      { numRuns: 30 }
    )
  })
})
