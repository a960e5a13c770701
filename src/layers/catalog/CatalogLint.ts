/**
 * Replays the documented samples of operations through the real engine: a local server gives the documented answer, and
 * the outcome must be the documented one. This tests the response rules and output maps of a catalog without a call to
 * the outside. Only a live call can show whether the documentation is true.
 */
import * as http from "node:http"
import { onErrorStatus } from "./import/OpenApiErrors.js"
import { Effect, Either, Redacted } from "effect"
import { canonical, type Json, type JsonObject } from "../../domain/Json.js"
import type { Endpoint, JobManifest, Sample } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { didYouMean, fieldMeant } from "../../domain/Similar.js"
import type { CallFailure, CostEvidence, Credential, ProviderAnswer } from "../../domain/ProviderCall.js"
import { readUrl } from "../../domain/Url.js"
import { Providers } from "../../services/Providers.js"
import { makeEndpoint } from "./ManifestEndpoints.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { answerCheckOf, joinedCheckOf } from "../providers/AnswerSchema.js"
import { listenLocally } from "../providers/fixture/LocalServer.js"
import { inventedKey } from "../providers/InventedKeys.js"
import { addressWith, exampleValues, placeholdersOf } from "../providers/Variables.js"
import { listOf } from "../providers/PageSteps.js"
import { ProvidersHttp } from "../providers/ProvidersHttp.js"

export interface LintProblem {
  readonly endpointId: string
  /** Where in the operation, such as `samples.hit`. */
  readonly path: string
  readonly message: string
}

/** An invented key in the form that the provider wants. No real key is needed. */
const keyFor = ({ auth, variables }: Endpoint["provider"]): Credential => {
  if (auth.type === "none" || auth.type === "unsupported") return { _tag: "None" }
  return {
    _tag: "Platform",
    secret: Redacted.make(inventedKey(auth, "lint-user", "lint-password", "lint-key-0000")),
    variables: exampleValues(variables)
  }
}

/** The addresses that calls with the example values go to: that of operations, then that of access tokens. */
const exampleAddresses = ({ auth, baseUrl, variables }: Endpoint["provider"]): ReadonlyArray<string> =>
  [baseUrl, ...(auth.type === "oauth2_client_credentials" ? [auth.tokenUrl] : [])]
    .map((address) => Either.getOrElse(addressWith(address, variables, exampleValues(variables)), () => address))
    .filter((address) => readUrl(address) !== null)

type Respond = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** One local server for all samples; they are replayed one after the other. */
const openStage = Effect.suspend(() => {
  let current: Respond = (_request, response) => void response.writeHead(500).end()
  const server = http.createServer((request, response) => {
    request.resume()
    request.once("end", () => current(request, response))
  })
  const play = (respond: Respond): void => {
    current = respond
  }
  return Effect.map(listenLocally(server), (port) => ({ origin: `http://127.0.0.1:${port}`, play }))
})

/** What the provider answers in turn: to the start, to the polls, and from then on. */
const answersOf = (sample: Sample): ReadonlyArray<Json> =>
  sample.start === undefined ? [sample.body] : [sample.start, ...(sample.polls ?? []), sample.body]

/** Why a sample of a slow operation does not show that its rules tell a poll from a result. Null when it does. */
const pollProblem = (
  { async }: Endpoint["operation"],
  sample: Sample,
  asked: number
): Pick<LintProblem, "message" | "path"> | null => {
  if (async === undefined || sample.outcome === "error" || answersOf(sample).length === 1) return null
  if (sample.polls === undefined && async.result !== undefined)
    return { path: ".polls", message: "is needed: async.result asks another address than the polls do" }
  const answers = answersOf(sample).length
  return asked === answers
    ? null
    : {
        path: "",
        message: `asked ${asked} times, and start, polls and body are ${answers} answers: async.done holds for another of them`
      }
}

/** An empty text is an empty body, whatever the type: that is what a provider sends which has no more to say. */
const bodyText = (body: Json, contentType: string): string =>
  typeof body === "string" && (body === "" || !contentType.includes("json")) ? body : JSON.stringify(body)

interface Replay {
  readonly respond: Respond
  /** How often the operation asked. */
  readonly asked: () => number
  /** What the engine asked for and the sample does not hold, or the other way round. Null when both fit. */
  readonly mismatch: () => string | null
}

