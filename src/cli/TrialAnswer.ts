/**
 * What `catalog try` prints of a call: the exchanges, what became of them, what a run would have held and cost, and on
 * request a sample for the manifest. Bodies are cut for people; a sample has them whole.
 */
import { isUtf8 } from "node:buffer"
import { Either } from "effect"
import { stringify } from "yaml"
import { counted } from "../domain/Counted.js"
import { cutText } from "../domain/Characters.js"
import type { Json, JsonObject } from "../domain/Json.js"
import { readJson, withNumbers, writeJson } from "../domain/LosslessJson.js"
import type { Endpoint } from "../domain/Manifest.js"
import { dollars, type Micros } from "../domain/Micros.js"
import type { CallFailure, ProviderAnswer } from "../domain/ProviderCall.js"
import type { AttemptCost } from "../domain/Settlement.js"
import type { HeadersRead } from "../layers/providers/HeadersRead.js"
import type { SeenExchange } from "../layers/providers/WatchedExchanges.js"
import type { Answer } from "./Answer.js"
import { jsonWithoutCommands, withoutCommands } from "./TerminalSigns.js"

export interface Trial {
  readonly endpoint: Endpoint
  readonly input: JsonObject
  readonly result: Either.Either<ProviderAnswer, CallFailure>
  readonly exchanges: ReadonlyArray<SeenExchange>
  readonly headersRead: HeadersRead
  readonly heldMicros: Micros
  /** Null where nobody knows whether the operation was done. */
  readonly cost: AttemptCost | null
  readonly tookMillis: number
  /** `host:port` pairs that were opened for this call alone. */
  readonly opened: ReadonlyArray<string>
  readonly sampleName: string | null
}

/** Of a body, for people and for `--json`. */
const bodyCharsMax = 2_000

/** A key is hidden character by character. The screen does not show how long it is. */
const evenly = (text: string): string => text.replace(/\*{4,}/g, "********")

const evenlyEach = (headers: { readonly [name: string]: string }): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, evenly(value)]))

/** Null for bytes that are no text. */
const textIn = (bytes: Uint8Array): string | null =>
  isUtf8(bytes) ? evenly(Buffer.from(bytes).toString("utf8")) : null

const bodyText = (bytes: Uint8Array | null): string => {
  if (bytes === null || bytes.length === 0) return ""
  const read = textIn(bytes)
  if (read === null) return `${bytes.length} bytes that are no text`
  const text = withoutCommands(read)
  return text.length > bodyCharsMax ? `${cutText(text, bodyCharsMax)}… (${bytes.length} bytes)` : text
}

const exchangeJson = (seen: SeenExchange): JsonObject => ({
  step: seen.step,
  request: {
    method: seen.method,
    address: evenly(seen.address),
    headers: evenlyEach(seen.headers),
    body: bodyText(seen.body)
  },
  answer:
    seen.answer === null
      ? null
      : { status: seen.answer.status, headers: evenlyEach(seen.answer.headers), body: bodyText(seen.answer.bytes) },
  failure: seen.failure,
  tookMillis: seen.endedMillis - seen.startedMillis
})

const indented = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : ["", ...text.split("\n").map((line) => `  ${line}`)]

const headerLines = (headers: { readonly [name: string]: string }): ReadonlyArray<string> =>
  Object.entries(evenlyEach(headers)).map(([name, value]) => `  ${name}: ${withoutCommands(value)}`)

const exchangeLines = (seen: SeenExchange): ReadonlyArray<string> => [
  `> ${seen.method} ${evenly(seen.address)}`,
  ...headerLines(seen.headers),
  ...indented(bodyText(seen.body)),
  ...(seen.answer === null
    ? [`< no answer: ${seen.failure ?? ""}`]
    : [
        `< ${seen.answer.status} after ${seen.endedMillis - seen.startedMillis} ms`,
        ...headerLines(seen.answer.headers),
        ...indented(bodyText(seen.answer.bytes))
      ]),
  ""
]

