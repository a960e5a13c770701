/**
 * A linter that others use for their documents has nothing to say of this one. What a document of ours must have beside
 * that, `Described.test.ts` asks.
 */
import { assert, it } from "@effect/vitest"
import { createConfig, lintFromString, type NormalizedProblem } from "@redocly/openapi-core"
import { openApiDocument } from "../../src/http/OpenApi.js"

/** The recommended rules, and of the others those that say something of a document that is made from code. */
const rules = {
  "component-name-unique": "error",
  "no-enum-type-mismatch": "error",
  "no-http-verbs-in-paths": "error",
  "no-illogical-composition-keywords": "error",
  "no-invalid-parameter-examples": "error",
  "no-invalid-schema-examples": "error",
  // Answers are open: fields may be added. Described.test.ts holds the examples against closed answers.
  "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: true },
  "no-mixed-number-range-constraints": "error",
  "no-required-schema-properties-undefined": "error",
  "operation-2xx-response": "error",
  "operation-4xx-response": "error",
  "operation-description": "error",
  "operation-operationId": "error",
  "operation-parameters-unique": "error",
  "operation-singular-tag": "error",
  "operation-summary": "error",
  "operation-tag-defined": "error",
  "parameter-description": "error",
  "path-parameters-defined": "error",
  "request-mime-type": {
    severity: "error",
    allowedValues: ["application/json", "application/x-www-form-urlencoded"]
  },
  "security-defined": "error",
  "tag-description": "error"
} as const

/** What the linter may say, each with the reason why the document is right. */
const answered = [
  {
    ruleId: "no-unused-components",
    pointers: ["#/components/responses/RouteNotFound", "#/components/responses/MethodNotAllowed"],
    reason: "They answer paths and methods that do not exist, which no operation can name."
  },
  {
    ruleId: "no-unused-components",
    pointers: ["RequestTimeout", "ExpectationFailed", "HeadersTooLarge"].map(
      (name) => `#/components/responses/${name}`
    ),
    reason: "They answer requests of every route that the server itself cannot take."
  }
]
const isAnswered = ({ location, ruleId }: NormalizedProblem) =>
  answered.some((each) => each.ruleId === ruleId && each.pointers.includes(location[0]?.pointer ?? ""))

const problemsOf = async (document: object) => {
  const config = await createConfig({ extends: ["recommended"], rules })
  return lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config })
}

it("the document is as a linter of OpenAPI documents wants it", async () => {
  const problems = await problemsOf(openApiDocument())
  assert.deepStrictEqual(
    problems
      .filter((problem) => !isAnswered(problem))
      .map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    []
  )
  assert.lengthOf(problems.filter(isAnswered), answered.flatMap(({ pointers }) => pointers).length)
})

it("a document that breaks its rules is refused, so they are in force", async () => {
  const found = await problemsOf({
    openapi: "3.1.0",
    info: { title: "Broken", version: "1" },
    paths: { "/things/{id}": { get: { responses: { 200: { description: "OK" } } } } },
    components: { schemas: { Unused: { type: "string" } } }
  })
  const broken = found.map(({ ruleId }) => ruleId)
  for (const ruleId of [
    "operation-operationId",
    "operation-summary",
    "operation-description",
    "operation-4xx-response",
    "path-parameters-defined",
    "no-unused-components",
    "security-defined"
  ])
    assert.include(broken, ruleId)
})
