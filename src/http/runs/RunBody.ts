/**
 * Runs and attempts as a client sees them (contract: "Run" and "GET /v1/runs"; completions: section 3). Absent and null
 * mean different things here: absent is "does not apply or not known yet", null is "has a value later" (`actualCost`
 * before settlement). `ShownRun.ts` makes them of what is stored.
 */
import { Schema } from "effect"
import { anyJson, Json, JsonObject } from "../../domain/Json.js"
import { Prefer, Skipped } from "../../domain/RoutePlan.js"
import { AttemptStatus, RunOutcome, RunStatus } from "../../domain/Run.js"
import { RunError } from "../../domain/RunFailures.js"
import { exampleId, exampleTime, field, flag, NextCursor, optional, text, Time } from "../Fields.js"

const nullable = Schema.NullOr
const usd = (description: string) => field(Schema.Number, `${description}, in US dollars`, 0.02)
const whole = (description: string, example: number) => field(Schema.Int, description, example)
const digest = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
const toolId = "mock-email-find"
const outcomeOrNull = nullable(RunOutcome).annotations({
  description: "What came of it; null while it is under way, and while nobody knows"
})
const skippedMeaning = { description: "Providers that are not tried, each with the reason" }

const Pages = Schema.Struct({
  read: whole("How many pages of the provider the result is made of", 3),
  complete: flag("Whether that is all that was asked for, or all that the provider has", true)
}).annotations({
  identifier: "Pages",
  description: "Only of an answer that was read in pages: how many there were, and whether they are all"
})

const RequestedJob = Schema.Struct({
  job: text("The job that was asked for", "people.email.find"),
  prefer: optional(Prefer),
  pickedEndpointId: field(nullable(Schema.String), "The tool that is tried first; null when none could be", toolId),
  reason: text("Why that one", "Best record of the last 30 days."),
  skipped: Schema.Array(Skipped).annotations(skippedMeaning)
}).annotations({ identifier: "RequestedJob", description: "Which provider of the job was picked, and why" })

const attemptStatus = field(AttemptStatus, "Where the attempt stands", "completed")
const billed = flag("Whether the attempt is charged", true)
const attemptReason = text("Why it ended so, in a sentence", "An e-mail address was found.")

const Route = Schema.Struct({
  servedBy: optional(text("The tool that answered; absent when none did", toolId)),
  outcome: outcomeOrNull,
  chargedUsd: usd("What the run was charged so far"),
  capped: flag("Whether maxCostUsd cut the hold", false),
  attempts: Schema.Array(
    Schema.Struct({
      n: whole("The attempt's number, from 1", 1),
      endpointId: text("The tool that was tried", toolId),
      provider: text("Its provider", "mock"),
      outcome: outcomeOrNull,
      status: attemptStatus,
      chargedUsd: usd("What the attempt was charged"),
      ms: field(nullable(Schema.Int), "How long it took, in milliseconds; null while it is under way", 840),
      reason: optional(attemptReason),
      billed
    })
  ).annotations({ description: "Providers that were tried, in order" }),
  skipped: Schema.Array(Skipped).annotations(skippedMeaning),
  summary: text("The same in a sentence", "1 provider tried, mock-email-find answered: hit.")
}).annotations({ identifier: "Route", description: "With fallback: whom the run tried, and who answered" })

const TrimmedBody = Schema.Struct({
  truncated: flag("Whether anything was left out of an array", true),
  fields: optional(field(Schema.Array(Schema.String), "The paths that were asked for", ["email", "sources.url"])),
  max_items: optional(whole("The number of items that was asked for", 2)),
  arrays: Schema.Array(
    Schema.Struct({
      path: text("Where the array is; $ is the result itself", "sources"),
      kept: whole("How many items stand here", 2),
      total: whole("How many it has", 14)
    })
  ).annotations({
    description: "The arrays that lost items; where the paths of all of them are too long to tell, some of them"
  })
}).annotations({ identifier: "Trimmed", description: "How result was shrunk; the stored run is whole" })
type TrimmedBody = typeof TrimmedBody.Type

