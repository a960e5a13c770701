/** The routes of runs (contract: "POST /v1/runs", "GET /v1/runs and GET /v1/runs/{runId}"; completions: section 3). */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  filterCharsMax,
  listedResultBytesMax,
  refusedRunDaysKept,
  resultItemsMax,
  resultPathsCharsMax
} from "../../domain/Limits.js"
import { RunStatus } from "../../domain/Run.js"
import { Access, AnswerHeaders } from "../Access.js"
import { Bearer } from "../Auth.js"
import { created, Wire, WireReading, WireStorage } from "../Envelope.js"
import { keyHeader } from "../IdempotencyKey.js"
import {
  anyCursorParam,
  booleanParam,
  choiceParam,
  intParam,
  optionalParam,
  pageParams,
  query,
  textParam
} from "../Query.js"
import { QuoteAnswer } from "./QuoteBody.js"
import { AttemptList, RunBody, RunPage } from "./RunBody.js"
import { QuoteBody, RunRequestBody } from "./RunRequestBody.js"
import { WaitQuery } from "./Wait.js"

const runPath = Schema.Struct({ runId: Schema.String.annotations({ description: "An id that begins with run_" }) })
const header = (description: string, limits: object) =>
  Schema.optionalWith(Schema.String.annotations({ jsonSchema: { type: "string", description, ...limits } }), {
    exact: true
  })
const serviceAgent = header(
  "Names the calling agent or app, for usage analytics only: it changes no answer. The first 64 characters are read; names that the gateway does not know are counted as Other",
  {}
)

const jobParam = textParam(filterCharsMax).annotations({
  description: "The id of a job, with dots or underscores: runs of the job, and of tools that do it"
})

/** Of whatever content type the provider gave it. */
const bytes = HttpApiSchema.Uint8Array({ contentType: "*/*" })

const mediaHeaders = ["ETag", "Accept-Ranges", "Cache-Control"]

export class RunsApi extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.post("create", "/v1/runs")
      .setUrlParams(query({ wait: optionalParam(WaitQuery) }))
      .setHeaders(
        Schema.Struct({
          "idempotency-key": keyHeader("One key is mandatory: here, or as idempotencyKey in the body"),
          "x-service-agent": serviceAgent
        })
      )
      .setPayload(RunRequestBody)
      .addSuccess(created(RunBody, "Run"))
      .addError(Wire.InsufficientBalance)
      .addError(Wire.KeySpendLimitReached)
      .addError(Wire.IdempotencyConflict)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.RowsModeUnsupported)
      .addError(Wire.TooManyInflightRuns)
      .addError(Wire.RunRateLimited)
      .addError(Wire.RateLimitExceeded)
      .addError(Wire.CatalogLoading)
      .addError(WireStorage)
      .annotate(Access, "runs:execute")
      .annotate(AnswerHeaders, { 201: ["X-Balance-Micros", "X-Key-Remaining-Micros"] })
      .annotate(OpenApi.Summary, "Create a run")
      .annotate(
        OpenApi.Description,
        `Reserves the maximum price, runs the job or tool, charges the actual cost and releases the rest. A 201 can carry status failed: look at status and error. The same idempotency key and request answer the same run; one that was refused before anything was sent is kept for ${refusedRunDaysKept} days.`
      )
  )
  .add(
    HttpApiEndpoint.post("quote", "/v1/runs/quote")
      .setPayload(QuoteBody)
      .addSuccess(QuoteAnswer)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.RowsModeUnsupported)
      .addError(Wire.CatalogLoading)
      .addError(WireReading)
      .annotate(Access, "runs:execute")
      .annotate(OpenApi.Summary, "What a run would hold, whom it would try, and what would refuse it")
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/runs")
      .setUrlParams(
        query({
          status: optionalParam(choiceParam(...RunStatus.literals)),
          capability: optionalParam(jobParam),
          includeResult: Schema.optionalWith(booleanParam, { exact: true, default: () => false }),
          ...pageParams,
          cursor: Schema.optionalWith(anyCursorParam, { exact: true })
        })
      )
      .addSuccess(RunPage)
      .addError(Wire.RunsCursorInvalid)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(OpenApi.Summary, "List runs, newest first")
      .annotate(
        OpenApi.Description,
        `Summaries; includeResult=true adds results, and then a page ends early rather than carry more than ${listedResultBytesMax} bytes of them: go on with nextCursor.`
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/runs/:runId")
      .setPath(runPath)
      .setUrlParams(
        query({
          fields: optionalParam(textParam(resultPathsCharsMax)),
          max_items: optionalParam(intParam(1, resultItemsMax))
        })
      )
      .addSuccess(RunBody)
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(OpenApi.Summary, "Get a run, its result trimmed if asked")
  )
  .add(
    HttpApiEndpoint.post("cancel", "/v1/runs/:runId/cancel")
      .setPath(runPath)
      .addSuccess(RunBody)
      .addError(Wire.NotFound)
      .addError(WireStorage)
      .annotate(Access, "runs:execute")
      .annotate(OpenApi.Summary, "Cancel a run; answers the run as it then is")
  )
  .add(
    HttpApiEndpoint.get("attempts", "/v1/runs/:runId/attempts")
      .setPath(runPath)
      .addSuccess(AttemptList)
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(OpenApi.Summary, "List the durable attempts of a run, with receipts")
  )
  .add(
    HttpApiEndpoint.get("media", "/v1/runs/:runId/media/:mediaId")
      .setPath(Schema.Struct({ ...runPath.fields, mediaId: Schema.String }))
      .setHeaders(
        Schema.Struct({
          range: header("One byte range", {}),
          "if-none-match": header("The ETag of a copy at hand", {}),
          "if-range": header("The ETag that a range is of", {})
        })
      )
      .addSuccess(bytes.annotations(HttpApiSchema.annotations({ status: 200, description: "The file" })))
      .addSuccess(bytes.annotations(HttpApiSchema.annotations({ status: 206, description: "The range" })))
      .addSuccess(HttpApiSchema.Empty(304))
      .addSuccess(HttpApiSchema.Empty(416))
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(AnswerHeaders, {
        200: [...mediaHeaders, "Content-Disposition"],
        206: [...mediaHeaders, "Content-Disposition", "Content-Range"],
        304: mediaHeaders,
        416: [...mediaHeaders, "Content-Range"]
      })
      .annotate(OpenApi.Summary, "Download a file or a large answer")
  )
  .middleware(Bearer) {}
