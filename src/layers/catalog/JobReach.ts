/**
 * Whether what a job asks for is enough for each operation that names it. One that needs a field which none of the
 * job's fields fills is skipped by every run of the job, and nobody sees why. Only names are looked at, not values.
 */
import { commonNameOf, mapInput, planFields } from "../../domain/InputMapping.js"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { Endpoint, JobManifest, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { inputFields, requiredFields } from "../../domain/OperationInput.js"
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

const strings = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: Json) => typeof item === "string") : []

const fewest = (choices: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  choices.reduce((least, each) => (each.length < least.length ? each : least), choices[0] ?? [])

/** The fields that a schema asks for and that are not there; of several choices those of the one that lacks least. */
const lacking = (schema: Json, has: (field: string) => boolean): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const choices = ["anyOf", "oneOf"].flatMap((keyword) => {
    const branches = member(schema, keyword) ?? null
    return Array.isArray(branches) ? fewest(branches.map((branch: Json) => lacking(branch, has))) : []
  })
  const all = member(schema, "allOf") ?? null
  return [
    ...new Set([
      ...strings(member(schema, "required")).filter((field) => !has(field)),
      ...choices,
      ...(Array.isArray(all) ? all.flatMap((branch: Json) => lacking(branch, has)) : [])
    ])
  ]
}

/** The fields that an operation still lacks, whatever of its job's fields a run is given. Empty where it can be run. */
const unfilled = (operation: Operation, job: JobManifest): ReadonlyArray<string> => {
  const fields = new Map(inputFields(operation))
  const plan = planFields({
    properties: new Set(fields.keys()),
    required: new Set(requiredFields(operation)),
    accepts: operation.accepts
  })
  return fewest(
    inputsOf(job).map((input) => {
      const filled = mapInput(plan, input)
      return lacking(
        operation.input,
        (field) => Object.hasOwn(filled, field) || fields.get(field)?.["default"] !== undefined
      )
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
