/**
 * Operations whose first answer is a ticket: start, poll with growing pauses, fetch the result. Gives the final answer,
 * to be judged like any other. Once started, the operation is cancelled at the provider when it is interrupted or takes
 * too long.
 */
import { Effect, Option } from "effect"
import { ExactNumber } from "../../domain/ExactNumber.js"
import type { AsyncRules } from "../../domain/Manifest.js"
import { type CallFailure, CallLost, type CallRunFailure } from "../../domain/ProviderCall.js"
import { InvalidResponse, ProviderTimeout } from "../../domain/RunFailures.js"
import { glance } from "./AnswerReading.js"
import type { CallPlan } from "./CallPlan.js"
import { holds, isOverworked, read } from "./Expressions.js"
import { type Case, isSuccessStatus, judgeEarly, readingOf, viewOf } from "./Judgement.js"
import { onOwnFiber } from "./OwnFiber.js"
import type { FollowUp, RequestParts } from "./RequestPlan.js"
import type { WireAnswer } from "./Transport.js"

/**
 * A follow-up request only reads or cancels. It may therefore be sent again with a new access token, even when the
 * operation is effectful.
 */
export type Exchange = (parts: RequestParts, kind: "start" | "follow_up") => Effect.Effect<WireAnswer, CallFailure>

/** Polling only reads, so a few lost or refused polls in a row are allowed. */
const lostPollsMax = 3
const pauseGrowth = 1.5
const cancelTimeout = "5 seconds"

const isPassing = (status: number): boolean => status === 429 || status >= 500

export interface AsyncCall {
  readonly rules: AsyncRules
  readonly plan: CallPlan
  readonly seen: Case
  readonly exchange: Exchange
  readonly start: RequestParts
}

export const runToEnd = ({ exchange, plan, rules, seen, start }: AsyncCall): Effect.Effect<WireAnswer, CallFailure> => {
  const view = (answer: WireAnswer) => viewOf(seen, answer, glance(answer, readingOf(seen)).view)
  const follow = (request: FollowUp, ticket: string) => exchange(plan.request.follow(request, ticket), "follow_up")
  // The operation was started. It may have its effect although nobody saw its end.
  const lost = (failure: CallRunFailure) => new CallLost({ failure, cost: { _tag: "None" }, evidence: seen.evidence })

  const poll = (ticket: string, pauseMs: number, missed: number): Effect.Effect<WireAnswer, CallFailure> => {
    const next = (missedNow: number) => poll(ticket, Math.min(rules.maxIntervalMs, pauseMs * pauseGrowth), missedNow)
    return Effect.matchEffect(Effect.zipRight(Effect.sleep(pauseMs), follow(rules.poll, ticket)), {
      onFailure: (failed) => (missed < lostPollsMax ? next(missed + 1) : Effect.fail(failed)),
      onSuccess: (answer) => {
        if (isPassing(answer.status) && missed < lostPollsMax) return next(missed + 1)
        const seenNow = view(answer)
        const early = judgeEarly(seen, seenNow)
        // An error status of a poll concerns only the poll: the started operation may still be running.
        if (Option.isSome(early) && answer.status >= 400) return lost(early.value)
        if (Option.isSome(early) || isOverworked(seenNow)) return Effect.succeed(answer)
        if (!holds(plan.rules.done, seenNow)) return next(0)
        return rules.result === undefined
          ? Effect.succeed(answer)
          : follow({ method: "GET", path: rules.result.path }, ticket)
      }
    })
  }

  const cancel = (ticket: string) =>
    rules.cancel === undefined
      ? Effect.void
      : onOwnFiber(Effect.ignore(Effect.timeout(follow(rules.cancel, ticket), cancelTimeout)))

  return Effect.flatMap(exchange(start, "start"), (first) => {
    const seenFirst = view(first)
    if (!isSuccessStatus(seen.endpoint.operation, first.status) || Option.isSome(judgeEarly(seen, seenFirst)))
      return Effect.succeed(first)
    const ticket = read(plan.rules.ticket, seenFirst)
    if (holds(plan.rules.done, seenFirst) && (ticket === null || rules.result === undefined))
      return Effect.succeed(first)
    if (typeof ticket !== "string" && typeof ticket !== "number" && !(ticket instanceof ExactNumber)) {
      return lost(
        new InvalidResponse({
          detail: "The provider started the operation without a ticket to ask for it.",
          providerStatus: first.status
        })
      )
    }
    const id = String(ticket)
    return Effect.mapError(poll(id, rules.intervalMs, 0), ({ failure }) => lost(failure)).pipe(
      Effect.timeoutFail({ duration: rules.totalMs, onTimeout: () => lost(new ProviderTimeout()) }),
      Effect.onInterrupt(() => cancel(id)),
      Effect.tapError(({ failure }) => (failure.code === "timeout" ? cancel(id) : Effect.void))
    )
  })
}