/** Time of the call in which nothing was under way. */
const waitedMillis = ({ exchanges, tookMillis }: Trial): number =>
  Math.max(0, tookMillis - exchanges.reduce((sum, each) => sum + each.endedMillis - each.startedMillis, 0))

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const reachedNothing =
  "The egress guard refuses this address: --allow HOST:PORT lets this command through, and GATEWAY_EGRESS_ALLOW the service"

/** What became of the access token, where none was given. */
const tokenLines = (exchanges: ReadonlyArray<SeenExchange>): ReadonlyArray<string> =>
  exchanges
    .filter(({ step }) => step === "token")
    .map(({ address, answer, failure }) => {
      const said =
        answer === null ? `could not be asked: ${failure ?? ""}` : `answered ${answer.status} ${bodyText(answer.bytes)}`
      return `The operation was not called: it needs an access token, and ${address} ${said.trim()}`
    })

const priceLines = ({ cost, heldMicros }: Trial): ReadonlyArray<string> => {
  const held = `price: a run would hold ${dollars(heldMicros)} and cost`
  if (cost === null) return [`${held} nothing until somebody has found out`]
  const { anomaly, micros } = cost
  return [
    `${held} ${micros === 0 ? "nothing" : dollars(micros)}`,
    ...(anomaly === null ? [] : [`not charged as the answer tells it: ${anomaly}`])
  ]
}

const outcomeLines = (trial: Trial): ReadonlyArray<string> => {
  const { cost, exchanges, result } = trial
  if (Either.isLeft(result)) {
    const { failure } = result.left
    return [
      `outcome: error, ${failure.code}${cost === null ? ", and nobody knows whether it was done" : ""}`,
      `why: ${failure.message}`,
      ...tokenLines(exchanges),
      ...(failure.code === "route_denied" ? [reachedNothing] : []),
      ...priceLines(trial)
    ]
  }
  const { normalized, outcome, outcomeReason } = result.right
  return [
    `outcome: ${outcome}`,
    `why: ${outcomeReason}`,
    ...(normalized === null
      ? []
      : [
          ...Object.entries(normalized.fields).map(
            ([name, value]) => `  ${name}: ${jsonWithoutCommands(writeJson(value))}`
          ),
          ...(normalized.missing.length === 0 ? [] : [`missing: ${normalized.missing.join(", ")}`]),
          ...(normalized.ambiguous.length === 0 ? [] : [`ambiguous: ${normalized.ambiguous.join(", ")}`]),
          ...(normalized.unmapped.length === 0 ? [] : [`unmapped: ${normalized.unmapped.join(", ")}`])
        ]),
    ...priceLines(trial)
  ]
}

const dataIn = (seen: SeenExchange | undefined): Json => {
  const text = seen?.answer == null ? null : textIn(seen.answer.bytes)
  if (text === null || text === "") return text
  return Either.match(readJson(text), { onLeft: () => text, onRight: withNumbers })
}

type IsRead = (name: string) => boolean

/** The headers that the operation reads; the others say nothing about it. */
const headersOf = (seen: SeenExchange, isRead: IsRead): JsonObject =>
  Object.fromEntries(Object.entries(seen.answer?.headers ?? {}).filter(([name]) => isRead(name)))

/** The answers of which a call in pages was made. A page that was asked for again stands here once. */
const pagesAmong = ({ operation }: Endpoint, exchanges: ReadonlyArray<SeenExchange>): ReadonlyArray<SeenExchange> =>
  operation.pages === undefined
    ? []
    : exchanges.filter(({ address, answer, body }, at) => {
        const next = exchanges[at + 1]
        const isRepeated =
          next?.address === address && Buffer.compare(next.body ?? Buffer.alloc(0), body ?? Buffer.alloc(0)) === 0
        return answer !== null && !isRepeated
      })

const pageOf = (seen: SeenExchange, isRead: IsRead): JsonObject => ({
  ...(seen.answer === null || seen.answer.status === 200 ? {} : { status: seen.answer.status }),
  headers: headersOf(seen, isRead),
  body: dataIn(seen)
})