const summaryFields = {
  runId: text("Names the run", exampleId("run")),
  endpointId: text("The tool that was picked; the id as you sent it when none was", toolId),
  providerId: optional(
    text("The provider that was picked, or whose tool was named; absent when there is none", "mock")
  ),
  servedEndpointId: optional(text("The tool that answered; absent when none did", toolId)),
  servedProviderId: optional(text("The provider that answered; absent when none did", "mock")),
  status: RunStatus,
  outcome: optional(RunOutcome),
  providerResponseStatus: field(
    nullable(Schema.Int),
    "The HTTP status that the provider answered; null when there is no answer",
    200
  ),
  createdAt: field(Time, "When the run was made", exampleTime),
  completedAt: field(nullable(Time), "When it ended; null while it is under way", "2026-06-15T12:00:00.840Z"),
  actualCost: nullable(Schema.Number).annotations({
    description: "What it cost, in US dollars; null until it is settled",
    examples: [0.02]
  }),
  error: optional(RunError),
  resultBytes: field(nullable(Schema.Int), "The size of the result in bytes; null when there is none", 61)
}
const Result = Json.annotations({
  identifier: "RunResult",
  jsonSchema: anyJson,
  description:
    "The provider's answer: its JSON as the provider gave it, be that an object, a list, a text, a number or null; else text and format, or media with a downloadPath",
  examples: [{ email: "ada@example.com", confidence: 0.97 }]
})

const words = { type: "array", items: { type: "string" } }
/** Stored as JSON, so nothing is decoded; the document says what it holds. */
const NormalizedBody = JsonObject.annotations({
  identifier: "Normalized",
  description:
    "The answer under field names that do not change with the provider; absent, never null, unless the gateway has it on and the answering endpoint has an output map",
  examples: [
    {
      job: "people.email.find",
      endpointId: toolId,
      fields: { email: "ada@example.com", status: "valid" },
      missing: [],
      ambiguous: [],
      unmapped: [],
      providerValues: { status: "deliverable" },
      verdict: "confirmed",
      verdictReason: "The provider confirms the answer.",
      mapVerified: true
    }
  ],
  jsonSchema: {
    type: "object",
    required: [
      "job",
      "endpointId",
      "fields",
      "missing",
      "ambiguous",
      "unmapped",
      "providerValues",
      "verdict",
      "verdictReason",
      "mapVerified"
    ],
    properties: {
      job: { type: "string", description: "The job whose field names these are" },
      endpointId: { type: "string", description: "The tool that answered" },
      fields: {
        type: "object",
        description: "The job's fields that were found, by their fixed names",
        additionalProperties: true
      },
      missing: { ...words, description: "Fields that the answer does not hold" },
      ambiguous: { ...words, description: "Fields of which the answer holds several values" },
      unmapped: { ...words, description: "Fields whose word is none of the vocabulary" },
      providerValues: {
        type: "object",
        description: "The provider's own words, where they were translated",
        additionalProperties: true
      },
      verdict: {
        type: "string",
        enum: ["confirmed", "guessed", "empty"],
        description: "How sure the answer is; guessed goes with the outcome weak"
      },
      verdictReason: { type: "string", description: "Why, in a sentence" },
      mapVerified: {
        type: "boolean",
        description: "Whether the map that makes it was compared with the provider's documentation"
      }
    }
  }
})

const dropped = (only: string) =>
  optional(
    flag(
      `True on a run whose result and files this gateway has dropped because of its age; absent on all others${only}. Its outcome, cost and receipts stand`,
      true
    )
  )

export const RunSummary = Schema.Struct({
  ...summaryFields,
  idempotencyKey: optional(
    text("The key that it was made with; only where the list was asked for by it", "order 4711: find the address")
  ),
  result: optional(Result),
  payloadDropped: dropped(", and where results were not asked for")
}).annotations({
  identifier: "RunSummary",
  description: "A run, in short"
})
export type RunSummary = typeof RunSummary.Type

