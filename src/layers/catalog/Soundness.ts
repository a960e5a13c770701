/**
 * Checks whether a catalog is sound. All of these rules stand here, for files, for imports and for publications of
 * operators. All problems are found, not only the first, each with the dotted path of the wrong member. The Schema in
 * `domain/Manifest.ts` checks the shape of a single manifest; this module does not check it again.
 */
import { Effect, Either } from "effect"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { didYouMean, similar } from "../../domain/Similar.js"
import type { CatalogContent, ContentProblem } from "../../services/CatalogPublisher.js"
import { forEachInSlices } from "../node/LongWork.js"
import { compileRules } from "../providers/CompiledRules.js"
import { callbackProblems } from "../providers/Callbacks.js"
import { decidesNothing } from "../providers/ExpressionMistakes.js"
import { followUpProblems } from "../providers/FollowUps.js"
import { pageProblems } from "../providers/PageChecks.js"
import { checkedPrice } from "../providers/PriceByInput.js"
import { planRequest } from "../providers/RequestPlan.js"
import { checkVocabulary } from "../providers/SchemaVocabulary.js"
import { placeProblems } from "./PlaceProblems.js"
import { wrongDefaults } from "./ShownValues.js"

/**
 * How much of each operation is checked. `terms`: its job, its price, whether it may be repeated. `requests`: also its
 * expressions, its bindings and the keywords of its schema; every way into the gateway asks for this. `schemas`: also
 * whether these keywords have values of the right kind, and whether defaults fit. Runs of an operation with an unusable
 * schema fail as `contract_invalid`.
 */
export type Thoroughness = "terms" | "requests" | "schemas"

export interface OperationProblem {
  /** The path inside the operation, such as `price.micros`. */
  readonly path: string
  readonly message: string
}

const termProblems = (operation: Operation, jobIds: ReadonlySet<string>): ReadonlyArray<OperationProblem> => {
  const { effect, idempotencyHeader, job, price, repeatable, response, volume } = operation
  const problems: Array<OperationProblem> = []
  if (job !== undefined && !jobIds.has(job))
    problems.push({ path: "job", message: `there is no job ${job}${didYouMean(similar(job, jobIds))}` })
  if (price.basis === "free" && price.micros !== 0)
    problems.push({ path: "price.micros", message: "must be 0 when the price is free" })
  if (price.basis === "per_result" && volume === undefined)
    problems.push({ path: "volume", message: "is needed for a price per result: it bounds what a call can cost" })
  if (price.byInput !== undefined) {
    if (price.basis === "free")
      problems.push({ path: "price.basis", message: "must be per_call or per_result when the price is by input" })
    if (price.maxMicros === undefined)
      problems.push({
        path: "price.maxMicros",
        message: "is needed for a price by input: it bounds what a call can cost"
      })
  }
  if (price.maxMicros !== undefined && price.maxMicros < price.micros + price.perCallMicros)
    problems.push({ path: "price.maxMicros", message: "must not be below the price of a usual call" })
  if (volume !== undefined && volume.default > volume.max)
    problems.push({ path: "volume.default", message: `must not be above volume.max, which is ${volume.max}` })
  if (effect === "effectful" && repeatable && idempotencyHeader === undefined) {
    problems.push({
      path: "repeatable",
      message: "must be false for an effectful operation without idempotencyHeader: a repeated call would act twice"
    })
  }
  for (const status of response.successStatuses ?? [])
    if (response.missStatuses.includes(status))
      problems.push({ path: "response.successStatuses", message: `${status} stands in missStatuses too; name it once` })
  for (const [name, sample] of Object.entries(operation.samples))
    if (sample.pages !== undefined && operation.pages === undefined)
      problems.push({ path: `samples.${name}.pages`, message: "is for an operation that is read in pages" })
  return problems
}

/** Without the number of results, whatever came would be charged as one. */
const countProblems = ({ price, response }: Operation): ReadonlyArray<OperationProblem> =>
  price.basis === "per_result" && response.resultCount === undefined
    ? [
        {
          path: "response.resultCount",
          message: "is needed for a price per result: it says how many results came, such as length(body.items)"
        }
      ]
    : []

const reachProblems = ({ auth, ownKey, platformKey }: Endpoint["provider"]): ReadonlyArray<OperationProblem> =>
  ownKey || platformKey || auth.type === "none" || auth.type === "unsupported"
    ? []
    : [
        {
          path: "platformKey",
          message: "and ownKey are false, so nobody has a key to call it with: leave one of them out"
        }
      ]

