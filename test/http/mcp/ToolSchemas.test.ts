// The schemas of tools as a host sees them: without references, whatever the definitions are called.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { objectSchemaOf } from "../../../src/http/mcp/Tool.js"

describe("a schema of a tool is written without references", () => {
  for (const name of ["Word", "a/b", "a~b", "~1", "100%", "%25", "%zz", "constructor"])
    it(`also to a definition that is called ${name}`, () => {
      const word = Schema.Literal("a", "b").annotations({ identifier: name })
      assert.deepStrictEqual<unknown>(objectSchemaOf(Schema.Struct({ one: word, more: Schema.Array(word) })), {
        type: "object",
        required: ["one", "more"],
        properties: {
          one: { type: "string", enum: ["a", "b"] },
          more: { type: "array", items: { type: "string", enum: ["a", "b"] } }
        },
        additionalProperties: false
      })
    })
})