const replayOf = ({ operation, provider }: Endpoint, sample: Sample): Replay => {
  const tokenUrl = exampleAddresses(provider)[1]
  const token = tokenUrl === undefined ? undefined : new URL(tokenUrl)
  const answers = operation.async === undefined ? null : answersOf(sample)
  let asked = 0
  const further = sample.pages ?? []
  let pagesAsked = 0
  /** A refused access token is renewed, and the same request is sent again. */
  let wasRefused = false
  let isRenewed = false
  const respond: Respond = (request, response) => {
    if (token !== undefined && request.method === "POST" && request.url === token.pathname + token.search) {
      isRenewed = wasRefused
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"access_token":"lint-token-0000","expires_in":3600}')
    }
    if (!isRenewed) pagesAsked += 1
    isRenewed = false
    const page = operation.pages === undefined ? undefined : pagesAsked - 1
    const shown =
      page === undefined || page === 0 ? sample : (further[page - 1] ?? { status: 404, headers: {}, body: {} })
    const body = answers?.[asked] ?? shown.body
    const status = answers !== null && asked < answers.length - 1 ? 200 : shown.status
    asked += 1
    wasRefused = status === 401
    const headers = Object.fromEntries(
      Object.entries(shown.headers).map(([name, value]) => [name.toLowerCase(), value])
    )
    const jsonType = operation.contentTypes.find((type) => type.includes("json")) ?? "application/json"
    const contentType = headers["content-type"] ?? (typeof body === "string" ? operation.contentTypes[0] : jsonType)
    response.writeHead(status, { ...headers, "content-type": contentType })
    response.end(status === 204 ? undefined : bodyText(body, contentType))
  }
  const mismatch = () =>
    operation.pages === undefined || pagesAsked === further.length + 1
      ? null
      : pagesAsked > further.length + 1
        ? `a page ${further.length + 2} was asked for, and the sample has none: add it to pages, or let the last page say that it is the last`
        : `its page ${pagesAsked + 1} was not asked for: its input must want more than pages.size, and each page must name the next one`
  return { respond, asked: () => asked, mismatch }
}

/** The differences: each member of `expected` that `actual` does not have, or has with another value. */
const differences = (expected: JsonObject, actual: JsonObject): ReadonlyArray<string> =>
  Object.entries(expected)
    .filter(([field, value]) => canonical(value) !== canonical(member(actual, field) ?? null))
    .map(
      ([field, value]) =>
        `normalized.fields.${field} came out as ${JSON.stringify(member(actual, field) ?? null)} and not as the sample's ${JSON.stringify(value)}`
    )

/** What the answer told of its cost, where it is not what the sample says. A listed price is not told by the answer. */
const costDifference = ({ costMicros }: Sample, cost: CostEvidence): ReadonlyArray<string> => {
  if (costMicros === undefined) return []
  const came =
    cost._tag === "Reported" ? `${cost.micros}` : cost._tag === "None" ? "null" : `no amount (${cost.reported})`
  return came === `${costMicros}` ? [] : [`costMicros came out as ${came} and not as the sample's ${costMicros}`]
}

/** Why the answer of a sample is not as the operation documents it. Null when it is, or when that cannot be told. */
const undocumented = (endpoint: Endpoint, { body, outcome, pages }: ProviderAnswer): string | null => {
  if (body._tag !== "Json" || outcome === "miss") return null
  const check = pages === undefined ? answerCheckOf(endpoint) : joinedCheckOf(endpoint)
  const found = check?.(body.value) ?? null
  return found === null || found === "left_out" ? null : `breaks outputSchema: ${found.place} ${found.message}`
}

const compareAnswer = (endpoint: Endpoint, sample: Sample, answer: ProviderAnswer): ReadonlyArray<string> => {
  if (sample.outcome !== answer.outcome) return [`came out as ${answer.outcome} and not as ${sample.outcome}`]
  const broken = undocumented(endpoint, answer)
  if (broken !== null) return [broken]
  return [
    ...differences(sample.normalized ?? {}, answer.normalized?.fields ?? {}),
    ...costDifference(sample, answer.cost)
  ]
}

const compareFailure = (sample: Sample, { cost, failure: { code, message } }: CallFailure): ReadonlyArray<string> => {
  if (sample.outcome !== "error") return [`failed with ${code} (${message}) and is documented as ${sample.outcome}`]
  return [
    ...(sample.code === undefined || sample.code === code ? [] : [`failed with ${code} and not with ${sample.code}`]),
    ...costDifference(sample, cost)
  ]
}

/** How long an asynchronous sample is polled: one whose end its rules never see must not hold up the others. */
const pollMillisMax = 3_000

/** The same operation, polled without the provider's pauses, and not for as long as a real one. */
const hurried = ({ operation, provider }: Endpoint): Endpoint => {
  const { async, pages } = operation
  return makeEndpoint(provider, {
    ...operation,
    ...(pages === undefined ? {} : { pages: { ...pages, totalMs: Math.min(pages.totalMs, pollMillisMax) } }),
    ...(async === undefined
      ? {}
      : {
          async: { ...async, intervalMs: 1, maxIntervalMs: 10, totalMs: Math.min(async.totalMs, pollMillisMax) }
        })
  })
}

