/**
 * What a provider's answer means: the operation's rules in their order (errors, miss, weak, success), the status where
 * no rule speaks, cost and result count as evidence, and the output map. Pure; every way out is a verdict or a failure
 * of the contract.
 */
import { Either, Option } from "effect"
import { normalize } from "../../domain/OutputMapping.js"
import type { Json } from "../../domain/Json.js"
import { setMember } from "../../domain/Members.js"
import {
  type AnswerBody,
  type CallFailure,
  CallLost,
  type Evidence,
  type Normalized,
  type ProviderAnswer,
  ProviderFailure
} from "../../domain/ProviderCall.js"
import type { Break } from "../../domain/ProviderFigures.js"
import {
  InvalidResponse,
  OutputMappingError,
  ProviderReportedError,
  RedirectBlocked,
  UnsupportedResponseType
} from "../../domain/RunFailures.js"
import { answerCheckOf } from "./AnswerSchema.js"
import { beginningOf, costTold, countTold, digestOf, quoted } from "./AnswerEvidence.js"
import { glance, nothing, type ReadAnswer, readAnswer, type Reading, type Unreadable } from "./AnswerReading.js"
import { type AnswerView, holds, isOverworked, read } from "./Expressions.js"
import { isLarge } from "./LargeAnswers.js"
import {
  type Case,
  failureByStatus,
  isBlockedRedirect,
  isNamedSuccess,
  isPassing,
  isRedirect,
  isSuccessStatus,
  reportedError,
  type StatedFailure
} from "./StatedFailures.js"
import type { WireAnswer } from "./Transport.js"

interface Verdict {
  readonly outcome: "hit" | "weak" | "miss"
  readonly outcomeReason: string
  readonly body: AnswerBody
  readonly normalized: Normalized | null
  readonly resultCount: number | null
}

/** The output map applied to an answer of a known outcome; null without a map. */
export const mapped = (
  seen: Case,
  view: AnswerView,
  outcome: Verdict["outcome"],
  guessed: boolean
): Either.Either<Normalized | null, OutputMappingError> => {
  const { job, output } = seen.endpoint.operation
  if (output === undefined || job === undefined) return Either.right(null)
  const values: Record<string, Json> = {}
  if (outcome !== "miss") {
    for (const [field, expression] of seen.rules.fields) {
      const value = expression.evaluate(view)
      if (Either.isLeft(value))
        return Either.left(
          new OutputMappingError({
            detail: `The output map failed at the field ${field}.`,
            providerStatus: view.status
          })
        )
      setMember(values, field, value.right)
    }
  }
  return Either.right(normalize({ job, endpointId: seen.endpoint.operation.id, map: output, values, outcome, guessed }))
}

/** Where an answer that is refused for it breaks the documented schema. */
const refusedBreak = ({ endpoint, isJoined }: Case, body: AnswerBody): Break | null => {
  if (endpoint.operation.response.undocumented !== "refuse" || isJoined === true || body._tag !== "Json") return null
  const found = answerCheckOf(endpoint)?.(body.value) ?? null
  return found === "left_out" ? null : found
}

/** An answer is refused because it breaks the documented schema. */
interface Undocumented {
  readonly _tag: "Undocumented"
  readonly failure: InvalidResponse | ProviderReportedError
  readonly found: Break
}

/** An answer that is no success. */
const noSuccess = (seen: Case, { status }: AnswerView, detail: string): InvalidResponse | ProviderReportedError => {
  const facts = { detail, providerStatus: status }
  // The provider answered, but the call may have had an effect all the same. The customer must not be told to send it
  // again.
  return seen.endpoint.operation.effect === "effectful"
    ? new ProviderReportedError({
        ...facts,
        hint: "Look at the provider whether it was done before you send it again."
      })
    : new InvalidResponse(facts)
}

/** Whether the customer pays for each result, and a rule says where they are counted. */
const isCounted = ({ endpoint, rules }: Case): boolean =>
  endpoint.operation.price.basis === "per_result" && rules.resultCount !== undefined

type VerdictFailure = InvalidResponse | OutputMappingError | ProviderReportedError

/** Outcome of an answer whose status is a success, or that a miss rule turned into one. */
const verdictOf = (
  seen: Case,
  view: AnswerView,
  { body, note }: ReadAnswer
): Either.Either<Verdict, Undocumented | VerdictFailure> => {
  const { missStatuses } = seen.endpoint.operation.response
  const resultCount = countTold(seen.rules.resultCount, view)
  const verdict = (outcome: Verdict["outcome"], outcomeReason: string, guessed = false) =>
    Either.map(mapped(seen, view, outcome, guessed), (normalized): Verdict => ({
      outcome,
      outcomeReason: note === null ? outcomeReason : `${outcomeReason} ${note}`,
      body,
      normalized,
      resultCount
    }))

  if (missStatuses.includes(view.status))
    return verdict("miss", `The provider answered ${view.status}, which here means that nothing was found.`)
  if (holds(seen.rules.miss, view)) return verdict("miss", "The provider found nothing.")
  const found = refusedBreak(seen, body)
  if (found !== null) {
    const detail = `The provider's answer is not as it is documented: ${found.place} ${found.message}.`
    return Either.left({ _tag: "Undocumented", failure: noSuccess(seen, view, detail), found })
  }
  if (resultCount === null && isCounted(seen))
    return Either.left(noSuccess(seen, view, "The provider's answer does not say how many results it holds."))
  if (holds(seen.rules.weak, view)) return verdict("weak", "The provider answered without being sure.")
  if (seen.rules.success !== undefined && !holds(seen.rules.success, view))
    return Either.left(noSuccess(seen, view, "The provider's answer lacks what a success of this operation holds."))
  const guessed = holds(seen.rules.guessed, view)
  return guessed
    ? verdict("weak", "The provider marks the answer as a guess.", true)
    : verdict("hit", "The provider answered.")
}

