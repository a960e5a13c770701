// No document ends an import with a crash: what cannot be read stands in the report.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"

const documentOf = (paths: object, more: object = {}): string =>
  JSON.stringify({
    openapi: "3.0.0",
    info: { title: "Shop", version: "1" },
    servers: [{ url: "https://api.shop.example" }],
    paths,
    ...more
  })
const posting = (schema: unknown): object => ({
  post: {
    operationId: "send",
    requestBody: { content: { "application/json": { schema } } },
    responses: { 200: { description: "ok" } }
  }
})
const messages = (text: string) =>
  Effect.map(importOpenApi([{ file: "shop.json", text }]), ({ report }) => report.notes.map(({ message }) => message))

describe("an OpenAPI document", () => {
  it.effect("whose reference has a wrong percent escape is imported without what it leads to", () =>
    Effect.gen(function* () {
      assert.include(
        yield* messages(documentOf({ "/a": posting({ $ref: "#/components/schemas/%zz" }) })),
        "cut a reference that leads out of the document or nowhere"
      )
      assert.include(
        yield* messages(documentOf({ "/a": { $ref: "#/paths/%zz" } })),
        "a path whose reference leads nowhere"
      )
    })
  )

  it.effect("that is nested deeper than its readers can go is refused, wherever it is", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
      for (const text of [
        documentOf({}, { "x-a": "@" }),
        documentOf({ "/a": posting({ example: "@" }) }),
        documentOf({ "/a": posting("@") })
      ])
        assert.deepStrictEqual(yield* messages(text.replace('"@"', deep)), [
          "a file that is nested deeper than 300 levels"
        ])
    })
  )

  it.effect("with an address of very many parts is read in a time that grows with it", () =>
    Effect.gen(function* () {
      const text = documentOf({ "/a": posting({}) }, { servers: [{ url: "https://{a}".repeat(30_000) }] })
      const before = process.cpuUsage().user
      yield* messages(text)
      assert.isBelow((process.cpuUsage().user - before) / 1000, 5_000)
    })
  )

  it.effect("whose merge keys would grow to very many values is refused, and one without a map to merge too", () =>
    Effect.gen(function* () {
      const levels = Array.from(
        { length: 12 },
        (_, at) => `x-${at + 1}: &l${at + 1} { <<: [${Array.from({ length: 10 }, () => `*l${at}`).join(", ")}] }`
      ).join("\n")
      const yaml = (text: string) => messages(`openapi: 3.0.3\n${text}\npaths: {}\n`)
      assert.match((yield* yaml(`x-0: &l0 { a: 1 }\n${levels}`)).join("\n"), /no YAML: Excessive alias count/)
      assert.match((yield* yaml("x-a: { <<: 5 }")).join("\n"), /no YAML: Merge sources must be maps/)
    })
  )
})
