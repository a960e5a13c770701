/**
 * Operations whose provider gives its results in pages: one page after the other is asked for, up to the volume of the
 * input, and one answer is made of them. Each page is judged like any answer. What came before a page that fails, or
 * that may not be asked for, is the answer, and says that it is not all. Nothing is kept beside the answer: a call that
 * is interrupted leaves nothing but the costs that its pages told (`onCost`).
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Either, Option } from "effect"
import type { Json, JsonObject } from "../../domain/Json.js"
import { jsonPieces } from "../../domain/JsonPieces.js"
import type { Endpoint, PageRules, Volume } from "../../domain/Manifest.js"
import { affordsPage, type PagedPrice, toldBeforeStop, toldByPages } from "../../domain/PageCost.js"
import { wantedResults } from "../../domain/Pricing.js"
import type { CallFailure, PageFacts, ProviderAnswer, ProviderCall } from "../../domain/ProviderCall.js"
import { runInSlices } from "../../services/Slices.js"
import { mediaType, readAnswer } from "./AnswerReading.js"
import { pauseBefore, pauseGrowth } from "./AskingAgain.js"
import type { Exchange } from "./AsyncCalls.js"
import type { CallPlan } from "./CallPlan.js"
import { judge, readingOf, viewOf } from "./Judgement.js"
import { type Case, isSuccessStatus } from "./StatedFailures.js"
import { isEmptyList, listOf, nextPage, type NextPage, sizedInput, type ReadSoFar, wholeOf } from "./PageSteps.js"
import { type Page, PagesRead } from "./PagesRead.js"
import type { RequestParts } from "./RequestPlan.js"
import type { WireAnswer } from "./Transport.js"

/** The pause before a page that failed in passing is first asked for again. */
const pauseMillis = 1000
/** A provider that asks for more patience gets no further request of this run. */
const patienceMillisMax = 30_000

/** How a call is read in pages: the rules, and the input of its first request. */
export interface Paging {
  readonly rules: PageRules
  readonly volume: Volume
  readonly wanted: number
  readonly input: JsonObject
}

/** Null when one request serves the input: it is then sent as it is, and its answer stays as it came. */
export const pagingOf = ({ operation }: Endpoint, input: JsonObject): Paging | null => {
  const { pages: rules, volume } = operation
  if (rules === undefined || volume === undefined) return null
  const wanted = wantedResults(operation, input)
  return wanted <= rules.size && rules.sendSize
    ? null
    : { rules, volume, wanted, input: sizedInput(rules, volume, input, rules.size) }
}

interface PagedCall {
  readonly paging: Paging
  /** The input of the run. */
  readonly input: JsonObject
  readonly price: PagedPrice
  readonly plan: CallPlan
  /** With the input of the first request. */
  readonly seen: Case
  readonly exchange: Exchange
  readonly start: RequestParts
  /** The parts of a further request, at its own address. */
  readonly build: (input: JsonObject) => Either.Either<RequestParts, unknown>
  /** The manifest's own origin. */
  readonly origin: string
  readonly onCost?: ProviderCall["onCost"]
}

/** Null when the answer has no list of results where the manifest says that it has one. */
const pageOf = Effect.fnUntraced(function* (
  { paging: { rules }, seen }: PagedCall,
  wire: WireAnswer,
  answer: ProviderAnswer
) {
  const body =
    answer.body._tag === "Json"
      ? answer.body
      : Option.getOrNull(
          Option.map(
            Either.getRight(readAnswer(wire, { ...readingOf(seen), inlineBytes: Infinity })),
            (read) => read.body
          )
        )
  if (body?._tag !== "Json") return null
  const list = listOf(rules, body.value)
  if (list === null) return null
  const digest = yield* runInSlices(() => digestSteps(list))
  return { wire, answer, body: body.value, list, digest } satisfies Page
})

