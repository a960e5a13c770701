// What is wrong with a catalog as a whole, beyond what the Schema of one manifest can see. All of it, not just the
// first.
import { Effect } from "effect"
import type { CatalogContent, ContentProblem } from "../../services/CatalogPublisher.js"
import { inSlices } from "../node/TimeSlices.js"

export const problemsOf = ({ endpoints, jobs }: CatalogContent): Effect.Effect<ReadonlyArray<ContentProblem>> =>
  Effect.gen(function* () {
    const problems: Array<ContentProblem> = []
    const jobIds = new Set<string>()
    for (const { id } of jobs) {
      if (jobIds.has(id)) problems.push({ subject: `job ${id}`, message: "is there twice" })
      jobIds.add(id)
    }
    const seen = new Set<string>()
    yield* inSlices(endpoints.length, (at) => {
      const operation = endpoints[at]?.operation
      if (operation === undefined) return
      const subject = `endpoint ${operation.id}`
      if (seen.has(operation.id)) problems.push({ subject, message: "is there twice" })
      seen.add(operation.id)
      if (operation.job !== undefined && !jobIds.has(operation.job))
        problems.push({ subject, message: `does the job ${operation.job}, which does not exist` })
      if (operation.price.basis === "per_result" && operation.volume === undefined)
        problems.push({ subject, message: "has a price per result and no volume that bounds it" })
      if (operation.price.basis === "free" && operation.price.micros !== 0)
        problems.push({ subject, message: "is free and has a price" })
    })
    return problems
  })