export const RunBody = Schema.Struct({
  ...summaryFields,
  requestedJob: optional(RequestedJob),
  outcomeReason: optional(text("Why the outcome is what it is, in a sentence", "An e-mail address was found.")),
  result: optional(Result),
  normalized: optional(NormalizedBody),
  payloadDropped: dropped(""),
  pricing: Schema.Struct({
    maximumChargeMicros: whole("What it holds while it is under way, in micros: the most that it can cost", 20_000),
    finalChargeMicros: optional(whole("What it was charged, in micros; absent until it is settled", 20_000))
  }).annotations({ description: "What it may cost, and what it cost" }),
  estimatedCost: usd("The most that it can cost"),
  pages: optional(Pages),
  route: optional(Route),
  contractVersion: optional(
    text(
      "The version of the operation's contract that it used, or would have used if it was refused",
      "9f2c41d07ab35e68"
    )
  ),
  startedAt: field(nullable(Time), "When it was dispatched; null before", "2026-06-15T12:00:00.012Z"),
  connectionId: optional(
    text(
      "The connection that its request named. A request that names none uses the newest one to the provider, if there is one",
      exampleId("con")
    )
  ),
  replayed: optional(
    flag(
      "Whether the run was there already, under the same idempotency key; only in the answer to POST /v1/runs",
      false
    )
  ),
  trimmed: optional(TrimmedBody)
}).annotations({ identifier: "Run", description: "A run of a job or a tool" })
export type RunBody = typeof RunBody.Type

export const RunPage = Schema.Struct({
  runs: Schema.Array(RunSummary).annotations({ description: "Runs, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "RunPage", description: "A page of runs" })

export const AttemptList = Schema.Struct({
  runId: summaryFields.runId,
  attempts: Schema.Array(
    Schema.Struct({
      attemptId: text("Names the attempt", exampleId("att")),
      n: whole("The attempt's number, from 1", 1),
      providerId: text("The provider that was called", "mock"),
      endpointId: text("The tool that was tried", toolId),
      status: attemptStatus,
      outcome: outcomeOrNull,
      providerResponseStatus: summaryFields.providerResponseStatus,
      latencyMs: field(nullable(Schema.Int), "How long it took, in milliseconds; null while it is under way", 840),
      costMicros: field(nullable(Schema.Int), "What it cost, in micros; null until that is known", 20_000),
      billed,
      reason: optional(attemptReason),
      errorCode: optional(text("What went wrong, as a word for programs; absent when nothing did", "timeout")),
      receiptId: field(nullable(Schema.String), "Names the receipt; null without one", exampleId("rcp")),
      receipt: nullable(
        Schema.Struct({
          requestDigest: field(nullable(Schema.String), "SHA-256 of what was sent; null when nothing was", digest),
          responseDigest: field(nullable(Schema.String), "SHA-256 of the answer; null when there was none", digest),
          requestBytes: whole("The size of what was sent", 58),
          responseBytes: whole("The size of the answer", 61),
          providerRequestId: field(
            nullable(Schema.String),
            "What the provider calls the request; null when it does not say",
            "7f2b9c"
          ),
          costAnomaly: optional(
            text(
              "The cost that the provider reported, when it could not be charged as it was",
              "reported 30000 micros, above the hold"
            )
          ),
          pages: optional(Pages),
          sharedWithRunId: optional(
            text("The run of yours whose call this one shared; absent when it made its own", exampleId("run"))
          )
        })
      ).annotations({
        description:
          "Evidence of the call: digests and sizes; null while it is under way, and for a call whose node died meanwhile: nobody saw its answer"
      }),
      startedAt: field(Time, "When it began", exampleTime),
      completedAt: field(nullable(Time), "When it ended; null while it is under way", "2026-06-15T12:00:00.840Z")
    })
  ).annotations({ description: "Attempts, in order" })
}).annotations({ identifier: "AttemptList", description: "The attempts of a run, with receipts" })
export type AttemptList = typeof AttemptList.Type
