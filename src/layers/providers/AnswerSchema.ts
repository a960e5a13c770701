/**
 * Where an answer breaks the JSON Schema that its operation documents, by the same check as that of inputs, with the
 * same bound on its work. A break is told in the words of the schema: no name and no value of the answer stands in it.
 */
import { cutText } from "../../domain/Characters.js"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { breakCharsMax } from "../../domain/limits/Calls.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { Break } from "../../domain/ProviderFigures.js"
import { memoByVersion } from "./MemoByVersion.js"
import type { Path } from "./schemas/Checking.js"
import { answerCheckFor } from "./schemas/Schema.js"
import { checkVocabulary } from "./SchemaVocabulary.js"

const placeOf = (path: Path): string =>
  path.reduce<string>((place, step) => (typeof step === "number" ? `${place}[]` : `${place}.${step}`), "body")

const compiled = (schema: JsonObject): ((body: Json) => Break | "left_out" | null) => {
  const check = answerCheckFor(schema)
  return (body) => {
    const problem = check(body)
    if (problem === null) return null
    if (problem.kind === "spent") return "left_out"
    const place = placeOf(problem.path)
    return problem.kind === "missing"
      ? { place: cutText(`${place}.${problem.message}`, breakCharsMax), message: "is missing" }
      : { place: cutText(place, breakCharsMax), message: cutText(problem.message, breakCharsMax) }
  }
}

const isCheckable = (schema: JsonObject | undefined): schema is JsonObject =>
  schema !== undefined && checkVocabulary(schema, "values").problems.length === 0

/**
 * The check of the answers of an operation: null for one that fits, `left_out` for one whose check takes too much work.
 * Null where no schema is documented, or one that cannot be checked.
 */
export const answerCheckOf = memoByVersion(({ operation: { outputSchema } }: Endpoint) =>
  isCheckable(outputSchema) ? compiled(outputSchema) : null
)

/** What a schema says of a list that is another thing for all pages together: how many items, and how they differ. */
const ofOneList: ReadonlySet<string> = new Set([
  "maxItems",
  "minItems",
  "uniqueItems",
  "contains",
  "minContains",
  "maxContains"
])

/** The schema without what it says of the list at these steps as that of one page. */
const withoutPageLimits = (schema: Json, steps: ReadonlyArray<string>): Json => {
  if (!isObject(schema)) return schema
  const [step, ...rest] = steps
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => step !== undefined || !ofOneList.has(keyword))
      .map(([keyword, value]): readonly [string, Json] => {
        if (Array.isArray(value) && (keyword === "allOf" || keyword === "anyOf"))
          return [keyword, value.map((each: Json) => withoutPageLimits(each, steps))]
        if (step === undefined || keyword !== "properties" || !isObject(value)) return [keyword, value]
        return [
          keyword,
          Object.hasOwn(value, step)
            ? { ...value, [step]: withoutPageLimits(member(value, step) ?? null, rest) }
            : value
        ]
      })
  )
}

/**
 * The same for an answer that is made of pages. The documented schema is that of a page, so that how many results one
 * may have, and that they differ, says nothing of all of them.
 */
export const joinedCheckOf = memoByVersion(({ operation: { outputSchema, pages } }: Endpoint) => {
  if (!isCheckable(outputSchema) || pages === undefined) return null
  const lifted = withoutPageLimits(outputSchema, pages.items.split(".").slice(1))
  return isObject(lifted) ? compiled(lifted) : null
})
