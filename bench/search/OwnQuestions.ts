// The repository's own questions over the built-in catalog, half of them in a file of its own that only `--release`
// reads, so that nobody tunes the search on it (bench/README.md says how both were made).
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import type { CatalogContent } from "../../src/services/CatalogPublisher.js"
import type { BenchQuery } from "./Data.js"

export const questionFiles = {
  shown: "bench/search/questions.jsonl",
  heldOut: "bench/search/questions-held-out.jsonl"
} as const

/** Labels are ids of operations and of jobs. A job stands for each of its operations but the made-up ones. */
const OwnQuestion = Schema.Struct({
  trade: Schema.NonEmptyTrimmedString,
  query: Schema.NonEmptyTrimmedString,
  exact: Schema.NonEmptyArray(Schema.String),
  useful: Schema.Array(Schema.String)
})
type OwnQuestion = typeof OwnQuestion.Type

const decode = Schema.decodeUnknownSync(Schema.parseJson(OwnQuestion), { onExcessProperty: "error" })

export const readOwnQuestions = (file: string): ReadonlyArray<OwnQuestion> =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => decode(line))

/** The operations that a label stands for; none when the catalog does not know it. */
export const operationsOf = (label: string, { endpoints }: Pick<CatalogContent, "endpoints">): ReadonlyArray<string> =>
  endpoints
    .filter(({ operation, provider }) => operation.id === label || (operation.job === label && !provider.mock))
    .map(({ operation }) => operation.id)

const exactGrade = 2
const usefulGrade = 1

/** Grades by operation. An exact label wins over a useful one. */
export const gradedOwnQuestions = (file: string, content: CatalogContent): ReadonlyArray<BenchQuery> =>
  readOwnQuestions(file).map(({ exact, query, useful }) => {
    const graded = (labels: ReadonlyArray<string>, grade: number) =>
      labels.flatMap((label) => operationsOf(label, content)).map((id): [string, number] => [id, grade])
    return { query, relevant: new Map([...graded(useful, usefulGrade), ...graded(exact, exactGrade)]) }
  })