/** What a further request brings: a page, or an empty one that its rules refuse, with what it told of its cost. */
type Further =
  { readonly answer: ProviderAnswer; readonly wire: WireAnswer } | { readonly endCost: CallFailure["cost"] }

/** Why no further page is read: all are read, or something stopped it and there may be more. */
type ReadingEnd = { readonly _tag: "Complete" } | { readonly _tag: "Stopped"; readonly why: string }

const complete: ReadingEnd = { _tag: "Complete" }
const stoppedBecause = (why: string): ReadingEnd => ({ _tag: "Stopped", why })

/** Whether a further page that its rules refuse is only empty: many providers end with such a page. */
const isEmptyEnd = ({ paging, seen }: PagedCall, wire: WireAnswer, { failure }: CallFailure): boolean =>
  failure.code === "invalid_response" &&
  isSuccessStatus(seen.endpoint.operation, wire.status) &&
  Option.exists(
    Either.getRight(readAnswer(wire, { ...readingOf(seen), inlineBytes: Infinity })),
    ({ body }) => body._tag === "Json" && isEmptyList(paging.rules, body.value)
  )

function* digestSteps(value: Json): Generator<void, string> {
  const hash = createHash("sha256")
  for (const piece of jsonPieces(value)) {
    hash.update(piece)
    yield
  }
  return hash.digest("base64")
}

function* bytesSteps(value: Json): Generator<void, Buffer> {
  const pieces: Array<Buffer> = []
  for (const piece of jsonPieces(value)) {
    pieces.push(Buffer.from(piece))
    yield
  }
  return Buffer.concat(pieces)
}

/** How long to wait before a page is asked for again; null when it is not. */
const pauseBeforePage = ({ evidence, failure }: CallFailure, missed: number): number | null =>
  pauseBefore({ failure, isAnswered: evidence !== null && evidence.responseDigest !== null }, missed, {
    usualMs: pauseMillis * pauseGrowth ** missed,
    longestMs: patienceMillisMax
  })

/** The page behind the last result. It brought none, whether or not the others are counted. */
const emptyPage = (cost: PageFacts["cost"]): PageFacts => ({ outcome: "miss", resultCount: 0, cost })

const failedPage = (cost: PageFacts["cost"]): PageFacts => ({ outcome: "error", resultCount: null, cost })

/** The size to ask for. Page numbers mean something only while all pages have one size. */
const sizeToAsk = ({ next, sendSize, size }: PageRules, missing: number): number =>
  sendSize && (next.by === "cursor" || next.by === "offset") ? Math.min(size, missing) : size

type Asked = { readonly parts: RequestParts; readonly input: JsonObject; readonly origin?: string }

/** The request for the next page, and the size that it asks for. */
type NextRequest = Asked & {
  readonly _tag: "Next"
  readonly size: number
  /** The address of this page, which the next told address may be relative to. */
  readonly base: string
}

const requestFor = (
  call: PagedCall,
  next: Extract<NextPage, { readonly _tag: "Field" | "Told" }>,
  size: number
): Either.Either<Asked, unknown> => {
  const { paging, seen, start } = call
  if (next._tag === "Told") {
    const { origin, path } = next.address
    return Either.right({ parts: { ...start, path, query: [] }, input: seen.input, origin })
  }
  const input = { ...sizedInput(paging.rules, paging.volume, call.input, size), [next.field]: next.value }
  return Either.map(call.build(input), (parts) => ({ parts, input }))
}

/** One answer of all pages. Left: they cannot be read together. */
const joined = Effect.fnUntraced(function* (call: PagedCall, read: PagesRead) {
  const { first, items, last } = read
  if (read.count === 1 && items.length === first.list.length) return Either.right(first.answer)
  const whole = wholeOf(call.paging.rules, first.body, last.body, items)
  // The pages' own type is one that the operation allows. Their encoding is not that of the text written here.
  const { "content-type": type, ...others } = first.wire.headers
  const wire: WireAnswer = {
    status: first.wire.status,
    headers: type === undefined ? others : { ...others, "content-type": mediaType(type) },
    bytes: yield* runInSlices(() => bytesSteps(whole)),
    // The digest is that of the pages. What is written here need not be read again. It is no deeper than a page, and
    // deeper pages have no list.
    ahead: { digest: read.digest(), json: { note: null, read: Either.right({ value: whole, tooDeep: false }) } }
  }
  return judge({ ...call.seen, input: call.input, isJoined: true }, wire)
})

