/**
 * Operations whose first answer is a ticket: start, poll with growing pauses, fetch the result. Gives the final answer,
 * to be judged like any other. Once started, the operation is cancelled at the provider when it is interrupted or takes
 * too long.
 */
import { Effect, Option } from "effect"
import { ExactNumber } from "../../domain/ExactNumber.js"
import type { AsyncRules } from "../../domain/Manifest.js"
import { InvalidResponse, ProviderTimeout } from "../../domain/RunFailures.js"
import { glance } from "./AnswerReading.js"
import type { CallPlan } from "./CallPlan.js"
import { holds, isOverworked, read } from "./Expressions.js"
import { type Case, judgeEarly, viewOf } from "./Judgement.js"
import { onOwnFiber } from "./OwnFiber.js"
import type { FollowUp, RequestParts } from "./RequestPlan.js"
import type { WireAnswer } from "./Transport.js"
import { CallStopped } from "./WireOutcome.js"

/** A follow-up only reads or cancels, so it may be resent with a new access token whatever the operation does. */
type Exchange = (parts: RequestParts, kind: "start" | "follow_up") => Effect.Effect<WireAnswer, CallStopped>

/** Polling is read-only, so a few lost or refused polls in a row are borne. */
const lostPollsMax = 3
const pauseGrowth = 1.5
const cancelTimeout = "5 seconds"

const isPassing = (status: number): boolean => status === 429 || status >= 500

export const runToEnd = (
  rules: AsyncRules,
  plan: CallPlan,
  seen: Case,
  exchange: Exchange,
  start: RequestParts
): Effect.Effect<WireAnswer, CallStopped> => {
  const view = (answer: WireAnswer) => viewOf(seen, answer, glance(answer, seen.inlineBytes).view)
  const follow = (request: FollowUp, ticket: string) => exchange(plan.request.follow(request, ticket), "follow_up")

  const poll = (ticket: string, pauseMs: number, lost: number): Effect.Effect<WireAnswer, CallStopped> =>
    Effect.sleep(pauseMs).pipe(
      Effect.zipRight(Effect.either(follow(rules.poll, ticket))),
      Effect.flatMap((polled) => {
        const next = (missed: number) => poll(ticket, Math.min(rules.maxIntervalMs, pauseMs * pauseGrowth), missed)
        if (polled._tag === "Left") return lost < lostPollsMax ? next(lost + 1) : Effect.fail(polled.left)
        const answer = polled.right
        if (isPassing(answer.status) && lost < lostPollsMax) return next(lost + 1)
        const seenNow = view(answer)
        const early = judgeEarly(seen, seenNow)
        // An error status of a poll is about the poll: what was started may well go on.
        if (Option.isSome(early) && answer.status >= 400)
          return Effect.fail(
            new CallStopped({ failure: early.value, certainty: "unanswered", providerStatus: answer.status })
          )
        if (Option.isSome(early) || isOverworked(seenNow)) return Effect.succeed(answer)
        if (!holds(plan.rules.done, seenNow)) return next(0)
        return rules.result === undefined
          ? Effect.succeed(answer)
          : follow({ method: "GET", path: rules.result.path }, ticket)
      })
    )

  const cancel = (ticket: string) =>
    rules.cancel === undefined
      ? Effect.void
      : onOwnFiber(Effect.ignore(Effect.timeout(follow(rules.cancel, ticket), cancelTimeout)))

  // What was started may have its effect although nobody saw the end of it.
  const unseen = ({ failure, providerStatus }: CallStopped) =>
    new CallStopped({ failure, providerStatus, certainty: "unanswered" })

  return Effect.flatMap(exchange(start, "start"), (first) => {
    const seenFirst = view(first)
    if (first.status >= 300 || Option.isSome(judgeEarly(seen, seenFirst))) return Effect.succeed(first)
    const ticket = read(plan.rules.ticket, seenFirst)
    if (holds(plan.rules.done, seenFirst) && (ticket === null || rules.result === undefined))
      return Effect.succeed(first)
    if (typeof ticket !== "string" && typeof ticket !== "number" && !(ticket instanceof ExactNumber)) {
      const failure = new InvalidResponse({
        detail: "The provider started the operation without a ticket to ask for it.",
        providerStatus: first.status
      })
      return Effect.fail(new CallStopped({ failure, certainty: "unanswered", providerStatus: first.status }))
    }
    const id = String(ticket)
    const tooLong = () =>
      new CallStopped({ failure: new ProviderTimeout({}), certainty: "unanswered", providerStatus: null })
    return Effect.mapError(poll(id, rules.intervalMs, 0), unseen).pipe(
      Effect.timeoutFail({ duration: rules.totalMs, onTimeout: tooLong }),
      Effect.onInterrupt(() => cancel(id)),
      Effect.tapError((stopped) => (stopped.failure.code === "timeout" ? cancel(id) : Effect.void))
    )
  })
}
