/**
 * Whether what a job asks for is enough for each operation that names it. One that needs a field which none of the
 * job's fields fills is skipped by every run of the job, and nobody sees why. Only names are looked at, not values.
 */
import { commonNameOf, mapInput, planFields } from "../../domain/InputMapping.js"
import type { JsonObject } from "../../domain/Json.js"
import type { Endpoint, JobManifest, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { inputFields, neededSets, requiredFields } from "../../domain/OperationInput.js"
import type { LintProblem } from "./CatalogLint.js"

/** Values for the names of jobs from which the mapping makes others, such as the two parts of a name. */
const usual: JsonObject = {
  email: "ada@example.com",
  url: "https://example.com/",
  domain: "example.com",
  name: "Ada Example"
}

/** What a job may be given: each of its sets of fields, and all of them at once. */
const inputsOf = ({ needs }: JobManifest): ReadonlyArray<JsonObject> =>
  [...needs, needs.flat()].map((set) =>
    Object.fromEntries(set.map((name) => [name, member(usual, commonNameOf(name) ?? "") ?? "text"]))
  )

const fewest = (choices: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  choices.reduce((least, each) => (each.length < least.length ? each : least), choices[0] ?? [])

/** The fields that an operation still lacks, whatever of its job's fields a run is given. Empty where it can be run. */
const unfilled = (operation: Operation, job: JobManifest): ReadonlyArray<string> => {
  const fields = new Map(inputFields(operation))
  const plan = planFields({
    properties: new Set(fields.keys()),
    required: new Set(requiredFields(operation)),
    accepts: operation.accepts
  })
  const sets = neededSets(operation.input)
  return fewest(
    inputsOf(job).flatMap((input) => {
      const filled = mapInput(plan, input)
      const has = (field: string) => Object.hasOwn(filled, field) || fields.get(field)?.["default"] !== undefined
      return sets.map((set) => set.filter((field) => !has(field)))
    })
  )
}

/** Warnings about operations, whose jobs are among `jobs`. */
export const likelyUnreached = (
  endpoints: ReadonlyArray<Endpoint>,
  jobs: ReadonlyArray<JobManifest>
): ReadonlyArray<LintProblem> => {
  const byId = new Map<string, JobManifest>(jobs.map((job) => [job.id, job]))
  return endpoints.flatMap(({ operation }) => {
    const job = operation.job === undefined ? undefined : byId.get(operation.job)
    if (job === undefined || job.needs.length === 0) return []
    const lacks = unfilled(operation, job)
    return lacks.length === 0
      ? []
      : [
          {
            endpointId: operation.id,
            path: "job",
            message: `no set of fields of ${job.id} fills ${lacks.join(" and ")}, so no run of the job can take this operation: name what fills it in accepts, or give it a default`
          }
        ]
  })
}
