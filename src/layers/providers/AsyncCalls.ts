/**
 * Operations whose first answer is a ticket or an address to ask: start, poll with growing pauses, fetch the result.
 * The final answer is judged like any other; what the call costs, all answers tell (`ToldCost.ts`). Polls and the
 * fetch of the result only read: one that fails in passing is sent again, a few times in a row. Once started, the
 * operation is cancelled at the provider when it is interrupted or takes too long.
 */
import { Clock, Effect, Either, Option } from "effect"
import type { Json } from "../../domain/Json.js"
import type { AsyncRules, VariableValues } from "../../domain/Manifest.js"
import {
  type CallFailure,
  CallLost,
  type CallRunFailure,
  type CostEvidence,
  notSent,
  type ProviderAnswer,
  type ProviderCall,
  ProviderFailure
} from "../../domain/ProviderCall.js"
import { toldAfter } from "../../domain/ToldCost.js"
import { InputRejected, InvalidResponse, ProviderTimeout, RedirectBlocked } from "../../domain/RunFailures.js"
import type { Callback } from "../../services/ProviderCallbacks.js"
import { beginningOf, costTold, digestOf } from "./AnswerEvidence.js"
import { glance, readAnswer } from "./AnswerReading.js"
import { type Missed, pauseBefore, pauseGrowth } from "./AskingAgain.js"
import type { CallPlan } from "./CallPlan.js"
import { type AnswerView, type Expression, holds, isOverworked, read } from "./Expressions.js"
import { filledBody, filledPath, idOf, toldAddress, unusableField } from "./FollowUps.js"
import { judge, judgeEarly, judgeFetch, readingOf, unreadableAs, viewOf } from "./Judgement.js"
import { type Case, isBlockedRedirect, isPassing, isSuccessStatus, judgeStatus } from "./StatedFailures.js"
import { onOwnFiber } from "../node/OwnFiber.js"
import type { RequestParts } from "./RequestPlan.js"
import type { WireAnswer } from "./Transport.js"

/**
 * A follow-up request only reads or cancels. It may therefore be sent again with a new access token, even when the
 * operation is effectful. `origin` is where the provider said that it goes; the manifest's own when absent.
 */
export type Exchange = (
  parts: RequestParts,
  kind: "start" | "follow_up",
  origin?: string
) => Effect.Effect<WireAnswer, CallFailure>

const cancelTimeout = "5 seconds"
/** The pauses of an operation that is never called back, at least. */
const unheardPauses = 4

interface AsyncCall {
  readonly rules: AsyncRules
  readonly plan: CallPlan
  readonly seen: Case
  readonly exchange: Exchange
  readonly start: RequestParts
  /** The manifest's own origin. */
  readonly origin: string
  readonly variables: VariableValues
  /** Rung when the provider has news; null when it was told no address to call. */
  readonly callback: Callback | null
  readonly onCost?: ProviderCall["onCost"]
}

type Target = AsyncRules["poll"] | NonNullable<AsyncRules["result"]> | NonNullable<AsyncRules["cancel"]>
type FollowUp = Effect.Effect<WireAnswer, CallFailure>

/** A follow-up request that can be sent as often as it is needed. Left: what the provider did not tell. */
type Followed = Either.Either<FollowUp, string>

const costing = (failed: CallFailure, cost: CostEvidence): CallFailure => {
  const { evidence, failure, said } = failed
  const facts = { failure, cost, evidence, ...(said === undefined ? {} : { said }) }
  if (failed._tag === "CallLost") return new CallLost(facts)
  const { sent, undocumented } = failed
  return new ProviderFailure({ ...facts, sent, ...(undocumented === undefined ? {} : { undocumented }) })
}

