/**
 * What a catalog says that is allowed and does nothing, or not what it seems to: names that nothing has. `catalog lint`
 * warns of it. Nothing is refused for it, because a schema need not name every field that an operation takes.
 */
import type { Endpoint, JobManifest, Operation } from "../../domain/Manifest.js"
import { inputFields } from "../../domain/OperationInput.js"
import { didYouMean, fieldMeant } from "../../domain/Similar.js"
import type { ContentProblem } from "../../services/CatalogPublisher.js"
import type { LintProblem } from "./CatalogLint.js"

/** The fields that an operation takes, whether its schema names them or not. */
const fieldsOf = (operation: Operation): ReadonlySet<string> =>
  new Set([...inputFields(operation).map(([name]) => name), ...(operation.extras ?? []), ...pageFields(operation)])

/** Fields that the gateway fills in while it goes from page to page. */
const pageFields = ({ pages }: Operation): ReadonlyArray<string> =>
  pages === undefined ? [] : Object.values(pages).filter((value) => typeof value === "string")

const noField = (name: string, fields: ReadonlySet<string>): string => {
  const meant = fieldMeant(name, fields)
  return `the input has no field ${name}${didYouMean(meant === null ? [] : [meant])}`
}

const ofBindings = (operation: Operation, fields: ReadonlySet<string>) =>
  Object.keys(operation.bindings)
    .filter((name) => !fields.has(name))
    .map((name) => ({ path: `bindings.${name}`, message: noField(name, fields) }))

const ofAccepts = ({ accepts }: Operation, fields: ReadonlySet<string>, job: JobManifest | undefined) => {
  const common = new Set(job === undefined ? [] : [...job.needs.flat(), ...Object.keys(job.exampleInput)])
  return Object.entries(accepts).flatMap(([name, field]) => {
    const path = `accepts.${name}`
    const likely = common.has(name) ? null : fieldMeant(name, common)
    // Beside the job's own name, a second spelling is meant for people.
    const meant = likely === null || Object.hasOwn(accepts, likely) || fields.has(likely) ? null : likely
    return [
      ...(fields.has(field) ? [] : [{ path, message: noField(field, fields) }]),
      ...(meant === null ? [] : [{ path, message: `the job has no field ${name}${didYouMean([meant])}` }])
    ]
  })
}

/** Warnings about operations, whose jobs are among `jobs`. */
export const likelyMistakes = (
  endpoints: ReadonlyArray<Endpoint>,
  jobs: ReadonlyArray<JobManifest>
): ReadonlyArray<LintProblem> => {
  const byId = new Map(jobs.map((job) => [job.id, job]))
  return endpoints.flatMap(({ operation }) => {
    const fields = fieldsOf(operation)
    const job = operation.job === undefined ? undefined : byId.get(operation.job)
    return [...ofBindings(operation, fields), ...ofAccepts(operation, fields, job)].map((found) => ({
      endpointId: operation.id,
      ...found
    }))
  })
}

/** Warnings about jobs. */
export const likelyJobMistakes = (jobs: ReadonlyArray<JobManifest>): ReadonlyArray<ContentProblem> =>
  jobs
    .filter(({ exampleInput, needs }) => {
      const names = Object.keys(exampleInput)
      return needs.length > 0 && !needs.some((set) => set.every((name) => names.includes(name)))
    })
    .map(({ id, needs }) => ({
      subject: `job ${id}`,
      path: "exampleInput",
      message: `has none of the sets of fields that the job needs: ${needs.map((set) => set.join(" and ")).join(", or ")}`
    }))