/** The rules that may end an asynchronous operation early: a reported failure, or an error status that is no miss. */
export const judgeEarly = (seen: Case, view: AnswerView): Option.Option<StatedFailure> => {
  const reported = reportedError(seen, view)
  const { operation } = seen.endpoint
  if (Option.isSome(reported) || view.status < 400 || isSuccessStatus(operation, view.status)) return reported
  return operation.response.missStatuses.includes(view.status) || showsMiss(seen, view)
    ? Option.none()
    : Option.some(failureByStatus(seen, view))
}

/**
 * Why the answer to the fetch of a result says nothing about the operation, which was done. Where that may have had an
 * effect, an error of the fetch speaks of the operation only by a rule of its own, or by 422: the address that is asked
 * can be closed, moved or empty, and the key refused, whatever was done.
 */
export const judgeFetch = (seen: Case, view: AnswerView): Option.Option<RedirectBlocked | StatedFailure> => {
  const { operation } = seen.endpoint
  const { status } = view
  const isEffectful = operation.effect === "effectful"
  if (isBlockedRedirect(operation, status))
    return isEffectful ? Option.some(new RedirectBlocked({ providerStatus: status })) : Option.none()
  if (status < 400) return Option.none()
  const early = judgeEarly(seen, view)
  if (isPassing(status)) return early
  if (!isEffectful || status === 422) return Option.none()
  return status === 401 || status === 403 || Option.isNone(reportedError(seen, view)) ? early : Option.none()
}

/**
 * On an error status, a miss needs evidence in the answer (`body.code == 'NO_MATCH'`): a rule that would hold for an
 * empty body too (`!body.data`) only says that the error has no data.
 */
const showsMiss = (seen: Case, view: AnswerView): boolean =>
  holds(seen.rules.miss, view) && !holds(seen.rules.miss, { ...view, body: null, headers: {} })

/** An empty body, or only a line break that some servers add. */
const isEmpty = ({ bytes }: WireAnswer): boolean => bytes.length <= 4 && bytes.toString("latin1").trim() === ""

/** With these statuses, a read-only operation says that it found nothing. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205])

/**
 * What a 2xx without a body means. An effectful operation did what it was asked: what a success must hold and where
 * fields stand is said of bodies. A read-only one found nothing when its status says so, unless a rule of its own says
 * more; else its body is missing. Where the operation names the status as a success, the rules decide.
 */
const emptyVerdict = (
  seen: Case,
  view: AnswerView
): Option.Option<Either.Either<Verdict, Undocumented | VerdictFailure>> => {
  const { operation } = seen.endpoint
  const isNamed = isNamedSuccess(operation.response, view.status)
  const saysMiss = operation.response.missStatuses.includes(view.status) || showsMiss(seen, view)
  if (operation.effect === "effectful" && !saysMiss && view.status < 300) {
    const { job, output } = operation
    const normalized =
      job === undefined || output === undefined
        ? null
        : normalize({ job, endpointId: operation.id, map: output, values: {}, outcome: "hit", guessed: false })
    return Option.some(
      Either.right({
        outcome: "hit",
        outcomeReason: "The provider did it and had no more to say.",
        body: nothing.body,
        normalized,
        resultCount: null
      })
    )
  }
  if (!isNamed && !saysMiss && !emptyStatuses.has(view.status)) return Option.none()
  if (isNamed || saysMiss || seen.rules.success !== undefined || holds(seen.rules.weak, view))
    return Option.some(verdictOf(seen, view, nothing))
  return Option.some(
    Either.map(mapped(seen, view, "miss", false), (normalized): Verdict => ({
      outcome: "miss",
      outcomeReason: `The provider answered ${view.status}: there is nothing to tell.`,
      body: nothing.body,
      normalized,
      resultCount: null
    }))
  )
}

export const readingOf = ({ endpoint: { operation }, inlineBytes }: Case): Reading => ({
  allowed: operation.contentTypes,
  parse: operation.response.parse,
  inlineBytes
})

export const viewOf = (seen: Case, answer: WireAnswer, body: Json): AnswerView => ({
  status: answer.status,
  headers: answer.headers,
  body,
  input: seen.input
})