/** Whether a sample of a hit could show anything: an imported operation has only rules for error statuses. */
const hasRules = ({ job, output, price, response }: Endpoint["operation"]): boolean =>
  job !== undefined ||
  output !== undefined ||
  price.basis !== "free" ||
  response.errors.some(({ when }) => when !== onErrorStatus) ||
  response.missStatuses.length > 0 ||
  [response.miss, response.weak, response.success].some((rule) => rule !== undefined)

/** The fields that operations fill in, and that their job does not have. */
export const foreignFields = (
  endpoints: ReadonlyArray<Endpoint>,
  jobs: ReadonlyArray<JobManifest>
): ReadonlyArray<LintProblem> => {
  const byId = new Map<string, JobManifest>(jobs.map((job) => [job.id, job]))
  return endpoints.flatMap(({ operation: { id: endpointId, job: jobId, output } }) => {
    const job = jobId === undefined ? undefined : byId.get(jobId)
    if (job === undefined) return []
    return Object.keys(output?.fields ?? {})
      .filter((field) => !Object.hasOwn(job.fields, field))
      .map((field) => {
        const meant = fieldMeant(field, Object.keys(job.fields))
        const message = `the job ${job.id} has no such field${didYouMean(meant === null ? [] : [meant])}`
        return { endpointId, path: `output.fields.${field}`, message }
      })
  })
}

const shapeProblems = ({ operation, provider }: Endpoint): ReadonlyArray<LintProblem> => {
  const problem = (path: string, message: string): LintProblem => ({ endpointId: operation.id, path, message })
  const undeclared = provider.variables === undefined ? placeholdersOf(provider.baseUrl) : []
  return [
    ...undeclared.map((name) => problem("baseUrl", `uses {${name}}: declare it in variables of the provider`)),
    ...(provider.mock || !hasRules(operation) || operation.samples["hit"] !== undefined
      ? []
      : [
          problem(
            "samples",
            "a documented hit is missing: it shows what the rules and the price make of an answer. gateway catalog try with --save-sample hit prints one"
          )
        ]),
    ...(provider.mock || operation.price.basis === "free" || operation.price.source !== undefined
      ? []
      : [problem("price.source", "a price needs its source")]),
    ...(provider.mock || operation.provenance !== undefined
      ? []
      : [problem("provenance", "the place of the documentation is missing")])
  ]
}

/**
 * Checks the documentation that a real operation must have, and the samples of all endpoints or of those in `replayed`.
 * An empty list means that everything is right.
 */
export const lintCatalog = Effect.fn("CatalogLint.lintCatalog")(function* (
  { endpoints, jobs }: CatalogContent,
  replayed: ReadonlyArray<Endpoint> = endpoints
) {
  const problems: Array<LintProblem> = [...foreignFields(endpoints, jobs), ...endpoints.flatMap(shapeProblems)]
  const stage = yield* Effect.orDie(openStage)
  const origins = new Map<string, string>()
  for (const { provider } of replayed) {
    for (const address of exampleAddresses(provider)) origins.set(new URL(address).origin, stage.origin)
  }
  yield* Effect.gen(function* () {
    const providers = yield* Providers
    for (const original of replayed) {
      const endpoint = hurried(original)
      for (const [name, sample] of Object.entries(endpoint.operation.samples)) {
        const found = (message: string, path = "") =>
          problems.push({ endpointId: endpoint.operation.id, path: `samples.${name}${path}`, message })
        const prepared = providers.prepare(endpoint, sample.input)
        if (prepared._tag === "Rejected") {
          for (const problem of prepared.problems)
            found(
              `its input is refused: ${problem.field} ${problem._tag === "Missing" ? "is missing" : problem.message}`
            )
          continue
        }
        const replay = replayOf(endpoint, sample)
        stage.play(replay.respond)
        const differing = yield* Effect.match(
          providers.call({
            endpoint,
            input: prepared.input,
            credential: keyFor(endpoint.provider),
            attemptReference: `lint-${name}`
          }),
          {
            onFailure: (failed) => compareFailure(sample, failed),
            onSuccess: (answer) => compareAnswer(endpoint, sample, answer)
          }
        )
        const { pages } = endpoint.operation
        if (
          pages !== undefined &&
          (sample.outcome === "hit" || sample.outcome === "weak") &&
          listOf(pages, sample.body) === null
        )
          found(`has no list at ${pages.items}, where pages.items says that the results are`, ".body")
        const mismatch = replay.mismatch()
        for (const message of mismatch === null ? differing : [mismatch]) found(message)
        const isRight = mismatch === null && differing.length === 0
        const unshown = isRight ? pollProblem(endpoint.operation, sample, replay.asked()) : null
        if (unshown !== null) found(unshown.message, unshown.path)
      }
    }
  }).pipe(Effect.provide(ProvidersHttp({ origins: Object.fromEntries(origins), elsewhere: stage.origin })))
  return problems
}, Effect.scoped)
