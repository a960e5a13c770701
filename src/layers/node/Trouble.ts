/**
 * Says in the log that something which this node depends on has stopped working, and says so again when it works: one
 * warning each, however often it fails in between. The first failure is told at once. It counts as over when it has
 * worked and nothing has failed since then for `troubleQuietMillis`, so that what fails now and then makes few lines.
 * Only tells: repeating what failed is the work of those who report here.
 */
import { Effect, Metric, MetricKey, Queue, type Scope } from "effect"
import { troubleQuietMillis } from "../../domain/limits/Nodes.js"

/** What can fail: what that means for the gateway or for a command, and what is said when it is over. */
const troubles = {
  storage: {
    begins:
      "The storage fails: requests that need it are answered 503, and runs under way wait for it. Nothing that was promised is lost",
    ends: "The storage answers again"
  },
  runs: {
    begins:
      "The storage cannot take what became of a run: it is tried again until it can, and the money of the run stays held meanwhile",
    ends: "The storage has taken what became of the runs that waited"
  },
  leases: {
    begins:
      "This node cannot renew the leases of its runs: a run whose lease ends is taken over by another node that reaches the storage",
    ends: "This node renews the leases of its runs again"
  },
  listener: {
    begins:
      "The connection that hears what other nodes announce is lost: until the connection is back, this node reads their news from the storage, and so later",
    ends: "The connection that hears what other nodes announce is back"
  },
  rates: {
    begins:
      "The storage does not say in time what workspaces have sent to other nodes: until it does, this node counts their request rates by itself",
    ends: "Request rates are counted over all nodes again"
  },
  telemetry: {
    begins:
      "The collector of telemetry does not take what this node tells it: the gateway works as before, and what cannot wait is dropped and counted",
    ends: "The collector of telemetry takes what this node tells it again"
  },
  command: {
    begins: "The database fails what this command asks of it",
    ends: "The database does what this command asks of it again"
  },
  archive: {
    begins:
      "A month that is old enough cannot leave the database: its runs stay where they are, and the next pass tries again",
    ends: "Months leave the database again"
  },
  background: {
    begins:
      "Work in the background failed: it is done again at its next turn, and what was read last stands until then",
    ends: "Work in the background succeeds again"
  }
} as const

export type TroubleKind = keyof typeof troubles

/** For alerts: what the log says, as a number. `about` tells apart what can fail by itself. */
const gauge = MetricKey.gauge("gateway_trouble", {
  description: "1 while something that this node depends on fails, as the log says it; else 0"
})
const gaugeOf = (kind: TroubleKind, about: Readonly<Record<string, string>>): ((value: 0 | 1) => void) => {
  const metric = Metric.fromMetricKey(
    gauge.pipe(MetricKey.tagged("kind", kind), MetricKey.tagged("about", Object.values(about).join(" ")))
  )
  metric.unsafeUpdate(0, [])
  return (value) => metric.unsafeUpdate(value, [])
}

/** Both can be called from callbacks of drivers, and cost nothing to speak of. */
export interface Trouble {
  /** It failed just now; `why` goes into the log. */
  readonly failed: (why: string) => void
  /** It worked just now. */
  readonly worked: () => void
}

/** From the first failure on. */
interface Ongoing {
  readonly why: string
  readonly since: number
  failures: number
  failedAt: number
  /** When it first worked after the last failure; null while it has not. */
  workedAt: number | null
}

const lookMillis = 500

/** The trouble of one thing that can fail by itself; `about` says which one, where there are several. */
export const makeTrouble = (
  kind: TroubleKind,
  about: Readonly<Record<string, string>> = {}
): Effect.Effect<Trouble, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    // Not the time of day: while a clock that was set back lags, nothing would ever be over.
    const nowMillis = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    const begun = yield* Queue.unbounded<Ongoing>()
    const show = gaugeOf(kind, about)
    let ongoing: Ongoing | undefined

    const begins = ({ why }: Ongoing) =>
      Effect.annotateLogs(Effect.logWarning(troubles[kind].begins), { ...about, why })
    const ends = (trouble: Ongoing, workedAt: number) =>
      Effect.annotateLogs(Effect.logWarning(troubles[kind].ends), {
        ...about,
        failures: trouble.failures,
        seconds: Math.round(workedAt - trouble.since) / 1000
      })
    const untilOver = (trouble: Ongoing): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { failedAt, workedAt } = trouble
        if (workedAt === null || nowMillis() < failedAt + troubleQuietMillis)
          return Effect.delay(untilOver(trouble), lookMillis)
        ongoing = undefined
        show(0)
        return ends(trouble, workedAt)
      })
    // In a fiber of its own: a line must not carry the request that happened to meet the trouble first.
    yield* Queue.take(begun).pipe(
      Effect.flatMap((trouble) => Effect.zipRight(begins(trouble), untilOver(trouble))),
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped
    )

    return {
      failed: (why) => {
        const now = nowMillis()
        if (ongoing === undefined) {
          ongoing = { why, since: now, failures: 1, failedAt: now, workedAt: null }
          show(1)
          begun.unsafeOffer(ongoing)
        } else {
          ongoing.failures += 1
          ongoing.failedAt = now
          ongoing.workedAt = null
        }
      },
      worked: () => {
        if (ongoing !== undefined) ongoing.workedAt ??= nowMillis()
      }
    }
  })