/** The page of a redirect is written for people. Its answer is where it leads, unless it is JSON. */
const redirectOf = (seen: Case, answer: WireAnswer): ReadAnswer => {
  const readable = readAnswer(answer, readingOf(seen))
  if (Either.isRight(readable) && readable.right.body._tag === "Json") return readable.right
  const value = { location: answer.headers["location"] ?? null }
  return { view: value, body: { _tag: "Json", value }, note: null }
}

/** The failure of a call whose complete answer cannot be used. */
export const unreadableAs = (why: Unreadable, providerStatus: number): InvalidResponse | UnsupportedResponseType =>
  why._tag === "Unparsable"
    ? new InvalidResponse({ detail: why.detail, providerStatus })
    : new UnsupportedResponseType({
        detail: `The provider answered with a content type that this operation does not allow: ${quoted(why.type) ?? "none"}.`,
        providerStatus
      })

/** Every failure that can follow from an answer. */
export type JudgedFailure = RedirectBlocked | StatedFailure | UnsupportedResponseType | VerdictFailure

/**
 * A success that cannot be read, or whose rules cannot be evaluated, counts as lost: it is not known what the provider
 * did.
 */
export const judge = (seen: Case, answer: WireAnswer): Either.Either<ProviderAnswer, CallFailure> => {
  const { status } = answer
  const { operation } = seen.endpoint
  const about = (
    view: AnswerView,
    result: Either.Either<Verdict, JudgedFailure | Undocumented>,
    { costView = view, readable = true }: { readonly costView?: AnswerView; readonly readable?: boolean } = {}
  ): Either.Either<ProviderAnswer, CallFailure> => {
    const cost = costTold(seen.rules.costMicros, costView)
    const providerRequestId = quoted(read(seen.rules.requestId, view)) ?? null
    const evidence: Evidence = {
      ...seen.evidence,
      responseDigest: digestOf(answer),
      responseBytes: answer.bytes.length,
      providerRequestId
    }
    const said = () => beginningOf(answer)
    if (isOverworked(view)) {
      // Rules that were not evaluated to the end decide nothing. For an effectful operation, the meaning of the answer
      // is then unknown.
      const detail = "The rules of this operation take more work on the provider's answer than the gateway allows."
      return Either.left(
        new CallLost({
          failure: new InvalidResponse({ detail, providerStatus: status }),
          cost: { _tag: "None" },
          evidence: { ...evidence, providerRequestId: null },
          said
        })
      )
    }
    return Either.mapBoth(result, {
      onLeft: (why) => {
        if (why._tag === "Undocumented")
          return new ProviderFailure({
            failure: why.failure,
            sent: true,
            cost,
            evidence,
            said,
            undocumented: why.found
          })
        return readable
          ? new ProviderFailure({ failure: why, sent: true, cost, evidence, said })
          : new CallLost({ failure: why, cost, evidence, said })
      },
      onRight: (verdict) => ({ ...verdict, providerStatus: status, cost, evidence })
    })
  }
  /** An answer of which the rules see nothing may still tell its cost. */
  const forCost = (): AnswerView =>
    viewOf(seen, answer, isLarge(answer, operation.response.parse) ? null : glance(answer, readingOf(seen)).view)
  const byRules = (view: AnswerView, read: ReadAnswer) =>
    Option.match(reportedError(seen, view), { onSome: Either.left, onNone: () => verdictOf(seen, view, read) })
  const isSuccess = isSuccessStatus(operation, status)
  const isMissStatus = operation.response.missStatuses.includes(status)
  if (isBlockedRedirect(operation, status)) {
    const blocked = new RedirectBlocked({ providerStatus: status })
    return about(viewOf(seen, answer, null), Either.left(blocked), { costView: forCost() })
  }
  if (!isSuccess) {
    // The body of a miss is kept when it is JSON; an error page is nobody's result.
    const glanced = glance(answer, readingOf(seen))
    const view = viewOf(seen, answer, glanced.view)
    const early = judgeEarly(seen, view)
    return about(view, Option.match(early, { onSome: Either.left, onNone: () => verdictOf(seen, view, glanced) }))
  }
  if (isRedirect(status)) {
    const redirect = redirectOf(seen, answer)
    const view = viewOf(seen, answer, redirect.view)
    return about(view, byRules(view, redirect))
  }
  if (isEmpty(answer)) {
    const view = viewOf(seen, answer, null)
    const empty = Option.orElse(Option.map(reportedError(seen, view), Either.left), () => emptyVerdict(seen, view))
    if (Option.isSome(empty)) return about(view, empty.value)
  }
  const readable = readAnswer(answer, readingOf(seen))
  if (Either.isLeft(readable)) {
    const view = viewOf(seen, answer, null)
    if (isMissStatus) return about(view, verdictOf(seen, view, nothing))
    return about(view, Either.left(unreadableAs(readable.left, status)), { costView: forCost(), readable: false })
  }
  const view = viewOf(seen, answer, readable.right.view)
  return about(view, byRules(view, readable.right))
}
