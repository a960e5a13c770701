import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operation } from "../../../src/domain/Manifest.js"
import { SharedMembers, leanEndpoint } from "../../../src/layers/catalog/LeanEndpoint.js"
import { builtInContent } from "../../../src/layers/compose/BuiltInContent.js"
import { endpoint } from "../../support/catalog.js"

const everyOperation = Effect.map(builtInContent("all"), ({ endpoints }) => [...endpoints, schemaed])
const schemaed = endpoint({
  id: "a.schemaed",
  outputSchema: { type: "object", properties: { ok: { type: "boolean" } } }
})

describe("a lean endpoint", () => {
  it.effect("reads like the one that it was made of, in every member of every operation of the catalog", () =>
    Effect.map(everyOperation, (endpoints) => {
      const common = new SharedMembers()
      assert.isAbove(endpoints.length, 100)
      for (const each of endpoints) {
        const lean = leanEndpoint(each, common)
        for (const name of Object.keys(Operation.fields)) {
          assert.deepStrictEqual(
            Reflect.get(lean.operation, name),
            Reflect.get(each.operation, name),
            `${each.operation.id} ${name}`
          )
          assert.strictEqual(name in lean.operation, name in each.operation, `${each.operation.id} ${name}`)
        }
        assert.deepStrictEqual([lean.contractVersion, lean.provider], [each.contractVersion, each.provider])
      }
    })
  )

  it.effect("is written as JSON like the one that it was made of", () =>
    Effect.map(everyOperation, (endpoints) => {
      for (const each of endpoints) {
        assert.deepStrictEqual(
          JSON.parse(JSON.stringify(leanEndpoint(each, new SharedMembers()))),
          JSON.parse(JSON.stringify(each))
        )
      }
    })
  )

  it("shares what many have in common, and stays itself when made lean again", () => {
    const common = new SharedMembers()
    const [one, two] = [endpoint({ id: "a.one" }), endpoint({ id: "a.two" })].map((each) => leanEndpoint(each, common))
    assert.notStrictEqual(one, two)
    assert.strictEqual(one?.operation.response, two?.operation.response)
    assert.strictEqual(one?.operation.bindings, two?.operation.bindings)
    assert.strictEqual(one && leanEndpoint(one, common).operation, one?.operation)
  })

  it("keeps schemas whose parsed form has long been given up", () => {
    const common = new SharedMembers()
    const many = Array.from({ length: 1_200 }, (_, n) =>
      leanEndpoint(
        endpoint({ id: `a.n${n}`, input: { type: "object", properties: { [`field_${n}`]: { type: "string" } } } }),
        common
      )
    )
    for (const pass of [1, 2]) {
      many.forEach(({ operation }, n) =>
        assert.deepStrictEqual(Object.keys(Object(operation.input["properties"])), [`field_${n}`], `pass ${pass}`)
      )
    }
  })
})
