/**
 * Every error of the HTTP interface as it is answered, and the `error` object of every failed-run code. A class without
 * a sample fails.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ApiErrors from "../../src/domain/ApiErrors.js"
import { isBlocking, toRunError } from "../../src/domain/FailedRun.js"
import * as RunFailures from "../../src/domain/RunFailures.js"
import * as StorageErrors from "../../src/domain/StorageErrors.js"
import { startGateway, type Answer } from "../support/httpGateway.js"
import { hint, runId } from "../support/httpSamples.js"
import { goldenJson } from "./golden.js"

const classes = { ...ApiErrors, ...StorageErrors }

/** One sample or more of each class, under the name of its export. */
const samples: {
  readonly [name: string]: ReadonlyArray<{
    readonly _tag: string
    readonly message: string
  }>
} = {
  ValidationError: [
    ApiErrors.ValidationError.of("input.domain", "must be a domain name"),
    new ApiErrors.ValidationError({
      details: [
        { field: "endpointId", message: "is required" },
        { field: "fallback.maxCostUsd", message: "must be a number above 0" }
      ]
    })
  ],
  RunsCursorInvalid: [new ApiErrors.RunsCursorInvalid()],
  Unauthorized: [new ApiErrors.Unauthorized()],
  TokenRevoked: [new ApiErrors.TokenRevoked()],
  InsufficientBalance: [
    new ApiErrors.InsufficientBalance({
      balanceMicros: 1_000,
      estimatedCostMicros: 20_000,
      topUp: hint
    }),
    new ApiErrors.InsufficientBalance({
      balanceMicros: 0,
      estimatedCostMicros: 20_000,
      topUp: { ...hint, checkoutUrl: "https://pay.example/c" }
    })
  ],
  KeySpendLimitReached: [
    new ApiErrors.KeySpendLimitReached({
      limitMicros: 5_000_000,
      spentMicros: 4_990_000,
      estimatedCostMicros: 20_000
    })
  ],
  Forbidden: [
    new ApiErrors.Forbidden({ scope: "runs:execute" }),
    new ApiErrors.Forbidden({
      scope: "billing:write",
      topUp: { ...hint, reason: "read_only_token" }
    })
  ],
  NotFound: [
    new ApiErrors.NotFound({ what: "run", id: "run_x" }),
    new ApiErrors.NotFound({
      what: "endpoint",
      id: "mock-email-fnd",
      meant: "mock-email-find"
    })
  ],
  RouteNotFound: [new ApiErrors.RouteNotFound({ method: "GET", path: "/v2/runs" })],
  UnknownCategory: [
    new ApiErrors.UnknownCategory({
      category: "peple",
      categories: ["companies", "people"]
    })
  ],
  UnknownPlatform: [
    new ApiErrors.UnknownPlatform({
      platform: "emial",
      platforms: ["email", "web"]
    })
  ],
  MethodNotAllowed: [
    new ApiErrors.MethodNotAllowed({
      method: "DELETE",
      allow: ["GET", "POST"]
    })
  ],
  RequestTimeout: [new ApiErrors.RequestTimeout()],
  IdempotencyConflict: [new ApiErrors.IdempotencyConflict({}), new ApiErrors.IdempotencyConflict({ runId })],
  PayloadTooLarge: [new ApiErrors.PayloadTooLarge({ limitBytes: 1_048_576 })],
  UnsupportedMediaType: [new ApiErrors.UnsupportedMediaType({ encoding: "gzip" })],
  RangeNotSatisfiable: [new ApiErrors.RangeNotSatisfiable({ sizeBytes: 20, etag: '"a1"' })],
  RowsModeUnsupported: [
    new ApiErrors.RowsModeUnsupported({
      reason: "the operation answers no rows"
    })
  ],
  TooManyInflightRuns: [
    new ApiErrors.TooManyInflightRuns({
      inflight: 8,
      limit: 8,
      retryAfterSeconds: 2
    })
  ],
  RunRateLimited: [new ApiErrors.RunRateLimited({ limit: 60, retryAfterSeconds: 30 })],
  RateLimitExceeded: [new ApiErrors.RateLimitExceeded({ limit: 100, retryAfterSeconds: 1 })],
  InternalError: [new ApiErrors.InternalError()],
  CatalogLoading: [new ApiErrors.CatalogLoading({ retryAfterSeconds: 2 })],
  BillingUnavailable: [new ApiErrors.BillingUnavailable()],
  StorageBusy: [new StorageErrors.StorageBusy({ retryAfterSeconds: 1 })],
  StorageUncertain: [new StorageErrors.StorageUncertain()],
  StorageTimeout: [new StorageErrors.StorageTimeout({ retryAfterSeconds: 1 })]
}

const isHttpError = (value: unknown): boolean => typeof value === "function" && "_tag" in value && "retryable" in value

/** What the server and the connection add to every answer, whatever it says. */
const ofTransport: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding"
])
const headersOf = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => !ofTransport.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)))

it.scopedLive("answers each HTTP error with the same status, headers and body, as JSON and as problem details", () =>
  Effect.gen(function* () {
    assert.sameMembers(
      Object.entries(classes).flatMap(([name, value]) => (isHttpError(value) ? [name] : [])),
      Object.keys(samples),
      "each class has a sample"
    )
    let failure: unknown
    const gateway = yield* startGateway({
      runs: { get: () => Effect.fail(failure as ApiErrors.NotFound) }
    })
    const answered: Record<string, unknown> = {}
    for (const ofClass of Object.values(samples)) {
      for (const [index, sample] of ofClass.entries()) {
        failure = sample
        const headers = { "x-request-id": "req_golden" }
        const plain = yield* gateway.get(`/v1/runs/${runId}`, { headers })
        const problem = yield* gateway.get(`/v1/runs/${runId}`, {
          headers: { ...headers, accept: "application/problem+json" }
        })
        const { detail, instance, status, title, type, ...members } = problem.json
        assert.deepStrictEqual(
          [problem.status, members],
          [plain.status, plain.json],
          "the problem details have every member of the plain body"
        )
        assert.deepStrictEqual(headersOf(problem), {
          ...headersOf(plain),
          "content-type": "application/problem+json"
        })
        answered[index === 0 ? sample._tag : `${sample._tag} ${index + 1}`] = {
          status: plain.status,
          headers: headersOf(plain),
          body: plain.json,
          addedInProblemDetails: { type, title, status, detail, instance }
        }
      }
    }
    yield* Effect.promise(() => goldenJson("errors", answered))
  })
)

it("writes the same error object for each failed-run code", async () => {
  const written = Object.fromEntries(
    RunFailures.runFailures.map((cls) => [
      cls.code,
      {
        blocksTheRun: isBlocking(cls.code),
        error: toRunError(new cls(), "req_golden"),
        errorWithParticulars: toRunError(
          new cls({
            detail: "What happened.",
            hint: "What would help.",
            blames: "gateway",
            providerStatus: 418
          }),
          "req_golden"
        ),
        retryHintWithWait: toRunError(new cls({ retryAfterSeconds: 30 }), "req_golden").retryHint
      }
    ])
  )
  const exported = Object.entries(RunFailures).flatMap(([name, value]) =>
    typeof value === "function" && "facts" in value ? [name] : []
  )
  assert.sameMembers(
    exported,
    RunFailures.runFailures.map((cls) => cls.name),
    "the list holds each class"
  )
  await goldenJson("run-errors", written)
})
