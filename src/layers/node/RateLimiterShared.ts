/**
 * The request rates of workspaces over all nodes. A request is decided here at once, on what this node knows, and is
 * reported to the shared buckets (`RateBuckets`) right after, with all others of the moment. So the path of a request
 * has no round trip of its own.
 *
 * What a node allows without having reported it is bounded: `unreportedMax` requests of a workspace. Beyond that a
 * request waits for the report under way. What all nodes have allowed too much is a debt of the bucket, which everybody
 * waits for. So in any time a workspace gets at most what the limit allows and `unreportedMax` for each node, and in
 * the long run exactly the limit. (The debt has an end, so that nobody pays for an outage for long. Up to
 * `nodesBoundedMax` nodes it is never reached otherwise.)
 *
 * Requests that pass together or not at all are taken one after the other, by the same rule. Where one of them is
 * refused, because other nodes have allowed more meanwhile, the ones before it are given back, and so are all of them
 * where their caller gives up.
 *
 * Where the shared buckets do not answer within `awayMillis`, this node counts by itself until they do, as
 * `RateLimiterMemory` does, and then reports what it has allowed. Rates without a token are always counted by each node
 * for itself.
 */
import { Cause, Deferred, Effect, Exit, Layer, Option, Queue } from "effect"
import { RateBuckets } from "../../services/RateBuckets.js"
import { type RateDecision, RateLimiter } from "../../services/RateLimiter.js"
import { everySoOften, repeatInBackground } from "./Background.js"
import { publicBuckets, type RateLimitOptions, workspaceRate } from "./RateLimiterMemory.js"
import { type Rate, tokenBucket } from "./TokenBucket.js"
import { makeTrouble } from "./Trouble.js"

/** As many nodes as the bound above holds for. */
const nodesBoundedMax = 20
/** Requests of one workspace that one node allows before it has reported them: a twentieth of the burst. */
export const unreportedMax = ({ burst }: Rate): number => Math.max(1, Math.floor(burst / nodesBoundedMax))

/** Reports that nobody waits for are made so far apart. */
const pauseMillis = 10
/** After so long without an answer, this node counts by itself. */
const awayMillis = 250
const againMillis = 1_000

/** What this node knows of one bucket. */
interface View {
  /** When it is full again, by this node's clock, with everything that this node has allowed. */
  fullAt: number
  /** Allowed and not yet reported, and of these: on their way. */
  unreported: number
  reporting: number
}

const makeViews = (rate: Rate) => {
  const { capacityMillis, intervalMillis, take } = tokenBucket(rate)
  const quota = unreportedMax(rate)
  /** From now until a bucket is full that has the largest debt. */
  const mostMillis = capacityMillis + nodesBoundedMax * quota * intervalMillis
  const views = new Map<string, View>()
  const dirty = new Set<string>()
  let sweptAt = 0

  const sweep = (now: number) => {
    for (const [tenant, view] of views) if (view.fullAt <= now && view.unreported === 0) views.delete(tenant)
    sweptAt = now
  }
  const viewOf = (tenant: string, now: number): View => {
    if (Math.abs(now - sweptAt) >= capacityMillis) sweep(now)
    const known = views.get(tenant)
    if (known !== undefined) return known
    const made = { fullAt: now, unreported: 0, reporting: 0 }
    views.set(tenant, made)
    return made
  }

  // The upper bound only matters when the clock was set back.
  const taken = (view: View, now: number, count: number) => take(Math.min(view.fullAt, now + mostMillis), now, count)

  return {
    /** What would be decided about so many requests, by what this node knows. Takes nothing. */
    judge: (tenant: string, now: number, count: number): RateDecision =>
      taken(viewOf(tenant, now), now, count).decision,
    /** Null where the decision has to wait for a report. */
    decide: (tenant: string, now: number, alone: boolean): RateDecision | null => {
      const view = viewOf(tenant, now)
      const { decision, fullAt } = taken(view, now, 1)
      if (decision.allowed && view.unreported >= quota && !alone) return null
      view.fullAt = fullAt
      if (decision.allowed) {
        view.unreported += 1
        dirty.add(tenant)
      }
      return decision
    },
    /** Requests that were allowed and did not pass. What was reported of them is taken back with the next report. */
    giveBack: (tenant: string, now: number, count: number) => {
      const view = viewOf(tenant, now)
      view.fullAt -= count * intervalMillis
      view.unreported -= count
      dirty.add(tenant)
    },
    /** Everything that was not reported yet; it is on its way now. */
    takeReports: () => {
      const spent = Array.from(dirty, (tenant) => {
        const view = views.get(tenant)
        if (view !== undefined) view.reporting = view.unreported
        return { tenant, millis: (view?.reporting ?? 0) * intervalMillis }
      })
      dirty.clear()
      return spent
    },
    reported: (tenant: string, fullInMillis: number, now: number) => {
      const view = views.get(tenant)
      if (view === undefined) return
      view.unreported -= view.reporting
      view.reporting = 0
      view.fullAt = now + Math.max(0, fullInMillis) + view.unreported * intervalMillis
    },
    /** They are reported again. */
    notReported: (tenants: ReadonlyArray<string>) => {
      for (const tenant of tenants) {
        const view = views.get(tenant)
        if (view !== undefined) view.reporting = 0
        dirty.add(tenant)
      }
    },
    mostMillis
  }
}