const countedIn = (facts: ReadonlyArray<PageFacts>): number | null =>
  facts.every(({ outcome, resultCount }) => resultCount === null || outcome === "miss")
    ? null
    : facts.reduce((sum, { resultCount }) => sum + (resultCount ?? 0), 0)

/** `stopped` says why there may be more; null when there is not. */
const answerOf = Effect.fnUntraced(function* (call: PagedCall, read: PagesRead, stopped: string | null) {
  const { first } = read
  const together = yield* joined(call, read)
  const answer = Either.getOrElse(together, () => first.answer)
  const why = Either.match(together, {
    onLeft: ({ failure }) => `its pages together cannot be read (${failure.message})`,
    onRight: () => stopped
  })
  // Where one page stands for all, the others were not delivered.
  const facts = Either.isRight(together)
    ? read.facts
    : read.facts.map((page, at) => (at === 0 ? page : { ...page, ...failedPage(page.cost) }))
  const pages =
    why !== null ? ` It is not all: ${why}.` : read.count === 1 ? "" : ` It was read in ${read.count} pages.`
  const note = read.isCut
    ? `${pages} The provider gave more results than were asked for, which were left out: what the answer says of a next page leads past them.`
    : pages
  return {
    ...answer,
    outcomeReason: `${answer.outcomeReason}${note}`,
    resultCount: countedIn(facts),
    cost: toldByPages(facts),
    evidence: {
      ...first.answer.evidence,
      responseDigest: read.digest(),
      responseBytes: read.bytes
    },
    pages: {
      facts,
      read: Either.isRight(together) ? read.count : 1,
      complete: why === null,
      ...(read.undocumented === undefined ? {} : { undocumented: read.undocumented })
    }
  } satisfies ProviderAnswer
})

const noList = (page: number): string => `page ${page} has no list of results`

/** A first page without a list is the whole answer, and nothing tells whether it is all. */
const withoutList = (answer: ProviderAnswer): ProviderAnswer => {
  const { cost, outcome, outcomeReason, resultCount } = answer
  return {
    ...answer,
    outcomeReason: `${outcomeReason} It is not all: ${noList(1)}.`,
    pages: { facts: [{ outcome, resultCount, cost }], read: 1, complete: false }
  }
}