const inputProblems = ({ input: { type } }: Operation): ReadonlyArray<OperationProblem> =>
  type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
    ? []
    : [{ path: "input.type", message: "must be object: an input is an object of fields" }]

/** Rules that say the same of every answer. One in a stored contract does what it did. */
const constantProblems = ({ async, output, pages, response }: Operation): ReadonlyArray<OperationProblem> =>
  [
    ...response.errors.map(({ when }, index) => [`response.errors.${index}.when`, when] as const),
    ["response.miss", response.miss] as const,
    ["response.weak", response.weak] as const,
    ["response.success", response.success] as const,
    ["output.guessed", output?.guessed] as const,
    ["async.done", async?.done] as const,
    ["pages.more", pages?.more] as const
  ].flatMap(([path, source]) => {
    const message = source === undefined ? null : decidesNothing(source)
    return message === null ? [] : [{ path, message }]
  })

/** The problems of one operation. `jobIds` are the jobs that it may name. */
export const operationProblems = (
  endpoint: Endpoint,
  jobIds: ReadonlySet<string>,
  thoroughness: Thoroughness
): ReadonlyArray<OperationProblem> => {
  const { operation } = endpoint
  const terms = termProblems(operation, jobIds)
  if (thoroughness === "terms") return terms
  const problems: Array<OperationProblem> = []
  const rules = compileRules(operation)
  problems.push(...(Either.isLeft(rules) ? rules.left : constantProblems(operation)))
  Either.mapLeft(planRequest(endpoint), (found) => problems.push(...found))
  Either.mapLeft(checkedPrice(endpoint), (message) => problems.push({ path: "price.byInput", message }))
  problems.push(...followUpProblems(endpoint), ...callbackProblems(endpoint), ...pageProblems(endpoint))
  problems.push(...placeProblems(endpoint), ...countProblems(operation), ...inputProblems(operation))
  problems.push(...reachProblems(endpoint.provider))
  const what = thoroughness === "schemas" ? "values" : "keywords"
  for (const { message, path } of checkVocabulary(operation.input, what).problems)
    problems.push({ path: path === "" ? "input" : `input.${path}`, message })
  if (thoroughness === "schemas" && problems.length === 0) problems.push(...wrongDefaults(operation.input))
  // Any schema may be shown. One that answers are refused for has to be one that they can be held against.
  const refused = operation.response.undocumented === "refuse" ? operation.outputSchema : null
  if (refused === undefined)
    problems.push({ path: "response.undocumented", message: "needs an outputSchema to hold answers against" })
  else if (refused !== null)
    for (const { message, path } of checkVocabulary(refused, what).problems)
      problems.push({ path: path === "" ? "outputSchema" : `outputSchema.${path}`, message })
  return [...problems, ...terms]
}

/** Finds duplicate ids. The check answers null for the first use of an id, and a problem for each further use. */
export const idCheck = (): ((kind: "job" | "provider" | "operation", id: string, file?: string) => string | null) => {
  const files = new Map<string, string | undefined>()
  return (kind, id, file) => {
    const key = `${kind} ${id}`
    if (!files.has(key)) {
      files.set(key, file)
      return null
    }
    const first = files.get(key)
    return `${key} exists already${first === undefined ? "" : ` in ${first}`}`
  }
}

/** The problems of a whole catalog. `otherJobs` are further jobs that its operations may name. */
export const catalogProblems = (
  { endpoints, jobs }: CatalogContent,
  thoroughness: Thoroughness,
  otherJobs: CatalogContent["jobs"] = []
): Effect.Effect<ReadonlyArray<ContentProblem>> =>
  Effect.suspend(() => {
    const problems: Array<ContentProblem> = []
    const twice = idCheck()
    const checkId = (subject: string, message: string | null): void => {
      if (message !== null) problems.push({ subject, path: "id", message })
    }
    for (const { id } of jobs) checkId(`job ${id}`, twice("job", id))
    const jobIds = new Set<string>([...jobs, ...otherJobs].map(({ id }) => id))
    const checked = forEachInSlices(endpoints.length, (at) => {
      const endpoint = endpoints[at]
      if (endpoint === undefined) return
      const subject = `endpoint ${endpoint.operation.id}`
      checkId(subject, twice("operation", endpoint.operation.id))
      for (const problem of operationProblems(endpoint, jobIds, thoroughness)) problems.push({ subject, ...problem })
    })
    return Effect.as(checked, problems)
  })
