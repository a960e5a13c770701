/** The routes of runs (contract: "POST /v1/runs", "GET /v1/runs and GET /v1/runs/{runId}"; completions: section 3). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { filterCharsMax, listedResultBytesMax } from "../../domain/limits/Lists.js"
import { serviceAgentCharsMax } from "../../domain/limits/Requests.js"
import { refusedRunDaysKept, resultItemsMax, resultPathsCharsMax, resultPathsMax } from "../../domain/limits/Runs.js"
import { TokenId } from "../../domain/Ids.js"
import { ProviderId } from "../../domain/Manifest.js"
import { RunStatus } from "../../domain/Run.js"
import { exampleId } from "../../domain/Described.js"
import { Access, AnswerHeaders } from "../Access.js"
import { Bearer } from "../Auth.js"
import { created, Wire, WireReading, WireStorage } from "../Envelope.js"
import { field } from "../Fields.js"
import { keyParam, mandatoryKeyHeader } from "../IdempotencyKey.js"
import {
  anyCursorParam,
  booleanParam,
  choiceParam,
  exampleEtag,
  headerParam,
  idParam,
  intParam,
  optionalParam,
  pageParams,
  paramOr,
  pathId,
  query,
  textParam,
  timeParams
} from "../Query.js"
import { QuoteAnswer } from "./QuoteBody.js"
import { AttemptList, RunBody, RunPage } from "./RunBody.js"
import { QuoteBody, RunRequestBody } from "./RunRequestBody.js"
import { WaitQuery } from "./Wait.js"

const runPath = Schema.Struct({ runId: pathId("run", "run") })
const serviceAgent = headerParam(
  `Names the calling agent or app, for usage analytics only: it changes no answer. The first ${serviceAgentCharsMax} characters are read; names that the gateway does not know are counted as Other`,
  "build-server"
)

const jobParam = field(
  textParam(filterCharsMax),
  "The id of a job, with dots or underscores: runs of the job, and of tools that do it",
  "people.email.find"
)

/** Of whatever content type the provider gave it. */
const bytes = HttpApiSchema.Uint8Array({ contentType: "*/*" })

const mediaHeaders = ["ETag", "Accept-Ranges", "Cache-Control"]

export class RunsApi extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.post("create", "/v1/runs")
      .setUrlParams(query({ wait: optionalParam(WaitQuery) }))
      .setHeaders(
        Schema.Struct({
          "idempotency-key": mandatoryKeyHeader,
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
      .annotate(
        OpenApi.Description,
        "Takes the body of a run without wait and idempotencyKey. Nothing is stored, held or charged, and no provider is called."
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/runs")
      .setUrlParams(
        query({
          status: optionalParam(field(choiceParam(...RunStatus.literals), "Only runs that stand there", "completed")),
          capability: optionalParam(jobParam),
          endpointId: optionalParam(
            field(
              // A refused run has the id that it was asked with, whatever that is.
              textParam(filterCharsMax),
              "Only runs of this operation: the one that answered, or until then the one that was picked",
              "hunter-email-finder"
            )
          ),
          providerId: optionalParam(
            field(
              idParam(ProviderId, "must be the id of a provider, such as hunter: small letters, digits, dots, hyphens"),
              "Only runs of this provider: the one that answered, or until then the one that was picked",
              ProviderId.make("hunter")
            )
          ),
          tokenId: optionalParam(
            field(
              idParam(TokenId, `must be the id of a token, such as ${exampleId("tok")}`),
              "Only runs of this token",
              TokenId.make(exampleId("tok"))
            )
          ),
          idempotencyKey: optionalParam(
            keyParam("Only the run that was made with this key: one run, or none where no request with it has arrived")
          ),
          ...timeParams,
          includeResult: paramOr(booleanParam, false, "Whether each run carries its result", true),
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
        `Summaries; includeResult=true adds results, and then a page ends early rather than carry more than ${listedResultBytesMax} bytes of them: go on with nextCursor. A run whose result was dropped because of its age says payloadDropped.`
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/runs/:runId")
      .setPath(runPath)
      .setUrlParams(
        query({
          fields: optionalParam(
            field(
              textParam(resultPathsCharsMax),
              `Dotted paths of the result to keep, with commas between them: at most ${resultPathsMax}; arrays are walked by item`,
              "email,sources.url"
            )
          ),
          max_items: optionalParam(
            field(intParam(1, resultItemsMax), "How many items of every array of the result to keep", 10)
          )
        })
      )
      .addSuccess(RunBody)
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(OpenApi.Summary, "Get a run, its result trimmed if asked")
      .annotate(
        OpenApi.Description,
        "Ask until status is neither queued nor running. fields and max_items shrink what is shown of the result; what is stored and charged stays."
      )
  )
  .add(
    HttpApiEndpoint.post("cancel", "/v1/runs/:runId/cancel")
      .setPath(runPath)
      .addSuccess(RunBody)
      .addError(Wire.NotFound)
      .addError(WireStorage)
      .annotate(Access, "runs:execute")
      .annotate(OpenApi.Summary, "Cancel a run; answers the run as it then is")
      .annotate(
        OpenApi.Description,
        "A queued run is not started. A call under way that only reads is aborted; one that changes something is left to end, and its own outcome stands. A run that has ended stays as it is."
      )
  )
  .add(
    HttpApiEndpoint.get("attempts", "/v1/runs/:runId/attempts")
      .setPath(runPath)
      .addSuccess(AttemptList)
      .addError(Wire.NotFound)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(OpenApi.Summary, "List the durable attempts of a run, with receipts")
      .annotate(
        OpenApi.Description,
        "Every provider that the run called, with digests and sizes of what went over the wire. Never headers or bodies."
      )
  )
  .add(
    HttpApiEndpoint.get("media", "/v1/runs/:runId/media/:mediaId")
      .setPath(Schema.Struct({ ...runPath.fields, mediaId: pathId("file", "med") }))
      .setHeaders(
        Schema.Struct({
          range: headerParam("One byte range; without it, the whole file", "bytes=0-1023"),
          "if-none-match": headerParam("The ETag of a copy at hand: 304 when it still holds", exampleEtag),
          "if-range": headerParam("The ETag that a range is of: the whole file comes when it has changed", exampleEtag)
        })
      )
      .addSuccess(bytes.annotations(HttpApiSchema.annotations({ status: 200, description: "The file" })))
      .addSuccess(bytes.annotations(HttpApiSchema.annotations({ status: 206, description: "The range" })))
      .addSuccess(HttpApiSchema.Empty(304).annotations({ description: "The copy at hand still holds" }))
      .addError(Wire.NotFound)
      .addError(Wire.RangeNotSatisfiable)
      .addError(WireReading)
      .annotate(Access, "runs:read")
      .annotate(AnswerHeaders, {
        200: [...mediaHeaders, "Content-Disposition"],
        206: [...mediaHeaders, "Content-Disposition", "Content-Range"],
        304: mediaHeaders,
        416: [...mediaHeaders, "Content-Range"]
      })
      .annotate(OpenApi.Summary, "Download a file or a large answer")
      .annotate(
        OpenApi.Description,
        "The file that result.media.downloadPath names. Ranges and conditional requests work as HTTP describes them."
      )
  )
  .annotate(OpenApi.Description, "Price, start, watch and cancel runs, and read their results")
  .middleware(Bearer) {}