export const runToEnd = (call: AsyncCall): Effect.Effect<ProviderAnswer, CallFailure> => {
  const { callback, exchange, origin, plan, rules, seen, start, variables } = call
  const detail = unusableField(seen.endpoint, seen.input)
  if (detail !== null) return notSent(new InputRejected({ detail }))
  const view = (answer: WireAnswer) => viewOf(seen, answer, glance(answer, readingOf(seen)).view)
  /** What a call that ends now has cost. */
  let costSoFar: CostEvidence = { _tag: "None" }
  /** For each answer but the last one. The expression has a budget of its own: it decides nothing. */
  const note = (answer: WireAnswer, seenNow: AnswerView): void => {
    costSoFar = toldAfter(costSoFar, costTold(plan.rules.costMicros, { ...seenNow }))
    call.onCost?.(costSoFar, {
      ...seen.evidence,
      responseDigest: digestOf(answer),
      responseBytes: answer.bytes.length
    })
  }
  /** The same of a further request without an answer that can be judged. Its head may have told a cost. */
  const noteStopped = ({ cost, evidence }: CallFailure): void => {
    if (cost._tag === "None") return
    costSoFar = toldAfter(costSoFar, cost)
    call.onCost?.(costSoFar, evidence ?? seen.evidence)
  }
  // The operation was started. It may have its effect although nobody saw its end.
  const lost = (failure: CallRunFailure, said?: CallFailure["said"]) =>
    new CallLost({ failure, cost: costSoFar, evidence: seen.evidence, ...(said === undefined ? {} : { said }) })
  const lostWith = (failure: CallRunFailure, answer: WireAnswer) => lost(failure, () => beginningOf(answer))
  const untold = (detail: string, answer: WireAnswer) =>
    lostWith(new InvalidResponse({ detail: `The provider ${detail}.`, providerStatus: answer.status }), answer)

  /** A start that does not say how to go on. Where it could not be read at all, that is the matter. */
  const unfollowed = (detail: string, first: WireAnswer) =>
    Either.match(readAnswer(first, readingOf(seen)), {
      onLeft: (why) => lostWith(unreadableAs(why, first.status), first),
      onRight: () => untold(`started the operation ${detail}`, first)
    })

  /** `named` is what its expression read, for a target that the provider names. */
  const follow = (target: Target, id: string, named: Json): Followed => {
    const method = "method" in target ? target.method : "GET"
    const body =
      "body" in target && target.body !== undefined
        ? filledBody(target.body, { id, input: seen.input, variables })
        : undefined
    const request = (path: string) => plan.request.follow({ method, path, ...(body === undefined ? {} : { body }) })
    if ("path" in target) return Either.right(exchange(request(filledPath(target.path, id, seen.input)), "follow_up"))
    return Either.map(toldAddress(named, `${origin}${start.path}`), (address) =>
      exchange({ ...request(""), path: address.path }, "follow_up", address.origin)
    )
  }
  const readOf = (expression: Expression | undefined, answer: WireAnswer) => read(expression, view(answer))

  const missedBy = (ended: Either.Either<WireAnswer, CallFailure>, nowMillis: number): Missed | null =>
    Either.match(ended, {
      onLeft: ({ failure }) => ({ failure, isAnswered: false }),
      onRight: ({ headers, status }) =>
        isPassing(status) ? { failure: judgeStatus({ ...seen, nowMillis }, status, headers), isAnswered: true } : null
    })
  /**
   * How the request ended, and how long the provider asks to wait before it is sent again: 0 where it does not say,
   * null when it is not sent again.
   */
  const ending = (asked: FollowUp, before: number) =>
    Effect.zipWith(Effect.either(asked), Clock.currentTimeMillis, (ended, nowMillis) => {
      const missed = missedBy(ended, nowMillis)
      const patience = { usualMs: 0, longestMs: rules.totalMs }
      return { ended, askedMs: missed === null ? null : pauseBefore(missed, before, patience) }
    })

  /** A callback can get lost: there is time for some polls without one, however short the whole is. */
  const longestMs =
    callback === null
      ? rules.maxIntervalMs
      : Math.min(rules.maxIntervalMs, Math.max(rules.intervalMs, rules.totalMs / unheardPauses))
  const longerThan = (pauseMs: number): number => Math.min(longestMs, pauseMs * pauseGrowth)

  const fetchResult = (fetched: FollowUp, pauseMs: number, missed: number): FollowUp =>
    Effect.flatMap(ending(fetched, missed), ({ askedMs, ended }) => {
      const again = (leastMs: number) =>
        Effect.zipRight(Effect.sleep(Math.max(pauseMs, leastMs)), fetchResult(fetched, longerThan(pauseMs), missed + 1))
      if (Either.isLeft(ended)) {
        noteStopped(ended.left)
        return askedMs === null ? ended : again(askedMs)
      }
      if (askedMs === null && isSuccessStatus(seen.endpoint.operation, ended.right.status)) return ended
      const seenNow = view(ended.right)
      const unfetched = judgeFetch(seen, seenNow)
      if (askedMs === null && Option.isNone(unfetched)) return ended
      note(ended.right, seenNow)
      if (askedMs !== null) return again(askedMs)
      return Option.isSome(unfetched) ? lostWith(unfetched.value, ended.right) : ended
    })

  const resultOf = (result: NonNullable<AsyncRules["result"]>, id: string, answer: WireAnswer): FollowUp => {
    const hasOwnId = "path" in result && result.id !== undefined
    const resultId = hasOwnId ? idOf(readOf(plan.rules.resultId, answer)) : id
    if (resultId === null) return untold("ended the operation without the id of its result", answer)
    return Either.match(follow(result, resultId, readOf(plan.rules.resultUrl, answer)), {
      onLeft: (detail) => untold(`ended the operation and ${detail}`, answer),
      onRight: (fetched) => fetchResult(fetched, rules.intervalMs, 0)
    })
  }

  /**
   * Waits before a poll. A callback ends the pause, but no sooner than `intervalMs` after the poll before, so that
   * callbacks without end cause no more polls than no callbacks do, nor before the provider wants to be asked again.
   * True when there was one.
   */
  const pause = (usualMs: number, askedMs: number): Effect.Effect<boolean> => {
    const millis = Math.max(usualMs, askedMs)
    if (callback === null) return Effect.as(Effect.sleep(millis), false)
    const least = Math.max(Math.min(rules.intervalMs, millis), askedMs)
    return Effect.sleep(least).pipe(
      Effect.zipRight(Effect.timeoutOption(callback.rung.await, millis - least)),
      Effect.map(Option.isSome),
      // A callback that comes during the poll ends the next pause.
      Effect.zipLeft(callback.rung.close)
    )
  }

  const poll = (id: string, asked: FollowUp, pauseMs: number, missed: number, waitMs = 0): FollowUp => {
    let pausedMs = pauseMs
    const next = (missedNow: number, leastMs = 0) => {
      // The news of a callback is still to be read.
      if (missedNow > 0) callback?.rung.unsafeOpen()
      return poll(id, asked, longerThan(pausedMs), missedNow, leastMs)
    }
    const waited = Effect.map(pause(pauseMs, waitMs), (wasRung) => {
      // State may come a moment after the callback. So the pauses grow again, as they do without one.
      if (wasRung) pausedMs = rules.intervalMs
    })
    return Effect.flatMap(ending(Effect.zipRight(waited, asked), missed), ({ askedMs, ended }) => {
      if (Either.isLeft(ended)) {
        noteStopped(ended.left)
        return askedMs === null ? ended : next(missed + 1, askedMs)
      }
      const answer = ended.right
      const seenNow = view(answer)
      const early = judgeEarly(seen, seenNow)
      const { status } = answer
      const isBlocked = isBlockedRedirect(seen.endpoint.operation, status)
      const isRefused = Option.isSome(early) && status >= 400
      const goesOn = askedMs !== null || isBlocked || isRefused
      if (!goesOn && (Option.isSome(early) || isOverworked(seenNow))) return Effect.succeed(answer)
      const isDone = !goesOn && holds(plan.rules.done, seenNow)
      if (isDone && rules.result === undefined) return Effect.succeed(answer)
      note(answer, seenNow)
      if (askedMs !== null) return next(missed + 1, askedMs)
      if (isBlocked) return lostWith(new RedirectBlocked({ providerStatus: status }), answer)
      // An error status of a poll concerns only the poll: the started operation may still be running.
      if (isRefused) return lostWith(early.value, answer)
      return isDone && rules.result !== undefined ? resultOf(rules.result, id, answer) : next(0)
    })
  }

  const ended = Effect.flatMap(exchange(start, "start"), (first) => {
    const seenFirst = view(first)
    if (!isSuccessStatus(seen.endpoint.operation, first.status) || Option.isSome(judgeEarly(seen, seenFirst)))
      return Effect.succeed(first)
    const byAddress = "url" in rules.poll
    const ticket = read(byAddress ? plan.rules.pollUrl : plan.rules.ticket, seenFirst)
    if (holds(plan.rules.done, seenFirst) && (ticket === null || rules.result === undefined))
      return Effect.succeed(first)
    note(first, seenFirst)
    const id = idOf(byAddress ? read(plan.rules.ticket, seenFirst) : ticket)
    if (id === null && (!byAddress || rules.ticket !== undefined))
      return unfollowed("without a ticket to ask for it", first)
    const asked = follow(rules.poll, id ?? "", ticket)
    if (Either.isLeft(asked)) return unfollowed(`and ${asked.left}`, first)
    const { cancel } = rules
    const cancelled =
      cancel === undefined
        ? Effect.void
        : Either.match(follow(cancel, id ?? "", read(plan.rules.cancelUrl, seenFirst)), {
            onLeft: () => Effect.void,
            onRight: (sent) =>
              onOwnFiber(
                Effect.ignore(
                  Effect.map(Effect.timeout(sent, cancelTimeout), (answer) => {
                    if (isSuccessStatus(seen.endpoint.operation, answer.status)) note(answer, view(answer))
                  })
                )
              )
          })
    return poll(
      id ?? "",
      asked.right,
      callback === null ? rules.intervalMs : Math.max(rules.intervalMs, longestMs),
      0
    ).pipe(
      Effect.timeoutFail({ duration: rules.totalMs, onTimeout: () => lost(new ProviderTimeout()) }),
      Effect.onInterrupt(() => cancelled),
      Effect.catchAll(({ failure, said }) =>
        Effect.zipRight(
          failure.code === "timeout" ? cancelled : Effect.void,
          Effect.suspend(() => lost(failure, said))
        )
      )
    )
  })
  return Effect.flatMap(Effect.zip(ended, Clock.currentTimeMillis), ([answer, nowMillis]) =>
    Either.mapBoth(judge({ ...seen, nowMillis }, answer), {
      onLeft: (failed) => costing(failed, toldAfter(costSoFar, failed.cost)),
      onRight: (judged) => ({ ...judged, cost: toldAfter(costSoFar, judged.cost) })
    })
  )
}