/** What the answer told of its cost, for the sample. What is no amount says that the rule is wrong, and is not kept. */
const toldCost = ({ endpoint, result }: Trial): JsonObject => {
  const { cost } = Either.merge(result)
  if (endpoint.operation.response.costMicros === undefined || cost._tag === "Anomaly") return {}
  return { costMicros: cost._tag === "Reported" ? cost.micros : null }
}

/** The sample of a call, whose keys are blotted out already. Null where no answer came. */
const sampleOf = (trial: Trial): JsonObject | null => {
  const { endpoint, exchanges: all, headersRead, input, result } = trial
  const exchanges = all.filter(({ step }) => step === "call")
  const pages = pagesAmong(endpoint, exchanges)
  const last = pages[0] ?? exchanges.at(-1)
  if (last?.answer == null) return null
  const { status } = last.answer
  const isSlow = endpoint.operation.async !== undefined && exchanges.length > 1
  const polls = isSlow ? exchanges.slice(1, -1).map(dataIn) : []
  const fields = Either.isRight(result) ? result.right.normalized?.fields : undefined
  const known = Object.entries(fields ?? {}).filter(([, value]) => value !== null)
  return {
    input,
    ...(status === 200 ? {} : { status }),
    // The check sends one set of headers with all answers of a slow operation.
    headers: Object.assign(
      {},
      ...(isSlow ? exchanges.slice(0, -1).map((each) => headersOf(each, headersRead.byRules)) : []),
      headersOf(last, headersRead.byAnyone)
    ),
    ...(isSlow ? { start: dataIn(exchanges[0]) } : {}),
    // Polls that say the same again show nothing.
    ...(polls.length === 0 ? {} : { polls: polls.length > 2 ? [polls[0] ?? null, polls.at(-1) ?? null] : polls }),
    body: dataIn(last),
    ...(pages.length < 2 ? {} : { pages: pages.slice(1).map((each) => pageOf(each, headersRead.byAnyone)) }),
    outcome: Either.isRight(result) ? result.right.outcome : "error",
    ...(Either.isLeft(result) ? { code: result.left.failure.code } : {}),
    ...(known.length === 0 ? {} : { normalized: Object.fromEntries(known) }),
    ...toldCost(trial)
  }
}

const sampleLines = (name: string, sample: JsonObject | null): ReadonlyArray<string> =>
  sample === null
    ? ["", "No sample was made: no answer came"]
    : [
        "",
        "# Take the data of real people out of it before you keep it.",
        stringify({ samples: { [name]: sample } }, { lineWidth: 120 }).trimEnd()
      ]

export const trialAnswer = (trial: Trial): Answer => {
  const { cost, endpoint, exchanges, heldMicros, opened, result, sampleName, tookMillis } = trial
  const sample = sampleName === null ? null : sampleOf(trial)
  const normalized = Either.isRight(result) ? result.right.normalized : null
  return {
    ok: Either.isRight(result),
    json: {
      endpointId: endpoint.operation.id,
      exchanges: exchanges.map(exchangeJson),
      outcome: Either.isRight(result) ? result.right.outcome : "error",
      code: Either.isLeft(result) ? result.left.failure.code : null,
      reason: Either.isRight(result) ? result.right.outcomeReason : result.left.failure.message,
      fields: normalized?.fields ?? null,
      missing: [...(normalized?.missing ?? [])],
      ambiguous: [...(normalized?.ambiguous ?? [])],
      unmapped: [...(normalized?.unmapped ?? [])],
      holdMicros: heldMicros,
      costMicros: cost?.micros ?? null,
      attempts: 1,
      tookMillis,
      waitedMillis: waitedMillis(trial),
      opened: [...opened],
      ...(sampleName === null ? {} : { sample })
    },
    text: [
      ...exchanges.flatMap(exchangeLines),
      ...outcomeLines(trial),
      `1 attempt with ${counted(exchanges.length, "request")} in ${seconds(tookMillis)}, of which it waited ${seconds(waitedMillis(trial))}`,
      ...(opened.length === 0
        ? []
        : [
            `The egress guard let ${opened.join(", ")} through for this command; the service needs GATEWAY_EGRESS_ALLOW for a private address`
          ]),
      ...(sampleName === null ? [] : sampleLines(sampleName, sample))
    ].join("\n")
  }
}