export const readInPages = Effect.fnUntraced(function* (call: PagedCall) {
  const { exchange, origin, paging, plan, price, seen, start } = call
  const { rules, wanted } = paging
  const { maxBytes } = seen.endpoint.operation
  const started = yield* Clock.currentTimeMillis
  const opening = yield* exchange(start, "start")
  const opened = yield* judge({ ...seen, nowMillis: yield* Clock.currentTimeMillis }, opening)
  if (opened.outcome === "miss") return opened
  const first = yield* pageOf(call, opening, opened)
  if (first === null) return withoutList(opened)

  const read = new PagesRead(first, wanted)
  const keys = new Set<string>()
  /** The address of the last page, which told addresses may be relative to. */
  let base = `${origin}${start.path}`
  let asked = rules.size
  let input = seen.input

  const tell = () =>
    call.onCost?.(toldBeforeStop(price, read.facts), {
      ...first.answer.evidence,
      responseDigest: read.digest(),
      responseBytes: read.bytes
    })

  const requestNext = (): ReadingEnd | NextRequest => {
    const readSoFar: ReadSoFar = {
      input: call.input,
      pages: read.count,
      results: read.results,
      brought: read.last.list.length,
      asked
    }
    const view = { ...viewOf(seen, read.last.wire, read.last.body), input }
    const next = nextPage(seen.endpoint, plan.rules, view, readSoFar, base)
    if (next._tag === "End") return complete
    if (next._tag === "Unusable") return stoppedBecause(next.why)
    if (keys.has(next.key)) return stoppedBecause("the provider named the same next page twice")
    keys.add(next.key)
    if (read.count >= rules.max) return stoppedBecause(`one run reads ${rules.max} pages at most`)
    const size = sizeToAsk(rules, read.missing())
    const request = requestFor(call, next, size)
    if (Either.isLeft(request)) return stoppedBecause("the provider's cursor cannot be sent")
    // All tries of a page cost at most what it can cost.
    if (!affordsPage(price, read.facts, Math.min(rules.size, read.missing())))
      return stoppedBecause("what is held for the run does not cover a further page")
    const address = next._tag === "Told" ? `${next.address.origin}${next.address.path}` : base
    return { _tag: "Next", ...request.right, size, base: address }
  }

  /** Sends the request, again where the page fails in passing. Null when its page was taken and reading goes on. */
  const readPage = Effect.fnUntraced(function* (request: NextRequest) {
    const seenNow: Case = { ...seen, input: request.input }
    const sent = exchange(request.parts, "follow_up", request.origin)
    read.isAgain = false
    for (let missed = 0; ; missed += 1) {
      const left = rules.totalMs - ((yield* Clock.currentTimeMillis) - started)
      const ended = yield* Effect.timeoutOption(
        Effect.either(
          Effect.flatMap(
            Effect.zip(sent, Clock.currentTimeMillis),
            ([wire, nowMillis]): Either.Either<Further, CallFailure> =>
              Either.orElse(
                Either.map(judge({ ...seenNow, nowMillis }, wire), (answer) => ({ answer, wire })),
                (failed) =>
                  isEmptyEnd(call, wire, failed) ? Either.right({ endCost: failed.cost }) : Either.left(failed)
              )
          )
        ),
        Math.max(1, left)
      )
      if (Option.isNone(ended)) return stoppedBecause(`reading it took longer than ${rules.totalMs} ms`)
      if (Either.isLeft(ended.value)) {
        const failed = ended.value.left
        if (failed._tag === "ProviderFailure") read.undocumented ??= failed.undocumented
        read.note(failedPage(failed.cost))
        read.isAgain = true
        tell()
        const pause = pauseBeforePage(failed, missed)
        if (pause === null || pause >= left)
          return stoppedBecause(
            `page ${read.count + 1} failed (${failed.failure.code}: ${failed.failure.message.replace(/\.$/, "")})`
          )
        yield* Effect.sleep(pause)
        continue
      }
      if ("endCost" in ended.value.right) {
        read.note(emptyPage(ended.value.right.endCost))
        return complete
      }
      const { answer, wire } = ended.value.right
      const page = answer.outcome === "miss" ? null : yield* pageOf(call, wire, answer)
      if (answer.outcome === "miss" || page?.list.length === 0) {
        read.note(emptyPage(answer.cost))
        return complete
      }
      const refused =
        page === null
          ? noList(read.count + 1)
          : read.bytes + wire.bytes.length > maxBytes
            ? `all pages together are larger than ${maxBytes} bytes`
            : read.take(page)
              ? undefined
              : "the provider gave the same page twice"
      if (refused !== undefined) {
        read.note(failedPage(answer.cost))
        return stoppedBecause(refused)
      }
      asked = request.size
      input = request.input
      base = request.base
      return null
    }
  })

  let end: ReadingEnd | null = null
  while (end === null) {
    tell()
    const next: ReadingEnd | NextRequest = read.missing() <= 0 ? complete : requestNext()
    end = next._tag === "Next" ? yield* readPage(next) : next
  }
  return yield* answerOf(call, read, end._tag === "Stopped" ? end.why : null)
})
