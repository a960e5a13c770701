/**
 * Examples of the OpenAPI document: what a gateway answered to real requests, under the operation and a name for each.
 * Written by `npx vitest run test/golden -u` from the scenes of test/golden/documentScenes.ts; do not edit it by hand.
 */
import type { Json } from "../domain/Json.js"

export interface RecordedExample {
  readonly name: string
  readonly summary: string
  /** The method and the path that it answers. */
  readonly request: string
  readonly body?: Json
  readonly status: number
  readonly answer: Json
}

export const recorded: { readonly [operation: string]: ReadonlyArray<RecordedExample> } = {
  "POST /v1/runs": [
    {
      name: "hit",
      summary: "A tool that answers while the request waits",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7311"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.412Z",
        actualCost: 0.005,
        resultBytes: 88,
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z",
        replayed: false
      }
    },
    {
      name: "replayed",
      summary: "The same key and request once more: the same run, and nothing is charged",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7311"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.412Z",
        actualCost: 0.005,
        resultBytes: 88,
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z",
        replayed: true
      }
    },
    {
      name: "miss",
      summary: "A tool that finds nothing: the run completed, with the outcome miss",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7314"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "miss",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:12.824Z",
        completedAt: "2026-06-15T12:00:13.236Z",
        actualCost: 0,
        resultBytes: 42,
        outcomeReason: "The provider found nothing.",
        result: { found: false, email: null, status: null },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: {},
          missing: ["email", "status"],
          ambiguous: [],
          unmapped: [],
          providerValues: {},
          verdict: "empty",
          verdictReason: "The provider found nothing.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 0 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:12.824Z",
        replayed: false
      }
    },
    {
      name: "weak",
      summary: "A tool that answers without being sure",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7321"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "weak",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:14.236Z",
        completedAt: "2026-06-15T12:00:14.648Z",
        actualCost: 0.005,
        resultBytes: 87,
        outcomeReason: "The provider answered without being sure.",
        result: { found: true, email: "ada.lovelace@example.com", status: "accept_all", confidence: 40 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: { email: "ada.lovelace@example.com", status: "catch_all" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "accept_all" },
          verdict: "guessed",
          verdictReason: "The provider answered without being sure.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:14.236Z",
        replayed: false
      }
    },
    {
      name: "provider_error",
      summary: "The provider failed: 201 with the status failed, and nothing is charged",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7318"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        status: "failed",
        outcome: "error",
        providerResponseStatus: 503,
        createdAt: "2026-06-15T12:00:18.060Z",
        completedAt: "2026-06-15T12:00:18.472Z",
        actualCost: 0,
        error: {
          code: "provider_error",
          message: "Overloaded.",
          requestId: "req_01jz3w8m5q0000000000000000",
          whoseError: "provider",
          retryable: true,
          retryHint: "Wait a little, then send it again with a new idempotency key.",
          providerStatus: 503
        },
        resultBytes: null,
        outcomeReason: "Overloaded.",
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 0 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:18.060Z",
        replayed: false
      }
    },
    {
      name: "uncertain",
      summary:
        "The answer of a call that changes something was lost: the hold stays until an operator knows what happened",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "mock-send-message",
        input: { to: "ada@example.com", text: "Hello" },
        idempotencyKey: "order-7319"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000001",
        endpointId: "mock-send-message",
        providerId: "mock",
        status: "reconciliation_pending",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:19.472Z",
        completedAt: null,
        actualCost: null,
        resultBytes: null,
        outcomeReason:
          "The provider's answer was lost after the call was sent. Whether it took effect is not known. The hold stays until an operator resolves the run.",
        pricing: { maximumChargeMicros: 10000 },
        estimatedCost: 0.01,
        contractVersion: "1d88680c5611f2b0686a90adc3b4cbcb3a82cb0aada42a640ffb3718ee22bfed",
        startedAt: "2026-06-15T12:00:19.472Z",
        replayed: false
      }
    },
    {
      name: "fallback",
      summary: "A job: the first provider finds nothing, the next one answers",
      request: "POST /v1/runs?wait=10",
      body: {
        endpointId: "job:people.email.find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        fallback: true,
        idempotencyKey: "order-7320"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-slow-email-find",
        servedProviderId: "mock-slow",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.824Z",
        actualCost: 0.007,
        resultBytes: 88,
        requestedJob: {
          job: "people.email.find",
          prefer: "balanced",
          pickedEndpointId: "mock-email-find",
          reason: "a fixture, after every real provider: $0.005 a call, not run yet, so taken at the job's mean",
          skipped: []
        },
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-slow-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 12000, finalChargeMicros: 7000 },
        estimatedCost: 0.012,
        route: {
          servedBy: "mock-slow-email-find",
          outcome: "hit",
          chargedUsd: 0.007,
          capped: false,
          attempts: [
            {
              n: 1,
              endpointId: "mock-email-find",
              provider: "mock",
              outcome: "miss",
              status: "completed",
              chargedUsd: 0,
              ms: 412,
              reason: "The provider found nothing.",
              billed: false
            },
            {
              n: 2,
              endpointId: "mock-slow-email-find",
              provider: "mock-slow",
              outcome: "hit",
              status: "completed",
              chargedUsd: 0.007,
              ms: 412,
              reason: "The provider answered.",
              billed: true
            }
          ],
          skipped: [],
          summary: "2 providers tried, mock-slow-email-find answered: hit."
        },
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z",
        replayed: false
      }
    },
    {
      name: "running",
      summary: "Not waited for: ask GET /v1/runs/{runId} until it has ended",
      request: "POST /v1/runs",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7316"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        status: "running",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: null,
        actualCost: null,
        resultBytes: null,
        pricing: { maximumChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z",
        replayed: false
      }
    },
    {
      name: "queued",
      summary: "Every slot is taken: the run waits for one",
      request: "POST /v1/runs",
      body: {
        endpointId: "mock-send-message",
        input: { to: "ada@example.com", text: "Hello" },
        idempotencyKey: "order-7317"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000001",
        endpointId: "mock-send-message",
        providerId: "mock",
        status: "queued",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:04.000Z",
        completedAt: null,
        actualCost: null,
        resultBytes: null,
        pricing: { maximumChargeMicros: 10000 },
        estimatedCost: 0.01,
        contractVersion: "1d88680c5611f2b0686a90adc3b4cbcb3a82cb0aada42a640ffb3718ee22bfed",
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "refused_validation_error",
      summary: "The input lacks a field: failed before anything was sent or charged",
      request: "POST /v1/runs",
      body: { endpointId: "mock-email-find", input: { first_name: "Ada" }, idempotencyKey: "order-7320" },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        status: "failed",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:13.000Z",
        completedAt: "2026-06-15T12:00:13.000Z",
        actualCost: 0,
        error: {
          code: "validation_error",
          message: "input.last_name: is required, or name instead; input.domain: is required, or company instead",
          requestId: "req_01jz3w8m5q0000000000000000",
          whoseError: "customer",
          retryable: false,
          retryHint: "Correct the input and send it with a new idempotency key."
        },
        resultBytes: null,
        outcomeReason: "input.last_name: is required, or name instead; input.domain: is required, or company instead",
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "refused_needs_input",
      summary: "No provider of the job takes this input: result names the fields that each one lacks",
      request: "POST /v1/runs",
      body: { endpointId: "job:people.email.find", input: { first_name: "Ada" }, idempotencyKey: "order-7321" },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000001",
        endpointId: "job:people.email.find",
        status: "failed",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:14.000Z",
        completedAt: "2026-06-15T12:00:14.000Z",
        actualCost: 0,
        error: {
          code: "validation_error",
          message: "This job needs more input: last_name (or name), domain (or company).",
          requestId: "req_01jz3w8m5q0000000000000001",
          whoseError: "customer",
          retryable: false,
          retryHint:
            "Give first_name and last_name and domain, or name and domain, or first_name and last_name and company, or name and company, or linkedin_url; result.needs says what each provider asks for."
        },
        resultBytes: null,
        requestedJob: {
          job: "people.email.find",
          prefer: "balanced",
          pickedEndpointId: null,
          reason: "No provider could be picked.",
          skipped: [
            {
              endpointId: "mock-email-find",
              code: "needs_identity",
              reason: "needs last_name (or name), domain (or company)"
            },
            { endpointId: "mock-slow-email-find", code: "needs_identity", reason: "needs domain (or company)" }
          ]
        },
        outcomeReason: "This job needs more input: last_name (or name), domain (or company).",
        result: {
          code: "needs_input",
          message: "This job needs more input: last_name (or name), domain (or company).",
          needs: [
            {
              endpointId: "mock-email-find",
              provider: "mock",
              fields: ["last_name", "domain"],
              instead: [["name"], ["company"]]
            },
            { endpointId: "mock-slow-email-find", provider: "mock-slow", fields: ["domain"], instead: [["company"]] }
          ],
          inputAlternatives: [
            ["first_name", "last_name", "domain"],
            ["name", "domain"],
            ["first_name", "last_name", "company"],
            ["name", "company"],
            ["linkedin_url"]
          ]
        },
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "refused_endpoint_not_found",
      summary: "There is no such operation",
      request: "POST /v1/runs",
      body: {
        endpointId: "mock-email-finder",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7322"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000002",
        endpointId: "mock-email-finder",
        status: "failed",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:15.000Z",
        completedAt: "2026-06-15T12:00:15.000Z",
        actualCost: 0,
        error: {
          code: "endpoint_not_found",
          message: "There is no endpoint with the id mock-email-finder.",
          requestId: "req_01jz3w8m5q0000000000000002",
          whoseError: "customer",
          retryable: false,
          retryHint: "Search the catalog for the right endpointId."
        },
        resultBytes: null,
        outcomeReason: "There is no endpoint with the id mock-email-finder.",
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "refused_route_capped",
      summary: "Every provider costs more than maxCostUsd",
      request: "POST /v1/runs",
      body: {
        endpointId: "job:people.email.find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        fallback: { maxCostUsd: 0.001 },
        idempotencyKey: "order-7323"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000003",
        endpointId: "job:people.email.find",
        status: "failed",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:16.000Z",
        completedAt: "2026-06-15T12:00:16.000Z",
        actualCost: 0,
        error: {
          code: "route_capped",
          message: "Every provider of this job costs more than the cap: the cheapest up to $0.005.",
          requestId: "req_01jz3w8m5q0000000000000003",
          whoseError: "customer",
          retryable: false,
          retryHint: "Raise fallback.maxCostUsd to $0.005 at least, or ask for less."
        },
        resultBytes: null,
        requestedJob: {
          job: "people.email.find",
          prefer: "balanced",
          pickedEndpointId: null,
          reason: "No provider could be picked.",
          skipped: [
            {
              endpointId: "mock-email-find",
              code: "over_cost_cap",
              reason: "costs up to $0.005, and the cap is $0.001"
            },
            {
              endpointId: "mock-slow-email-find",
              code: "over_cost_cap",
              reason: "costs up to $0.007, and the cap is $0.001"
            }
          ]
        },
        outcomeReason: "Every provider of this job costs more than the cap: the cheapest up to $0.005.",
        result: {
          code: "route_capped",
          message: "Every provider of this job costs more than the cap: the cheapest up to $0.005."
        },
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        route: {
          outcome: "rejected",
          chargedUsd: 0,
          capped: true,
          attempts: [],
          skipped: [
            {
              endpointId: "mock-email-find",
              code: "over_cost_cap",
              reason: "costs up to $0.005, and the cap is $0.001"
            },
            {
              endpointId: "mock-slow-email-find",
              code: "over_cost_cap",
              reason: "costs up to $0.007, and the cap is $0.001"
            }
          ],
          summary: "0 providers tried, none answered: rejected."
        },
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "refused_platform_key_missing",
      summary: "The operator has no key of this provider: connect your own, or take another",
      request: "POST /v1/runs",
      body: { endpointId: "acme-lookup", input: { name: "Example" }, idempotencyKey: "order-7324" },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000004",
        endpointId: "acme-lookup",
        status: "failed",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:17.000Z",
        completedAt: "2026-06-15T12:00:17.000Z",
        actualCost: 0,
        error: {
          code: "platform_key_missing",
          message: "This operation needs a platform key, and none is set.",
          requestId: "req_01jz3w8m5q0000000000000004",
          whoseError: "gateway",
          retryable: false,
          retryHint: "Bring your own connection for this provider, or choose another provider."
        },
        resultBytes: null,
        outcomeReason: "This operation needs a platform key, and none is set.",
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        startedAt: null,
        replayed: false
      }
    },
    {
      name: "blocked_budget_exceeded",
      summary: "The run would hold more than a run of this workspace may",
      request: "POST /v1/runs",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        idempotencyKey: "order-7325"
      },
      status: 201,
      answer: {
        runId: "run_01jz3w8m5q0000000000000005",
        endpointId: "mock-email-find",
        providerId: "mock",
        status: "blocked",
        outcome: "rejected",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:18.000Z",
        completedAt: "2026-06-15T12:00:18.000Z",
        actualCost: 0,
        error: {
          code: "budget_exceeded",
          message: "The maximum price is $0.005, and a run of this workspace may hold at most $0.001.",
          requestId: "req_01jz3w8m5q0000000000000005",
          whoseError: "customer",
          retryable: false,
          retryHint: "Ask for less, or raise the cap, and send it with a new idempotency key."
        },
        resultBytes: null,
        outcomeReason: "The maximum price is $0.005, and a run of this workspace may hold at most $0.001.",
        pricing: { maximumChargeMicros: 0, finalChargeMicros: 0 },
        estimatedCost: 0,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: null,
        replayed: false
      }
    }
  ],
  "GET /v1/runs/{runId}": [
    {
      name: "hit",
      summary: "A run that ended with a hit",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.412Z",
        actualCost: 0.005,
        resultBytes: 88,
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z"
      }
    },
    {
      name: "trimmed",
      summary: "Only one field of two results; the stored run is whole",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000?fields=results.title&max_items=2",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-web-search",
        providerId: "mock",
        servedEndpointId: "mock-web-search",
        servedProviderId: "mock",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:15.648Z",
        completedAt: "2026-06-15T12:00:16.060Z",
        actualCost: 0.0015,
        resultBytes: 269,
        outcomeReason: "The provider answered.",
        result: { results: [{ title: "Gateway 1" }, { title: "Gateway 2" }] },
        normalized: {
          job: "web.search",
          endpointId: "mock-web-search",
          fields: {
            results: [
              { title: "Gateway 1", url: "https://example.com/1", snippet: "About gateways." },
              { title: "Gateway 2", url: "https://example.com/2", snippet: "About gateways." },
              { title: "Gateway 3", url: "https://example.com/3", snippet: "About gateways." }
            ]
          },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: {},
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 1500, finalChargeMicros: 1500 },
        estimatedCost: 0.0015,
        contractVersion: "36e8f8365acab5d251efc3aaea7fe743a88190ef8c8c6cb8cc497212ddc27555",
        startedAt: "2026-06-15T12:00:15.648Z",
        trimmed: {
          truncated: true,
          fields: ["results.title"],
          max_items: 2,
          arrays: [{ path: "results", kept: 2, total: 3 }]
        }
      }
    },
    {
      name: "uncertain",
      summary: "A run of which nobody knows yet whether it was done",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000001",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000001",
        endpointId: "mock-send-message",
        providerId: "mock",
        status: "reconciliation_pending",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:19.472Z",
        completedAt: null,
        actualCost: null,
        resultBytes: null,
        outcomeReason:
          "The provider's answer was lost after the call was sent. Whether it took effect is not known. The hold stays until an operator resolves the run.",
        pricing: { maximumChargeMicros: 10000 },
        estimatedCost: 0.01,
        contractVersion: "1d88680c5611f2b0686a90adc3b4cbcb3a82cb0aada42a640ffb3718ee22bfed",
        startedAt: "2026-06-15T12:00:19.472Z"
      }
    },
    {
      name: "fallback",
      summary: "A run of a job with everybody whom it tried",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-slow-email-find",
        servedProviderId: "mock-slow",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.824Z",
        actualCost: 0.007,
        resultBytes: 88,
        requestedJob: {
          job: "people.email.find",
          prefer: "balanced",
          pickedEndpointId: "mock-email-find",
          reason: "a fixture, after every real provider: $0.005 a call, not run yet, so taken at the job's mean",
          skipped: []
        },
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-slow-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 12000, finalChargeMicros: 7000 },
        estimatedCost: 0.012,
        route: {
          servedBy: "mock-slow-email-find",
          outcome: "hit",
          chargedUsd: 0.007,
          capped: false,
          attempts: [
            {
              n: 1,
              endpointId: "mock-email-find",
              provider: "mock",
              outcome: "miss",
              status: "completed",
              chargedUsd: 0,
              ms: 412,
              reason: "The provider found nothing.",
              billed: false
            },
            {
              n: 2,
              endpointId: "mock-slow-email-find",
              provider: "mock-slow",
              outcome: "hit",
              status: "completed",
              chargedUsd: 0.007,
              ms: 412,
              reason: "The provider answered.",
              billed: true
            }
          ],
          skipped: [],
          summary: "2 providers tried, mock-slow-email-find answered: hit."
        },
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z"
      }
    },
    {
      name: "running",
      summary: "A run under way: no outcome, cost or result yet",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        status: "running",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: null,
        actualCost: null,
        resultBytes: null,
        pricing: { maximumChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z"
      }
    }
  ],
  "POST /v1/runs/{runId}/cancel": [
    {
      name: "ended",
      summary: "A run that had ended stays as it is",
      request: "POST /v1/runs/run_01jz3w8m5q0000000000000000/cancel",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        servedEndpointId: "mock-email-find",
        servedProviderId: "mock",
        status: "completed",
        outcome: "hit",
        providerResponseStatus: 200,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:01.412Z",
        actualCost: 0.005,
        resultBytes: 88,
        outcomeReason: "The provider answered.",
        result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 },
        normalized: {
          job: "people.email.find",
          endpointId: "mock-email-find",
          fields: { email: "ada.lovelace@example.com", status: "valid" },
          missing: [],
          ambiguous: [],
          unmapped: [],
          providerValues: { status: "deliverable" },
          verdict: "confirmed",
          verdictReason: "The provider confirms the answer.",
          mapVerified: true
        },
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 5000 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z"
      }
    },
    {
      name: "before_dispatch",
      summary: "A queued run is not started, and costs nothing",
      request: "POST /v1/runs/run_01jz3w8m5q0000000000000001/cancel",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000001",
        endpointId: "mock-send-message",
        providerId: "mock",
        status: "failed",
        outcome: "error",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:04.000Z",
        completedAt: "2026-06-15T12:00:05.000Z",
        actualCost: 0,
        error: {
          code: "cancelled_before_dispatch",
          message: "The run was cancelled before any provider was called.",
          requestId: "req_01jz3w8m5q0000000000000000",
          whoseError: "customer",
          retryable: false,
          retryHint: "Nothing was called; send it with a new idempotency key if you still want it."
        },
        resultBytes: null,
        outcomeReason: "The run was cancelled before any provider was called.",
        pricing: { maximumChargeMicros: 10000, finalChargeMicros: 0 },
        estimatedCost: 0.01,
        contractVersion: "1d88680c5611f2b0686a90adc3b4cbcb3a82cb0aada42a640ffb3718ee22bfed",
        startedAt: null
      }
    },
    {
      name: "after_dispatch",
      summary: "A call that only reads is aborted",
      request: "POST /v1/runs/run_01jz3w8m5q0000000000000000/cancel",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        endpointId: "mock-email-find",
        providerId: "mock",
        status: "failed",
        outcome: "error",
        providerResponseStatus: null,
        createdAt: "2026-06-15T12:00:01.000Z",
        completedAt: "2026-06-15T12:00:06.000Z",
        actualCost: 0,
        error: {
          code: "cancellation_requested_after_dispatch",
          message: "The run was cancelled while a provider was working on it.",
          requestId: "req_01jz3w8m5q0000000000000001",
          whoseError: "customer",
          retryable: false,
          retryHint: "Send it with a new idempotency key if you still want it."
        },
        resultBytes: null,
        outcomeReason: "The run was cancelled while a provider was working on it.",
        pricing: { maximumChargeMicros: 5000, finalChargeMicros: 0 },
        estimatedCost: 0.005,
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        startedAt: "2026-06-15T12:00:01.000Z"
      }
    }
  ],
  "GET /v1/runs/{runId}/attempts": [
    {
      name: "hit",
      summary: "One call, and it was charged",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000/attempts",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        attempts: [
          {
            attemptId: "att_01jz3w8m5q0000000000000000",
            n: 1,
            providerId: "mock",
            endpointId: "mock-email-find",
            status: "completed",
            outcome: "hit",
            providerResponseStatus: 200,
            latencyMs: 412,
            costMicros: 5000,
            billed: true,
            reason: "The provider answered.",
            receiptId: "rcp_01jz3w8m5q0000000000000000",
            receipt: {
              requestDigest: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
              responseDigest: "f47ed365500d68262fd01a2a9e332c1f55e5663e9381edd091c243336fc1f465",
              requestBytes: 85,
              responseBytes: 88,
              providerRequestId: null
            },
            startedAt: "2026-06-15T12:00:01.000Z",
            completedAt: "2026-06-15T12:00:01.412Z"
          }
        ]
      }
    },
    {
      name: "fallback",
      summary: "A call that found nothing, and one that did",
      request: "GET /v1/runs/run_01jz3w8m5q0000000000000000/attempts",
      status: 200,
      answer: {
        runId: "run_01jz3w8m5q0000000000000000",
        attempts: [
          {
            attemptId: "att_01jz3w8m5q0000000000000000",
            n: 1,
            providerId: "mock",
            endpointId: "mock-email-find",
            status: "completed",
            outcome: "miss",
            providerResponseStatus: 200,
            latencyMs: 412,
            costMicros: 0,
            billed: false,
            reason: "The provider found nothing.",
            receiptId: "rcp_01jz3w8m5q0000000000000000",
            receipt: {
              requestDigest: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
              responseDigest: "0bd33f0555a41b21b27215c1036b5ccf85e013ca77d54b1b9700eb92334b55ac",
              requestBytes: 85,
              responseBytes: 42,
              providerRequestId: null
            },
            startedAt: "2026-06-15T12:00:01.000Z",
            completedAt: "2026-06-15T12:00:01.412Z"
          },
          {
            attemptId: "att_01jz3w8m5q0000000000000001",
            n: 2,
            providerId: "mock-slow",
            endpointId: "mock-slow-email-find",
            status: "completed",
            outcome: "hit",
            providerResponseStatus: 200,
            latencyMs: 412,
            costMicros: 7000,
            billed: true,
            reason: "The provider answered.",
            receiptId: "rcp_01jz3w8m5q0000000000000001",
            receipt: {
              requestDigest: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
              responseDigest: "f47ed365500d68262fd01a2a9e332c1f55e5663e9381edd091c243336fc1f465",
              requestBytes: 70,
              responseBytes: 88,
              providerRequestId: null
            },
            startedAt: "2026-06-15T12:00:01.412Z",
            completedAt: "2026-06-15T12:00:01.824Z"
          }
        ]
      }
    }
  ],
  "GET /v1/balance": [
    {
      name: "settled",
      summary: "Nothing is held",
      request: "GET /v1/balance",
      status: 200,
      answer: {
        available: 24.995,
        reserved: 0,
        availableMicros: 24995000,
        reservedMicros: 0,
        currency: "USD",
        topUpUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
        topUpLink: {
          minimumUsd: 5,
          suggestedUsd: 20,
          checkoutUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
          dashboardUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
          message: "The balance is sufficient.",
          reason: "balance_sufficient"
        },
        holds: []
      }
    },
    {
      name: "held",
      summary: "A run under way holds the most that it can cost",
      request: "GET /v1/balance",
      status: 200,
      answer: {
        available: 24.995,
        reserved: 0.005,
        availableMicros: 24995000,
        reservedMicros: 5000,
        currency: "USD",
        topUpUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
        topUpLink: {
          minimumUsd: 5,
          suggestedUsd: 20,
          checkoutUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
          dashboardUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
          message: "The balance is sufficient.",
          reason: "balance_sufficient"
        },
        holds: [{ runId: "run_01jz3w8m5q0000000000000000", amountMicros: 5000, createdAt: "2026-06-15T12:00:01.000Z" }]
      }
    }
  ],
  "GET /v1/ledger": [
    {
      name: "run",
      summary: "What one run moved: its hold, its charge, and what was released",
      request: "GET /v1/ledger?runId=run_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        entries: [
          {
            entryId: "led_01jz3w8m5q0000000000000000",
            kind: "charge",
            amountMicros: -5000,
            balanceAfterMicros: 24995000,
            reservedAfterMicros: 0,
            runId: "run_01jz3w8m5q0000000000000000",
            createdAt: "2026-06-15T12:00:01.412Z"
          },
          {
            entryId: "led_01jz3w8m5q0000000000000001",
            kind: "release",
            amountMicros: 5000,
            balanceAfterMicros: 25000000,
            reservedAfterMicros: 0,
            runId: "run_01jz3w8m5q0000000000000000",
            createdAt: "2026-06-15T12:00:01.412Z"
          },
          {
            entryId: "led_01jz3w8m5q0000000000000002",
            kind: "hold",
            amountMicros: -5000,
            balanceAfterMicros: 24995000,
            reservedAfterMicros: 5000,
            runId: "run_01jz3w8m5q0000000000000000",
            createdAt: "2026-06-15T12:00:01.000Z"
          }
        ],
        nextCursor: null
      }
    }
  ],
  "GET /v1/runs": [
    {
      name: "summaries",
      summary: "A run that was refused and one that was not",
      request: "GET /v1/runs?limit=2",
      status: 200,
      answer: {
        runs: [
          {
            runId: "run_01jz3w8m5q0000000000000001",
            endpointId: "mock-email-verify",
            status: "failed",
            outcome: "rejected",
            providerResponseStatus: null,
            createdAt: "2026-06-15T12:00:08.824Z",
            completedAt: "2026-06-15T12:00:08.824Z",
            actualCost: 0,
            error: {
              code: "validation_error",
              message: "input.email: is required",
              requestId: "req_01jz3w8m5q0000000000000000",
              whoseError: "customer",
              retryable: false,
              retryHint: "Correct the input and send it with a new idempotency key."
            },
            resultBytes: null
          },
          {
            runId: "run_01jz3w8m5q0000000000000002",
            endpointId: "mock-email-find",
            providerId: "mock",
            servedEndpointId: "mock-email-find",
            servedProviderId: "mock",
            status: "completed",
            outcome: "hit",
            providerResponseStatus: 200,
            createdAt: "2026-06-15T12:00:07.412Z",
            completedAt: "2026-06-15T12:00:07.824Z",
            actualCost: 0.005,
            resultBytes: 88
          }
        ],
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    },
    {
      name: "results",
      summary: "A completed run with its result; another page follows",
      request: "GET /v1/runs?status=completed&includeResult=true&limit=1",
      status: 200,
      answer: {
        runs: [
          {
            runId: "run_01jz3w8m5q0000000000000002",
            endpointId: "mock-email-find",
            providerId: "mock",
            servedEndpointId: "mock-email-find",
            servedProviderId: "mock",
            status: "completed",
            outcome: "hit",
            providerResponseStatus: 200,
            createdAt: "2026-06-15T12:00:07.412Z",
            completedAt: "2026-06-15T12:00:07.824Z",
            actualCost: 0.005,
            resultBytes: 88,
            result: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 }
          }
        ],
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    }
  ],
  "GET /v1/whoami": [
    {
      name: "token",
      summary: "A token without a limit of its own",
      request: "GET /v1/whoami",
      status: 200,
      answer: {
        tokenId: "tok_01jz3w8m5q0000000000000000",
        label: "server",
        workspaceId: "ws_01jz3w8m5q0000000000000000",
        workspaceName: "Example Ltd",
        scopes: [
          "catalog:read",
          "runs:read",
          "runs:execute",
          "usage:read",
          "billing:write",
          "capabilities:write",
          "account:manage"
        ],
        createdAt: "2026-06-15T12:00:00.000Z",
        expiresAt: null,
        monthlySpendLimitMicros: null,
        monthSpendMicros: 0,
        readOnly: false
      }
    }
  ],
  "GET /v1/session-context": [
    {
      name: "token",
      summary: "A token with every scope",
      request: "GET /v1/session-context",
      status: 200,
      answer: {
        mode: "token",
        authenticationClass: "api_key",
        organizationId: "ws_01jz3w8m5q0000000000000000",
        organizationName: "Example Ltd",
        scopes: [
          "catalog:read",
          "runs:read",
          "runs:execute",
          "usage:read",
          "billing:write",
          "capabilities:write",
          "account:manage"
        ],
        deploymentMode: "production",
        role: "admin",
        expiresAt: null
      }
    }
  ],
  "GET /v1/limits": [
    {
      name: "untouched",
      summary: "A workspace without a run in flight",
      request: "GET /v1/limits",
      status: 200,
      answer: {
        balance: { availableMicros: 25000000, reservedMicros: 0 },
        key: { limitMicros: null, spentMicros: 0, remainingMicros: null, resetsAt: null },
        inflight: { now: 0, limit: 8 },
        runsPerMinute: null,
        requests: { burst: 60, remaining: 59, refillPerSecond: 10 },
        budgets: []
      }
    }
  ],
  "POST /v1/top-ups": [
    {
      name: "checkout",
      summary: "A person opens checkoutUrl and pays",
      request: "POST /v1/top-ups",
      body: { amountUsd: 20 },
      status: 201,
      answer: {
        topUpId: "top_01jz3w8m5q0000000000000000",
        status: "pending",
        amountUsd: 20,
        amountMicros: 20000000,
        checkoutUrl: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3",
        dashboardUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
        message: "Open checkoutUrl in a browser to pay; the balance grows once the payment is confirmed.",
        createdAt: "2026-06-15T12:00:04.000Z"
      }
    }
  ],
  "PUT /v1/top-ups/automatic": [
    {
      name: "set",
      summary: "A rule, before a card is saved for it",
      request: "PUT /v1/top-ups/automatic",
      body: { belowUsd: 10, amountUsd: 50, monthlyMaximumUsd: 200 },
      status: 200,
      answer: {
        status: "no_payment_method",
        message: "No card is saved: pay a top-up with savePaymentMethod.",
        belowUsd: 10,
        belowMicros: 10000000,
        amountUsd: 50,
        amountMicros: 50000000,
        monthlyMaximumUsd: 200,
        monthlyMaximumMicros: 200000000,
        monthMicros: 0,
        updatedAt: "2026-06-15T12:00:05.000Z"
      }
    }
  ],
  "GET /v1/top-ups/automatic": [
    {
      name: "set",
      summary: "A rule, before a card is saved for it",
      request: "GET /v1/top-ups/automatic",
      status: 200,
      answer: {
        status: "no_payment_method",
        message: "No card is saved: pay a top-up with savePaymentMethod.",
        belowUsd: 10,
        belowMicros: 10000000,
        amountUsd: 50,
        amountMicros: 50000000,
        monthlyMaximumUsd: 200,
        monthlyMaximumMicros: 200000000,
        monthMicros: 0,
        updatedAt: "2026-06-15T12:00:05.000Z"
      }
    }
  ],
  "GET /v1/top-ups": [
    {
      name: "requested",
      summary: "A top-up that was requested",
      request: "GET /v1/top-ups",
      status: 200,
      answer: {
        topUps: [
          {
            topUpId: "top_01jz3w8m5q0000000000000000",
            status: "pending",
            amountUsd: 20,
            amountMicros: 20000000,
            checkoutUrl: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3",
            dashboardUrl: "https://gateway.example.com/console/ws_01jz3w8m5q0000000000000000/top-up",
            message: "Open checkoutUrl in a browser to pay; the balance grows once the payment is confirmed.",
            createdAt: "2026-06-15T12:00:04.000Z"
          }
        ],
        nextCursor: null
      }
    }
  ],
  "POST /v1/capability-requests": [
    {
      name: "fax",
      summary: "Something that the catalog lacks",
      request: "POST /v1/capability-requests",
      body: {
        title: "Send a fax",
        description: "Send a PDF to a fax number, and say whether it arrived.",
        idempotencyKey: "wish-1"
      },
      status: 201,
      answer: {
        capabilityRequestId: "cap_01jz3w8m5q0000000000000000",
        title: "Send a fax",
        description: "Send a PDF to a fax number, and say whether it arrived.",
        status: "open",
        createdAt: "2026-06-15T12:00:08.000Z"
      }
    }
  ],
  "GET /v1/capability-requests": [
    {
      name: "fax",
      summary: "What the workspace wished for",
      request: "GET /v1/capability-requests",
      status: 200,
      answer: {
        requests: [
          {
            capabilityRequestId: "cap_01jz3w8m5q0000000000000000",
            title: "Send a fax",
            description: "Send a PDF to a fax number, and say whether it arrived.",
            status: "open",
            createdAt: "2026-06-15T12:00:08.000Z"
          }
        ],
        nextCursor: null
      }
    }
  ],
  "POST /v1/connections": [
    {
      name: "until_new_year",
      summary: "A key with an end",
      request: "POST /v1/connections",
      body: {
        providerId: "acme",
        label: "our own account",
        secret: "key-of-your-account",
        expiresAt: "2027-01-01T00:00:00Z"
      },
      status: 201,
      answer: {
        connectionId: "con_01jz3w8m5q0000000000000000",
        providerId: "acme",
        label: "our own account",
        createdAt: "2026-06-15T12:00:10.000Z",
        expiresAt: "2027-01-01T00:00:00.000Z"
      }
    }
  ],
  "GET /v1/connections": [
    {
      name: "one",
      summary: "The key, without its secret",
      request: "GET /v1/connections",
      status: 200,
      answer: {
        connections: [
          {
            connectionId: "con_01jz3w8m5q0000000000000000",
            providerId: "acme",
            label: "our own account",
            createdAt: "2026-06-15T12:00:10.000Z",
            expiresAt: "2027-01-01T00:00:00.000Z"
          }
        ],
        nextCursor: null
      }
    }
  ],
  "GET /v1/connections/{connectionId}": [
    {
      name: "until_new_year",
      summary: "A key with an end",
      request: "GET /v1/connections/con_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        connectionId: "con_01jz3w8m5q0000000000000000",
        providerId: "acme",
        label: "our own account",
        createdAt: "2026-06-15T12:00:10.000Z",
        expiresAt: "2027-01-01T00:00:00.000Z"
      }
    }
  ],
  "POST /v1/runs/quote": [
    {
      name: "tool",
      summary: "A tool that would be run now",
      request: "POST /v1/runs/quote",
      body: {
        endpointId: "mock-email-find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" }
      },
      status: 200,
      answer: {
        admissible: true,
        holdMicros: 5000,
        estimatedCost: 0.005,
        route: {
          job: null,
          prefer: "balanced",
          reason: "The request names this endpoint.",
          capped: false,
          candidates: [{ endpointId: "mock-email-find", provider: "mock", maxMicros: 5000, effectful: false }],
          skipped: []
        },
        limits: [
          { limit: "run_cap", admits: true, message: null },
          { limit: "runs_per_minute", admits: true, message: null },
          { limit: "inflight", admits: true, message: null },
          { limit: "key_month", admits: true, message: null },
          { limit: "balance", admits: true, message: null }
        ]
      }
    },
    {
      name: "balance_too_low",
      summary: "A job with fallback that the balance does not cover",
      request: "POST /v1/runs/quote",
      body: {
        endpointId: "job:people.email.find",
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
        fallback: true
      },
      status: 200,
      answer: {
        admissible: false,
        holdMicros: 12000,
        estimatedCost: 0.012,
        route: {
          job: "people.email.find",
          prefer: "balanced",
          reason: "a fixture, after every real provider: $0.005 a call, not run yet, so taken at the job's mean",
          capped: false,
          candidates: [
            { endpointId: "mock-email-find", provider: "mock", maxMicros: 5000, effectful: false },
            { endpointId: "mock-slow-email-find", provider: "mock-slow", maxMicros: 7000, effectful: false }
          ],
          skipped: []
        },
        limits: [
          { limit: "run_cap", admits: true, message: null },
          { limit: "runs_per_minute", admits: true, message: null },
          { limit: "inflight", admits: true, message: null },
          { limit: "key_month", admits: true, message: null },
          { limit: "balance", admits: false, message: "This run needs $0.012, and $0.006 is available" }
        ]
      }
    },
    {
      name: "refused",
      summary: "A run that would be refused, with the fields that are missing",
      request: "POST /v1/runs/quote",
      body: { endpointId: "job:people.email.find", input: { first_name: "Ada" } },
      status: 200,
      answer: {
        admissible: false,
        holdMicros: 0,
        estimatedCost: 0,
        route: {
          job: "people.email.find",
          prefer: "balanced",
          reason: "No provider could be picked.",
          capped: false,
          candidates: [],
          skipped: [
            {
              endpointId: "mock-email-find",
              code: "needs_identity",
              reason: "needs last_name (or name), domain (or company)"
            },
            { endpointId: "mock-slow-email-find", code: "needs_identity", reason: "needs domain (or company)" }
          ]
        },
        error: {
          code: "validation_error",
          message: "This job needs more input: last_name (or name), domain (or company).",
          requestId: "req_01jz3w8m5q0000000000000000",
          whoseError: "customer",
          retryable: false,
          retryHint:
            "Give first_name and last_name and domain, or name and domain, or first_name and last_name and company, or name and company, or linkedin_url; result.needs says what each provider asks for."
        },
        result: {
          code: "needs_input",
          message: "This job needs more input: last_name (or name), domain (or company).",
          needs: [
            {
              endpointId: "mock-email-find",
              provider: "mock",
              fields: ["last_name", "domain"],
              instead: [["name"], ["company"]]
            },
            { endpointId: "mock-slow-email-find", provider: "mock-slow", fields: ["domain"], instead: [["company"]] }
          ],
          inputAlternatives: [
            ["first_name", "last_name", "domain"],
            ["name", "domain"],
            ["first_name", "last_name", "company"],
            ["name", "company"],
            ["linkedin_url"]
          ]
        },
        limits: [
          { limit: "run_cap", admits: true, message: null },
          { limit: "runs_per_minute", admits: true, message: null },
          { limit: "inflight", admits: true, message: null },
          { limit: "key_month", admits: true, message: null },
          { limit: "balance", admits: true, message: null }
        ]
      }
    }
  ],
  "GET /v1/catalog/search": [
    {
      name: "found",
      summary: "Every provider of the job that the words mean",
      request: "GET /v1/catalog/search?q=find+a+work+email&limit=2",
      status: 200,
      answer: {
        endpoints: [
          {
            endpointId: "mock-email-find",
            provider: "mock",
            name: "Fixture e-mail finder",
            capability: "people.email.find",
            category: "people",
            estimatedPrice: 0.005,
            priceBasis: "per_call",
            access: "runs_now",
            executionMode: "sync",
            costPerSuccessUsd: null,
            async: false,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            sourceCapability: null,
            credential: "none",
            platform: "email",
            job: { id: "people.email.find", title: "Find a work email" },
            summary:
              "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
            mock: true,
            verified: false,
            keyless: true,
            runnableNow: true,
            stats: null,
            matchedBy: "text",
            facts: { purpose: "Rehearses hits, misses, failures and delays without spending anything outside" }
          },
          {
            endpointId: "mock-slow-email-find",
            provider: "mock-slow",
            name: "Slow fixture e-mail finder",
            capability: "people.email.find",
            category: "people",
            estimatedPrice: 0.007,
            priceBasis: "per_call",
            access: "runs_now",
            executionMode: "sync",
            costPerSuccessUsd: null,
            async: false,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            sourceCapability: null,
            credential: "none",
            platform: "email",
            job: { id: "people.email.find", title: "Find a work email" },
            summary: "Makes up the work e-mail of a person after a pause, as the second provider of the job.",
            mock: true,
            verified: false,
            keyless: true,
            runnableNow: true,
            stats: null,
            matchedBy: "text",
            facts: { purpose: "A second provider of people.email.find, to rehearse fallback" }
          }
        ],
        query: "find a work email",
        total: 4,
        nextOffset: 2,
        prefer: "balanced",
        expandedCapabilities: ["people.email.find"],
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58"
      }
    },
    {
      name: "nothing",
      summary: "Nothing of the kind is in the catalog",
      request: "GET /v1/catalog/search?q=zebra",
      status: 200,
      answer: {
        endpoints: [],
        query: "zebra",
        total: 0,
        nextOffset: null,
        prefer: "balanced",
        expandedCapabilities: [],
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58",
        warnings: [{ code: "no_match", message: "Nothing here matches these words and filters" }]
      }
    }
  ],
  "GET /v1/discover": [
    {
      name: "found",
      summary: "The best operation for a task, with what it needs",
      request: "GET /v1/discover?q=find+a+work+email&limit=1",
      status: 200,
      answer: {
        query: "find a work email",
        job: { id: "people.email.find", title: "Find a work email" },
        operations: [
          {
            endpointId: "mock-slow-email-find",
            provider: "mock-slow",
            name: "Slow fixture e-mail finder",
            capability: "people.email.find",
            category: "people",
            estimatedPrice: 0.007,
            priceBasis: "per_call",
            access: "runs_now",
            executionMode: "sync",
            costPerSuccessUsd: null,
            async: false,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            sourceCapability: null,
            credential: "none",
            score: 0.898,
            scores: { relevance: 1, evidence: 0.8, availability: 1, price: 0.588 },
            reason: "Does people.email.find; $0.007 per call; not run here yet.",
            missingInput: ["name"]
          }
        ]
      }
    },
    {
      name: "nothing",
      summary: "Nothing that this workspace can run",
      request: "GET /v1/discover?q=zebra",
      status: 200,
      answer: {
        query: "zebra",
        operations: [],
        warnings: [{ code: "no_match", message: "Nothing here matches these words and filters" }]
      }
    }
  ],
  "GET /v1/catalog/endpoints": [
    {
      name: "page",
      summary: "A page, with where the next one begins",
      request: "GET /v1/catalog/endpoints?limit=1",
      status: 200,
      answer: {
        endpoints: [
          {
            endpointId: "acme-lookup",
            provider: "acme",
            name: "Lookup",
            category: "other",
            estimatedPrice: 0.0003,
            priceBasis: "per_call",
            access: "needs_your_account",
            executionMode: "sync",
            costPerSuccessUsd: null,
            async: false,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            sourceCapability: null,
            credential: "platform_own_key_optional",
            platform: "general",
            summary: "Looks a company up.",
            mock: false,
            verified: false,
            keyless: false,
            runnableNow: false,
            stats: null,
            matchedBy: null,
            facts: {}
          }
        ],
        total: 17,
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58",
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    },
    {
      name: "facets",
      summary: "The operations of one category, counted by platform, provider and job",
      request: "GET /v1/catalog/endpoints?category=geo&facets=true",
      status: 200,
      answer: {
        endpoints: [
          {
            endpointId: "mock-geocode",
            provider: "mock",
            name: "Fixture geocoder",
            capability: "geo.geocode",
            category: "geo",
            estimatedPrice: 0,
            priceBasis: "free",
            access: "runs_now",
            executionMode: "sync",
            costPerSuccessUsd: null,
            async: false,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            sourceCapability: null,
            credential: "none",
            platform: "maps",
            job: { id: "geo.geocode", title: "Find the coordinates of an address" },
            summary: "Makes up coordinates of an address, free of charge, to rehearse the job without a real provider.",
            mock: true,
            verified: false,
            keyless: true,
            runnableNow: true,
            stats: null,
            matchedBy: null,
            facts: { purpose: "Rehearses hits, misses, failures and delays without spending anything outside" }
          }
        ],
        total: 1,
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58",
        nextCursor: null,
        facets: {
          category: [{ value: "geo", count: 1 }],
          platform: [{ value: "maps", count: 1 }],
          provider: [{ value: "mock", count: 1 }],
          capability: [{ value: "geo.geocode", count: 1 }]
        }
      }
    }
  ],
  "GET /v1/operations/{endpointId}": [
    {
      name: "tool",
      summary: "An operation of one provider",
      request: "GET /v1/operations/mock-email-find",
      status: 200,
      answer: {
        endpoint: {
          id: "mock-email-find",
          provider: "mock",
          name: "Fixture e-mail finder",
          summary:
            "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
          capability: "people.email.find",
          sourceCapability: null,
          category: "people",
          platform: "email",
          credential: "none",
          access: "runs_now",
          executionMode: "sync",
          mock: true,
          price: {
            basis: "per_call",
            amountUsd: 0.005,
            amountMicros: 5000,
            unit: "call",
            estimateFormula: "$0.005 a call",
            maxMicros: 5000
          },
          facts: { purpose: "Rehearses hits, misses, failures and delays without spending anything outside" }
        },
        contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
        effectClassification: "read_only",
        estimatedMaxCost: 0.005,
        usageHints: {
          requiredInputFields: [],
          optionalInputFields: ["first_name", "last_name", "name", "domain", "company"],
          exampleInput: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
          curl: 'curl -sS -X POST "$GATEWAY_URL/v1/runs?wait=true" -H "Authorization: Bearer $GATEWAY_TOKEN" -H "Idempotency-Key: $(date +%s)-$$" -H "Content-Type: application/json" -d \'{"endpointId":"mock-email-find","input":{"first_name":"Ada","last_name":"Lovelace","domain":"example.com"}}\''
        },
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            first_name: { type: "string", description: "First name", examples: ["Ada"] },
            last_name: { type: "string", description: "Last name", examples: ["Lovelace"] },
            name: { type: "string", description: "Full name", examples: ["Ada Lovelace"] },
            domain: { type: "string", description: "Domain of the company", examples: ["example.com"] },
            company: { type: "string", description: "Name of the company", examples: ["Example"] }
          },
          allOf: [
            { anyOf: [{ required: ["first_name", "last_name"] }, { required: ["name"] }] },
            { anyOf: [{ required: ["domain"] }, { required: ["company"] }] }
          ]
        },
        requestBinding: {
          first_name: { in: "json", name: "first_name" },
          last_name: { in: "json", name: "last_name" },
          name: { in: "json", name: "name" },
          domain: { in: "json", name: "domain" },
          company: { in: "json", name: "company" }
        },
        outputFormat: {
          schema: null,
          summary: "The provider's raw answer (application/json)",
          provenance: { verified: false, note: "No documentation was checked." }
        },
        outputMap: { job: "people.email.find", fields: { email: "body.email", status: "body.status" }, verified: true }
      }
    },
    {
      name: "job",
      summary: "A job, with the providers that do it",
      request: "GET /v1/operations/job:people.email.find",
      status: 200,
      answer: {
        endpoint: {
          id: "job:people.email.find",
          provider: "mock",
          name: "Find a work email",
          summary:
            "Finds the professional e-mail address of a named person at a company, with how sure the provider is that it receives mail.",
          capability: "people.email.find",
          sourceCapability: null,
          category: "people",
          platform: "email",
          credential: "none",
          access: "runs_now",
          executionMode: "sync",
          mock: true,
          price: {
            basis: "per_call",
            amountUsd: 0.005,
            amountMicros: 5000,
            unit: "call",
            estimateFormula: "the price of the provider that answers; held at the dearest of them",
            maxMicros: 7000
          },
          facts: {}
        },
        contractVersion: "89fbb70166c6c53192515a7f20d06b1e1cb57c1547daa4f71d21fa3b8dd3690d",
        effectClassification: "read_only",
        estimatedMaxCost: 0.007,
        usageHints: {
          requiredInputFields: [],
          optionalInputFields: ["first_name", "last_name", "domain", "name", "company", "linkedin_url"],
          inputAlternatives: [
            ["first_name", "last_name", "domain"],
            ["name", "domain"],
            ["first_name", "last_name", "company"],
            ["name", "company"],
            ["linkedin_url"]
          ],
          exampleInput: { first_name: "Ada", last_name: "Example", domain: "example.com" },
          curl: 'curl -sS -X POST "$GATEWAY_URL/v1/runs?wait=true" -H "Authorization: Bearer $GATEWAY_TOKEN" -H "Idempotency-Key: $(date +%s)-$$" -H "Content-Type: application/json" -d \'{"endpointId":"job:people.email.find","input":{"first_name":"Ada","last_name":"Example","domain":"example.com"}}\''
        },
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            first_name: { type: "string", description: "A person's first name.", examples: ["Ada"] },
            last_name: { type: "string", description: "A person's last name.", examples: ["Example"] },
            domain: { type: "string", description: "A domain, such as example.com.", examples: ["example.com"] },
            name: { type: "string", description: "A person's full name." },
            company: { type: "string", description: "A company's name." },
            linkedin_url: { type: "string", description: "The address of a LinkedIn profile." }
          },
          anyOf: [
            { required: ["first_name", "last_name", "domain"] },
            { required: ["name", "domain"] },
            { required: ["first_name", "last_name", "company"] },
            { required: ["name", "company"] },
            { required: ["linkedin_url"] }
          ],
          additionalProperties: true
        },
        requestBinding: {
          first_name: { in: "json", name: "first_name" },
          last_name: { in: "json", name: "last_name" },
          domain: { in: "json", name: "domain" },
          name: { in: "json", name: "name" },
          company: { in: "json", name: "company" },
          linkedin_url: { in: "json", name: "linkedin_url" }
        },
        outputFormat: {
          schema: null,
          summary: "The raw answer of the provider that was picked; normalized.fields holds email, status",
          provenance: { verified: true, note: "Field names are fixed by the job; see each provider's own contract." }
        },
        outputMap: {
          job: "people.email.find",
          fields: {
            email: "The address found.",
            status: "How sure it is: valid, invalid, catch_all, risky or unknown."
          },
          verified: false
        },
        providers: [
          {
            endpointId: "mock-email-find",
            provider: "mock",
            name: "Fixture e-mail finder",
            access: "runs_now",
            estimatedPrice: 0.005,
            priceBasis: "per_call",
            contractVersion: "3f63478c28ad7d32941a1a2b816a744a9beca845d9121b6e4f85f188a2a2ecde",
            reason: "a fixture, after every real provider: $0.005 a call, not run yet, so taken at the job's mean"
          },
          {
            endpointId: "mock-slow-email-find",
            provider: "mock-slow",
            name: "Slow fixture e-mail finder",
            access: "runs_now",
            estimatedPrice: 0.007,
            priceBasis: "per_call",
            contractVersion: "0e52c02fddd989b30671e9e30e4131830428d1475e59c7ab34a90f10454c48b5",
            reason: "a fixture, after every real provider: $0.007 a call, not run yet, so taken at the job's mean"
          }
        ]
      }
    }
  ],
  "GET /v1/catalog/overview": [
    {
      name: "tree",
      summary: "The categories of the catalog",
      request: "GET /v1/catalog/overview",
      status: 200,
      answer: {
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58",
        builtAt: "2026-06-15T12:00:00.000Z",
        depth: "summary",
        totals: { categories: 8, platforms: 13, jobs: 11, providers: 4, endpoints: 17, runnableEndpoints: 16 },
        categories: [
          {
            id: "communication",
            title: "Communication",
            providerCount: 1,
            endpointCount: 1,
            runnableCount: 1,
            cheapestPerCall: 0.01,
            cheapestPerResult: null,
            platformCount: 1,
            jobCount: 0
          },
          {
            id: "companies",
            title: "Companies",
            providerCount: 2,
            endpointCount: 2,
            runnableCount: 2,
            cheapestPerCall: 0.005,
            cheapestPerResult: null,
            platformCount: 1,
            jobCount: 2
          },
          {
            id: "documents",
            title: "Documents",
            providerCount: 1,
            endpointCount: 3,
            runnableCount: 3,
            cheapestPerCall: 0.0001,
            cheapestPerResult: null,
            platformCount: 2,
            jobCount: 0
          },
          {
            id: "geo",
            title: "Geo",
            providerCount: 1,
            endpointCount: 1,
            runnableCount: 1,
            cheapestPerCall: 0,
            cheapestPerResult: null,
            platformCount: 1,
            jobCount: 1
          },
          {
            id: "other",
            title: "Other",
            providerCount: 1,
            endpointCount: 1,
            runnableCount: 0,
            cheapestPerCall: 0.0003,
            cheapestPerResult: null,
            platformCount: 1,
            jobCount: 0
          },
          {
            id: "people",
            title: "People",
            providerCount: 3,
            endpointCount: 4,
            runnableCount: 4,
            cheapestPerCall: 0.002,
            cheapestPerResult: null,
            platformCount: 2,
            jobCount: 3
          },
          {
            id: "search",
            title: "Search",
            providerCount: 2,
            endpointCount: 4,
            runnableCount: 4,
            cheapestPerCall: 0.003,
            cheapestPerResult: 0.0005,
            platformCount: 4,
            jobCount: 4
          },
          {
            id: "social",
            title: "Social",
            providerCount: 1,
            endpointCount: 1,
            runnableCount: 1,
            cheapestPerCall: 0.002,
            cheapestPerResult: null,
            platformCount: 1,
            jobCount: 1
          }
        ]
      }
    },
    {
      name: "topic",
      summary: "The jobs that some words mean",
      request: "GET /v1/catalog/overview?topic=email",
      status: 200,
      answer: {
        revision: "5da71f4a68dabc1d7f2cc75fbb4a4c58",
        builtAt: "2026-06-15T12:00:00.000Z",
        topic: "email",
        matchCount: 2,
        truncated: false,
        jobs: [
          {
            id: "people.email.find",
            title: "Find a work email",
            providerCount: 2,
            endpointCount: 2,
            runnableCount: 2,
            cheapestPerCall: 0.005,
            cheapestPerResult: null,
            category: "people",
            platform: "email"
          },
          {
            id: "people.email.verify",
            title: "Verify an email address",
            providerCount: 1,
            endpointCount: 1,
            runnableCount: 1,
            cheapestPerCall: 0.002,
            cheapestPerResult: null,
            category: "people",
            platform: "email"
          }
        ]
      }
    }
  ],
  "GET /v1/public-catalog": [
    {
      name: "found",
      summary: "What anybody may see of the first match",
      request: "GET /v1/public-catalog?q=work+email&limit=1",
      status: 200,
      answer: {
        items: [
          {
            catalogItemId: "mock-email-find",
            providerId: "mock",
            operationId: "mock-email-find",
            title: "Fixture e-mail finder",
            description:
              "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
            categories: ["people"],
            capabilities: ["people.email.find"],
            parameters: [
              { name: "first_name", location: "json", required: false, type: "string", description: "First name" },
              { name: "last_name", location: "json", required: false, type: "string", description: "Last name" },
              { name: "name", location: "json", required: false, type: "string", description: "Full name" },
              {
                name: "domain",
                location: "json",
                required: false,
                type: "string",
                description: "Domain of the company"
              },
              { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
            ],
            price: { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
            mock: true,
            verified: false,
            keyless: true
          }
        ],
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    }
  ],
  "GET /v1/public-catalog/{catalogItemId}": [
    {
      name: "item",
      summary: "What anybody may see of one operation",
      request: "GET /v1/public-catalog/mock-email-find",
      status: 200,
      answer: {
        catalogItemId: "mock-email-find",
        providerId: "mock",
        operationId: "mock-email-find",
        title: "Fixture e-mail finder",
        description:
          "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
        categories: ["people"],
        capabilities: ["people.email.find"],
        parameters: [
          { name: "first_name", location: "json", required: false, type: "string", description: "First name" },
          { name: "last_name", location: "json", required: false, type: "string", description: "Last name" },
          { name: "name", location: "json", required: false, type: "string", description: "Full name" },
          { name: "domain", location: "json", required: false, type: "string", description: "Domain of the company" },
          { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
        ],
        price: { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
        mock: true,
        verified: false,
        keyless: true
      }
    }
  ],
  "POST /v1/public-catalog/compare": [
    {
      name: "side_by_side",
      summary: "Two providers of one job",
      request: "POST /v1/public-catalog/compare",
      body: { catalogItemIds: ["mock-email-find", "mock-slow-email-find"] },
      status: 200,
      answer: {
        items: [
          {
            catalogItemId: "mock-email-find",
            providerId: "mock",
            operationId: "mock-email-find",
            title: "Fixture e-mail finder",
            description:
              "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
            categories: ["people"],
            capabilities: ["people.email.find"],
            parameters: [
              { name: "first_name", location: "json", required: false, type: "string", description: "First name" },
              { name: "last_name", location: "json", required: false, type: "string", description: "Last name" },
              { name: "name", location: "json", required: false, type: "string", description: "Full name" },
              {
                name: "domain",
                location: "json",
                required: false,
                type: "string",
                description: "Domain of the company"
              },
              { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
            ],
            price: { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
            mock: true,
            verified: false,
            keyless: true,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            access: "runs_now"
          },
          {
            catalogItemId: "mock-slow-email-find",
            providerId: "mock-slow",
            operationId: "mock-slow-email-find",
            title: "Slow fixture e-mail finder",
            description: "Makes up the work e-mail of a person after a pause, as the second provider of the job.",
            categories: ["people"],
            capabilities: ["people.email.find"],
            parameters: [
              { name: "name", location: "json", required: true, type: "string", description: "Full name" },
              {
                name: "domain",
                location: "json",
                required: false,
                type: "string",
                description: "Domain of the company"
              },
              { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
            ],
            price: { state: "priced", amountMicros: 7000, currency: "USD", unit: "call" },
            mock: true,
            verified: false,
            keyless: true,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            access: "runs_now"
          }
        ],
        differences: [
          { field: "providerId", values: { "mock-email-find": "mock", "mock-slow-email-find": "mock-slow" } },
          { field: "requiredParameters", values: { "mock-email-find": [], "mock-slow-email-find": ["name"] } },
          {
            field: "parameters",
            values: {
              "mock-email-find": ["company", "domain", "first_name", "last_name", "name"],
              "mock-slow-email-find": ["company", "domain", "name"]
            }
          },
          {
            field: "price",
            values: {
              "mock-email-find": { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
              "mock-slow-email-find": { state: "priced", amountMicros: 7000, currency: "USD", unit: "call" }
            }
          }
        ],
        cheapest: "mock-email-find",
        fastest: null,
        mostReliable: null,
        unknown: []
      }
    },
    {
      name: "with_input",
      summary: "The same, with what an input would cost at each",
      request: "POST /v1/public-catalog/compare",
      body: {
        catalogItemIds: ["mock-email-find", "mock-slow-email-find"],
        input: { first_name: "Ada", last_name: "Lovelace", domain: "example.com" }
      },
      status: 200,
      answer: {
        items: [
          {
            catalogItemId: "mock-email-find",
            providerId: "mock",
            operationId: "mock-email-find",
            title: "Fixture e-mail finder",
            description:
              "Makes up the work e-mail of a person from name and domain, to rehearse the job without a real provider.",
            categories: ["people"],
            capabilities: ["people.email.find"],
            parameters: [
              { name: "first_name", location: "json", required: false, type: "string", description: "First name" },
              { name: "last_name", location: "json", required: false, type: "string", description: "Last name" },
              { name: "name", location: "json", required: false, type: "string", description: "Full name" },
              {
                name: "domain",
                location: "json",
                required: false,
                type: "string",
                description: "Domain of the company"
              },
              { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
            ],
            price: { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
            mock: true,
            verified: false,
            keyless: true,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            access: "runs_now",
            acceptsInput: true,
            maxCostUsd: 0.005
          },
          {
            catalogItemId: "mock-slow-email-find",
            providerId: "mock-slow",
            operationId: "mock-slow-email-find",
            title: "Slow fixture e-mail finder",
            description: "Makes up the work e-mail of a person after a pause, as the second provider of the job.",
            categories: ["people"],
            capabilities: ["people.email.find"],
            parameters: [
              { name: "name", location: "json", required: true, type: "string", description: "Full name" },
              {
                name: "domain",
                location: "json",
                required: false,
                type: "string",
                description: "Domain of the company"
              },
              { name: "company", location: "json", required: false, type: "string", description: "Name of the company" }
            ],
            price: { state: "priced", amountMicros: 7000, currency: "USD", unit: "call" },
            mock: true,
            verified: false,
            keyless: true,
            works: { rate: null, runs: 0, p50Ms: null, thin: true },
            access: "runs_now",
            acceptsInput: true,
            maxCostUsd: 0.007
          }
        ],
        differences: [
          { field: "providerId", values: { "mock-email-find": "mock", "mock-slow-email-find": "mock-slow" } },
          { field: "requiredParameters", values: { "mock-email-find": [], "mock-slow-email-find": ["name"] } },
          {
            field: "parameters",
            values: {
              "mock-email-find": ["company", "domain", "first_name", "last_name", "name"],
              "mock-slow-email-find": ["company", "domain", "name"]
            }
          },
          {
            field: "price",
            values: {
              "mock-email-find": { state: "priced", amountMicros: 5000, currency: "USD", unit: "call" },
              "mock-slow-email-find": { state: "priced", amountMicros: 7000, currency: "USD", unit: "call" }
            }
          },
          { field: "maxCostUsd", values: { "mock-email-find": 0.005, "mock-slow-email-find": 0.007 } }
        ],
        cheapest: "mock-email-find",
        fastest: null,
        mostReliable: null,
        unknown: []
      }
    }
  ],
  "POST /v1/tokens": [
    {
      name: "limited",
      summary: "A token for runs, with a monthly limit",
      request: "POST /v1/tokens",
      body: { label: "build server", scopes: ["catalog:read", "runs:read", "runs:execute"], monthlyLimitUsd: 25 },
      status: 201,
      answer: {
        tokenId: "tok_01jz3w8m5q0000000000000000",
        label: "build server",
        scopes: ["catalog:read", "runs:read", "runs:execute"],
        createdAt: "2026-06-15T12:00:36.000Z",
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
        monthlySpendLimitMicros: 25000000,
        monthSpendMicros: 0,
        token: "pgw_01jz3w8m5q00000000000000000000000000000000000000000000000000000000000000004d3f1c2b"
      }
    }
  ],
  "PATCH /v1/tokens/{tokenId}": [
    {
      name: "renamed",
      summary: "Another label, and an end",
      request: "PATCH /v1/tokens/tok_01jz3w8m5q0000000000000000",
      body: { label: "release server", expiresAt: "2027-01-01T00:00:00Z" },
      status: 200,
      answer: {
        tokenId: "tok_01jz3w8m5q0000000000000000",
        label: "release server",
        scopes: ["catalog:read", "runs:read", "runs:execute"],
        createdAt: "2026-06-15T12:00:36.000Z",
        lastUsedAt: null,
        expiresAt: "2027-01-01T00:00:00.000Z",
        revokedAt: null,
        monthlySpendLimitMicros: 25000000,
        monthSpendMicros: 0
      }
    }
  ],
  "POST /v1/tokens/{tokenId}/rotate": [
    {
      name: "overlap",
      summary: "The secret until now works for another hour",
      request: "POST /v1/tokens/tok_01jz3w8m5q0000000000000000/rotate",
      body: { overlapSeconds: 3600 },
      status: 200,
      answer: {
        tokenId: "tok_01jz3w8m5q0000000000000000",
        label: "release server",
        scopes: ["catalog:read", "runs:read", "runs:execute"],
        createdAt: "2026-06-15T12:00:36.000Z",
        lastUsedAt: null,
        expiresAt: "2027-01-01T00:00:00.000Z",
        revokedAt: null,
        monthlySpendLimitMicros: 25000000,
        monthSpendMicros: 0,
        token: "pgw_01jz3w8m5q00000000000000010000000000000000000000000000000000000000000000004d3f1c2b"
      }
    }
  ],
  "GET /v1/tokens": [
    {
      name: "revoked",
      summary: "A token that was revoked",
      request: "GET /v1/tokens?limit=1",
      status: 200,
      answer: {
        tokens: [
          {
            tokenId: "tok_01jz3w8m5q0000000000000000",
            label: "release server",
            scopes: ["catalog:read", "runs:read", "runs:execute"],
            createdAt: "2026-06-15T12:00:36.000Z",
            lastUsedAt: null,
            expiresAt: "2027-01-01T00:00:00.000Z",
            revokedAt: "2026-06-15T12:00:39.000Z",
            monthlySpendLimitMicros: 25000000,
            monthSpendMicros: 0
          }
        ],
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    }
  ],
  "GET /v1/audit": [
    {
      name: "token",
      summary: "What became of a token, newest first",
      request: "GET /v1/audit?subject=tok_01jz3w8m5q0000000000000000&limit=2",
      status: 200,
      answer: {
        entries: [
          {
            entryId: "aud_01jz3w8m5q0000000000000000",
            createdAt: "2026-06-15T12:00:39.000Z",
            actor: {
              kind: "token",
              tokenId: "tok_01jz3w8m5q0000000000000001",
              from: "203.0.113.7",
              requestId: "req_01jz3w8m5q0000000000000000"
            },
            action: "token.revoked",
            subject: { kind: "token", id: "tok_01jz3w8m5q0000000000000000" },
            before: { label: "release server", revokedAt: null },
            after: { label: "release server", revokedAt: 1781524839000 }
          },
          {
            entryId: "aud_01jz3w8m5q0000000000000001",
            createdAt: "2026-06-15T12:00:38.000Z",
            actor: {
              kind: "token",
              tokenId: "tok_01jz3w8m5q0000000000000001",
              from: "203.0.113.7",
              requestId: "req_01jz3w8m5q0000000000000001"
            },
            action: "token.rotated",
            subject: { kind: "token", id: "tok_01jz3w8m5q0000000000000000" },
            before: null,
            after: { label: "release server", overlapSeconds: 3600 }
          }
        ],
        nextCursor: "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
      }
    }
  ],
  "POST /v1/logout": [
    {
      name: "revoked",
      summary: "The calling token works no more",
      request: "POST /v1/logout",
      status: 200,
      answer: { revoked: true }
    }
  ],
  "POST /v1/login-approvals": [
    {
      name: "laptop",
      summary: "A login that a person is to approve",
      request: "POST /v1/login-approvals",
      body: {
        digest: "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5",
        label: "laptop",
        scopes: ["runs:read"]
      },
      status: 201,
      answer: {
        approvalId: "apr_01jz3w8m5q0000000000000000",
        userCode: "BCDF-GHJK",
        approveUrl: "https://gateway.example.com/approve/apr_01jz3w8m5q0000000000000000",
        expiresAt: "2026-06-15T12:10:43.000Z",
        pollIntervalSeconds: 3
      }
    }
  ],
  "GET /v1/login-approvals/{approvalId}": [
    {
      name: "pending",
      summary: "Nobody has decided yet",
      request: "GET /v1/login-approvals/apr_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        approvalId: "apr_01jz3w8m5q0000000000000000",
        status: "pending",
        label: "laptop",
        scopes: ["runs:read"],
        tokenExpiresAt: null,
        expiresAt: "2026-06-15T12:10:43.000Z",
        pollIntervalSeconds: 3
      }
    },
    {
      name: "approved",
      summary: "A person has approved: the token works",
      request: "GET /v1/login-approvals/apr_01jz3w8m5q0000000000000000",
      status: 200,
      answer: {
        approvalId: "apr_01jz3w8m5q0000000000000000",
        status: "approved",
        label: "laptop",
        scopes: ["runs:read"],
        tokenExpiresAt: null,
        expiresAt: "2026-06-15T12:10:43.000Z",
        pollIntervalSeconds: 3
      }
    }
  ],
  "POST /oauth/device_authorization": [
    {
      name: "screen",
      summary: "The codes of a device",
      request: "POST /oauth/device_authorization",
      body: { client_id: "build-screen", scope: "catalog:read runs:execute" },
      status: 200,
      answer: {
        device_code: "q2Xv0bq3yRkJm3v1y7n5fV8sT4hL6cW9zA0dE1gB2uI",
        user_code: "BCDF-GHJK",
        verification_uri: "https://gateway.example.com/console/device",
        verification_uri_complete: "https://gateway.example.com/console/device?user_code=BCDF-GHJK",
        expires_in: 600,
        interval: 5
      }
    },
    {
      name: "invalid_scope",
      summary: "A scope that there is not",
      request: "POST /oauth/device_authorization",
      body: { client_id: "build-screen", scope: "everything" },
      status: 400,
      answer: {
        error: "invalid_scope",
        error_description:
          "scope must name one or more of catalog:read, runs:read, runs:execute, usage:read, billing:write, capabilities:write, account:manage, with a space between two"
      }
    }
  ],
  "POST /oauth/token": [
    {
      name: "authorization_pending",
      summary: "Nobody has decided yet: ask again after the interval",
      request: "POST /oauth/token",
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "q2Xv0bq3yRkJm3v1y7n5fV8sT4hL6cW9zA0dE1gB2uI",
        client_id: "build-screen"
      },
      status: 400,
      answer: { error: "authorization_pending", error_description: "The person has not decided yet; ask again" }
    },
    {
      name: "approved",
      summary: "A person has approved: the token, once",
      request: "POST /oauth/token",
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "q2Xv0bq3yRkJm3v1y7n5fV8sT4hL6cW9zA0dE1gB2uI",
        client_id: "build-screen"
      },
      status: 200,
      answer: {
        access_token: "pgw_01jz3w8m5q00000000000000000000000000000000000000000000000000000000000000004d3f1c2b",
        token_type: "Bearer",
        scope: "catalog:read runs:execute"
      }
    }
  ],
  "GET /livez": [
    { name: "alive", summary: "The process runs", request: "GET /livez", status: 200, answer: { status: "ok" } }
  ],
  "GET /readyz": [
    {
      name: "ready",
      summary: "The node takes requests",
      request: "GET /readyz",
      status: 200,
      answer: { status: "ready", checks: { serving: true, catalog: true } }
    },
    {
      name: "stopping",
      summary: "The node stops: send it nothing new",
      request: "GET /readyz",
      status: 503,
      answer: {
        status: "not_ready",
        checks: { serving: false, catalog: true },
        reasons: { serving: "This node is stopping" }
      }
    }
  ]
}
