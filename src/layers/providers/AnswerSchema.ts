/**
 * Where an answer breaks the JSON Schema that its operation documents, by the same check as that of inputs, with the
 * same bound on its work. A break is told in the words of the schema: no name and no value of the answer stands in it.
 */
import { cutText } from "../../domain/Characters.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { breakCharsMax } from "../../domain/Limits.js"
import type { Endpoint } from "../../domain/Manifest.js"
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

/**
 * The check of the answers of an operation: null for one that fits, `left_out` for one whose check takes too much work.
 * Null where no schema is documented, or one that cannot be checked.
 */
export const answerCheckOf = memoByVersion(({ operation: { outputSchema } }: Endpoint) =>
  outputSchema === undefined || checkVocabulary(outputSchema, "values").problems.length > 0
    ? null
    : compiled(outputSchema)
)