export const RateLimiterShared = (options: RateLimitOptions = {}): Layer.Layer<RateLimiter, never, RateBuckets> =>
  Layer.scoped(
    RateLimiter,
    Effect.gen(function* () {
      const buckets = yield* RateBuckets
      const clock = yield* Effect.clock
      const trouble = yield* makeTrouble("rates")
      const views = makeViews(workspaceRate(options))
      const ofPublic = publicBuckets(options)
      const work = yield* Queue.sliding<void>(1)
      const hurry = yield* Queue.sliding<void>(1)
      /** Done when the report under way, or the next one, has ended. */
      let ended = yield* Deferred.make<void>()
      let waiting = 0
      /** The shared buckets do not answer: this node counts by itself. */
      let alone = false

      const letGo = Effect.flatMap(Deferred.make<void>(), (next) =>
        Effect.suspend(() => {
          const before = ended
          ended = next
          return Deferred.succeed(before, undefined)
        })
      )

      const report = Effect.gen(function* () {
        const spent = views.takeReports()
        if (spent.length === 0) return
        const asked = yield* Effect.fork(Effect.exit(buckets.spend(spent, views.mostMillis)))
        const inTime = yield* Effect.timeoutOption(Effect.disconnect(asked.await), awayMillis)
        if (Option.isNone(inTime)) {
          alone = true
          trouble.failed(`no answer within ${awayMillis} ms`)
          yield* letGo
        }
        const answer = yield* Effect.flatten(asked.await)
        if (Exit.isSuccess(answer)) {
          const now = clock.unsafeCurrentTimeMillis()
          for (const { fullInMillis, tenant } of answer.value) views.reported(tenant, fullInMillis, now)
          if (Option.isSome(inTime)) {
            alone = false
            trouble.worked()
          }
          yield* letGo
        } else {
          views.notReported(spent.map(({ tenant }) => tenant))
          work.unsafeOffer()
          alone = true
          // A defect too: whoever waits for this report would otherwise wait for ever.
          trouble.failed(
            Option.match(Cause.failureOption(answer.cause), {
              onNone: () => Cause.pretty(answer.cause),
              onSome: ({ message }) => message
            })
          )
          yield* letGo
          yield* Effect.sleep(againMillis)
        }
      })
      yield* repeatInBackground(
        "sharing request rates",
        Queue.take(work).pipe(
          Effect.zipRight(report),
          Effect.zipRight(
            Effect.suspend(() =>
              waiting > 0 ? Effect.void : Effect.raceFirst(Effect.sleep(pauseMillis), Queue.take(hurry))
            )
          )
        )
      )
      yield* everySoOften({ name: "forgetting full rates", every: "1 minute" }, buckets.forgetFull)

      /** Called in the turn in which something was left to report: else its report could have ended before. */
      const nextReport = (): Effect.Effect<void> => {
        waiting += 1
        hurry.unsafeOffer()
        return Effect.ensuring(
          Deferred.await(ended),
          Effect.sync(() => void (waiting -= 1))
        )
      }

      /** `onTaken` is called in the turn in which the request is taken, so that no interruption comes in between. */
      const takeOne = (tenant: string, onTaken: () => void): Effect.Effect<RateDecision> =>
        Effect.suspend(() => {
          const decision = views.decide(tenant, clock.unsafeCurrentTimeMillis(), alone)
          if (decision !== null) {
            if (decision.allowed) {
              onTaken()
              work.unsafeOffer()
            }
            return Effect.succeed(decision)
          }
          return Effect.zipRight(
            nextReport(),
            Effect.suspend(() => takeOne(tenant, onTaken))
          )
        })

      const takeTogether = (tenant: string, count: number): Effect.Effect<RateDecision> =>
        Effect.suspend(() => {
          let taken = 0
          const giveBack = () => {
            views.giveBack(tenant, clock.unsafeCurrentTimeMillis(), taken)
            taken = 0
            work.unsafeOffer()
          }
          const all = Effect.gen(function* () {
            for (;;) {
              let decision = views.judge(tenant, clock.unsafeCurrentTimeMillis(), count)
              if (!decision.allowed) return decision
              while (taken < count && decision.allowed) decision = yield* takeOne(tenant, () => void (taken += 1))
              if (decision.allowed) return decision
              giveBack()
              // After it this node knows what the others have allowed.
              yield* nextReport()
            }
          })
          return Effect.onInterrupt(all, () => Effect.sync(giveBack))
        })

      return RateLimiter.of({
        take: (tenant, count = 1) => (count === 1 ? takeOne(tenant, () => undefined) : takeTogether(tenant, count)),
        takePublic: (address) => Effect.sync(() => ofPublic(address, clock.unsafeCurrentTimeMillis()))
      })
    })
  )
