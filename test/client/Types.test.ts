// A wrong call does not compile: `npm run check` fails where a line below a directive is right after all. A right one
// does, and its answer has the document's types.
import { assert, expectTypeOf, it } from "vitest"
import { fetch as undiciFetch, ProxyAgent } from "undici"
import {
  type ClientOptions,
  createClient,
  type CompletedRun,
  type GatewayClient,
  type GatewayFailure,
  isGatewayFailure,
  type JsonObject,
  type LedgerEntry,
  type RefusalCode,
  Refused,
  type Refusals,
  type RunError,
  type RunInput,
  verifyWebhook
} from "../../src/client/index.js"

/** Compiled, and never run. */
export const wrongCalls = (client: GatewayClient) => [
  // @ts-expect-error: a token is needed, be it null
  createClient({ baseUrl: "https://gateway.test" }),
  // @ts-expect-error: no such option
  createClient({ baseUrl: "https://gateway.test", token: null, retries: 3 }),
  // @ts-expect-error: no input
  client.run({ endpointId: "a" }),
  // @ts-expect-error: the input is an object
  client.run({ endpointId: "a", input: "x" }),
  // @ts-expect-error: JSON has no bigint
  client.run({ endpointId: "a", input: { id: 1n } }),
  // @ts-expect-error: JSON has no date
  client.run({ endpointId: "a", input: { on: new Date() } }),
  // @ts-expect-error: nor deeper down
  client.quote({ endpointId: "a", input: { people: [{ name: "Ada", born: new Date() }] } }),
  // @ts-expect-error: JSON writes a map as {}
  client.runs.create({ endpointId: "a", input: { names: new Map([["a", 1]]) } }),
  // @ts-expect-error: JSON leaves a function out
  client.run({ endpointId: "a", input: { name: () => "Ada" } }),
  // @ts-expect-error: the input is no list
  client.run({ endpointId: "a", input: ["Ada"] }),
  // @ts-expect-error: JSON has no bigint
  client.publicCatalog.compare({ catalogItemIds: ["a", "b"], input: { id: 1n } }),
  // @ts-expect-error: no such field
  client.run({ endpointId: "a", input: {}, fallbak: true }),
  // @ts-expect-error: the client itself says how long to wait
  client.run({ endpointId: "a", input: {}, wait: true }),
  // @ts-expect-error: the key is an option of the call
  client.run({ endpointId: "a", input: {}, idempotencyKey: "k" }),
  // @ts-expect-error: no such preference
  client.run({ endpointId: "a", input: {}, fallback: { prefer: "dearest" } }),
  // @ts-expect-error: no such status
  client.runs.list({ status: "done" }),
  // @ts-expect-error: no such scope
  client.tokens.create({ label: "a", scopes: ["runs"] }),
  // @ts-expect-error: a changing call without a key takes none
  client.tokens.create({ label: "a", scopes: [] }, { idempotencyKey: "k" }),
  // @ts-expect-error: the body is what came over the wire, not what a parser made of it
  verifyWebhook({}, { parsed: true }, "whsec_x"),
  // @ts-expect-error: there are no batches yet
  client.batches
]

interface Company {
  readonly domain: string
  readonly offices?: ReadonlyArray<Office> | undefined
}
interface Office {
  readonly city: string | null
}
class Lead {
  constructor(
    readonly name: string,
    readonly company: Company
  ) {}
}

export const rightCalls = (
  client: GatewayClient,
  person: { name: string; domain?: string | undefined },
  company: Company,
  row: Record<string, unknown>,
  prepared: RunInput
) => [
  client.run({ endpointId: "a", input: company }),
  client.run({ endpointId: "a", input: { company, lead: new Lead("Ada", company) } }),
  client.run({ endpointId: "a", input: row }),
  client.run({ endpointId: "a", input: { ...row, name: "Ada" } }),
  client.run(prepared),
  client.runs.create(prepared),
  client.quote({ endpointId: "a", input: new Lead("Ada", company) }),
  client.publicCatalog.compare({ catalogItemIds: ["a", "b"], input: company }),
  client.run({ endpointId: "a", input: person }),
  client.run({ endpointId: "a", input: { tags: ["a", null, { b: 1 }] }, fallback: { maxAttempts: 2 } }),
  client.search("email", { prefer: "cheapest", limit: undefined })
]

/** What is generic over inputs still compiles. */
export const wrapped = <Input extends JsonObject>(client: GatewayClient, input: Input) => [
  client.run({ endpointId: "a", input }),
  client.quote({ endpointId: "a", input })
]

/** Any `fetch` fits: one with a proxy, one that passes the call on, one of a test. */
export const fetches: ReadonlyArray<ClientOptions["fetch"]> = [
  (url, request) => undiciFetch(url, { ...request, dispatcher: new ProxyAgent("http://proxy.test:3128") }),
  (url: string, request?: RequestInit) => fetch(url, request),
  globalThis.fetch,
  undiciFetch,
  () => Promise.resolve(Response.json({}))
]

/** What a caller goes on with stands in every failure. */
const resumed = (client: GatewayClient, failure: GatewayFailure) => {
  if (!failure.mayStillRun) return null
  if (failure.run !== null) return client.runs.wait(failure.run.runId)
  return client.run({ endpointId: "a", input: {} }, { idempotencyKey: failure.idempotencyKey ?? undefined })
}

/** `instanceof` tells the codes too, and makes nothing `any`. */
export const caught = (failure: unknown) => {
  if (!(failure instanceof Refused)) return null
  expectTypeOf(failure.code).toEqualTypeOf<RefusalCode>()
  // @ts-expect-error: the document has no such code
  if (failure.code === "payment_required") return ""
  // @ts-expect-error: not every refusal has it
  return failure.answer.topUpUrl
}

const ways = (failure: GatewayFailure): string => {
  switch (failure.kind) {
    case "refused":
      // Each code brings the fields of its own body.
      if (failure.code === "insufficient_balance") return String(failure.answer.topUpUrl)
      if (failure.code === "too_many_inflight_runs") return String(failure.answer.retryAfterSeconds)
      // @ts-expect-error: the document has no such code
      if (failure.code === "payment_required") return ""
      return failure.retryHint
    case "run_failed":
      // @ts-expect-error: no run fails with this
      if (failure.code === "idempotency_conflict") return ""
      return failure.run.error.whoseError
    case "run_uncertain":
      return failure.run.runId
    case "aborted":
      return String(failure.run?.status)
    case "unreachable":
      return failure.url
    case "unexpected_answer":
      return failure.text
  }
}

it("has types that are exact", () => {
  expectTypeOf<GatewayClient["run"]>().returns.resolves.toEqualTypeOf<CompletedRun>()
  expectTypeOf<CompletedRun["outcome"]>().toEqualTypeOf<"hit" | "weak" | "miss">()
  expectTypeOf<CompletedRun["status"]>().toEqualTypeOf<"completed">()
  expectTypeOf<LedgerEntry["amountMicros"]>().toEqualTypeOf<number>()
  expectTypeOf<RefusalCode>().toEqualTypeOf<keyof Refusals>()
  expectTypeOf<Extract<GatewayFailure, { kind: "run_failed" }>["code"]>().toEqualTypeOf<RunError["code"]>()
  assert.isFalse(isGatewayFailure(new Error("another")))
  assert.isFunction(ways)
  assert.isFunction(resumed)
})
