/** What discover asks and answers: the operations that a workspace can run, with their scores. Shapes only. */
import { Schema } from "effect"
import { Access, JobName, raisedByUse, titleFields, usageHints } from "./CatalogRow.js"
import { appliedHints, DroppedHint, NoMatchWarning } from "./CatalogSearch.js"
import { field, optional, text, texts, upTo } from "./Described.js"
import type { Prefer } from "./RoutePlan.js"

export interface DiscoverQuery {
  readonly q: string
  readonly limit: number
  readonly prefer: Prefer
  readonly maxPriceMicros: number | null
  /** False: the words are only searched for, and nothing else is read from them. */
  readonly hints?: boolean
  readonly preferSaid?: boolean
}

const share = (description: string, example: number) => field(upTo(1), description, example)

export const DiscoveredOperation = Schema.Struct({
  ...titleFields,
  score: share("How well it fits, from 0 to 1: the four scores, weighted", 0.87),
  scores: Schema.Struct({
    relevance: share("How well it fits the words", 0.95),
    evidence: share("How well it did so far", 0.9),
    availability: share("How sure it is to answer", 1),
    price: share("How cheap it is beside the others", 0.6)
  }).annotations({ description: "What the score is made of, each from 0 to 1" }),
  reason: text("Why it was picked, in a sentence", "Best record of the last 30 days."),
  missingInput: texts("Input fields that must still be given: those that the words do not give", [
    "full_name",
    "domain"
  ]),
  usageHints,
  raisedByUse
}).annotations({ identifier: "DiscoveredOperation", description: "An operation that this workspace can run" })
export type DiscoveredOperation = typeof DiscoveredOperation.Type

export const OutOfReach = Schema.Struct({
  code: field(Schema.Literal("best_left_out"), "What fits best is not listed", "best_left_out"),
  endpointId: titleFields.endpointId,
  provider: titleFields.provider,
  job: optional(JobName.annotations({ description: "The job that it does" })),
  access: Access,
  message: text(
    "The same in a sentence, with what would help",
    "twilio-send-sms (job:sms.send) fits best, and cannot run for this workspace now: it needs an account of your own at twilio, or a key that the operator sets. What is listed does something else"
  )
}).annotations({ description: "What fits the words best, when nothing that can run does the same" })
export type OutOfReach = typeof OutOfReach.Type

export const Discovered = Schema.Struct({
  query: text("The words that were searched for", "find a work email"),
  job: optional(
    JobName.annotations({ description: "The job that the words mean; absent when they mean none that can run" })
  ),
  operations: Schema.Array(DiscoveredOperation).annotations({
    description:
      "Operations. Those of the job stand first, then the others; in both, fixtures stand behind real ones, and the best score first"
  }),
  warnings: optional(
    Schema.Array(Schema.Union(OutOfReach, NoMatchWarning, DroppedHint)).annotations({
      description: "Present when nothing that can run is what was asked for, or when a hint of the words left nothing"
    })
  ),
  appliedHints
}).annotations({ identifier: "Discovered", description: "Operations that this workspace can run" })
export type Discovered = typeof Discovered.Type
