/**
 * Compares answers with the schema that their operation documents, and counts those that break it. Nothing waits for
 * it: an answer is looked at a moment after its call, in a turn of the event loop of its own. Not every answer is
 * looked at: none that is large, and no more than the checks' share of the node's time allows. Schemas that were drawn
 * from samples promise nothing, so answers are not held against them.
 */
import { Clock, Effect, Metric, MetricKey, type Scope, Queue } from "effect"
import { nothing } from "../../providers/AnswerReading.js"
import { answerCheckOf, joinedCheckOf } from "../../providers/AnswerSchema.js"
import type { Json } from "../../../domain/Json.js"
import { answerChecksShare, answerSchemaBytesMax, answersWaitingMax } from "../../../domain/limits/Calls.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import type { CallFailure, ProviderAnswer } from "../../../domain/ProviderCall.js"
import type { Break } from "../../../domain/ProviderFigures.js"
import type { EndpointStats } from "../../../services/EndpointStats.js"
import { repeatInBackground } from "../../node/Background.js"
import { nextEventLoopTurn } from "../../../services/Slices.js"

/**
 * Looks at an answer later, and counts one that was refused because it breaks its schema. It costs nothing where no
 * schema is documented.
 */
export type LookAt = (endpoint: Endpoint, ended: ProviderAnswer | CallFailure) => void

type Waiting = { readonly endpoint: Endpoint } & (
  { readonly value: Json; readonly isJoined: boolean } | { readonly found: Break }
)

/** What was refused because it breaks its schema needs no second look. */
const refusedFor = (ended: ProviderAnswer | CallFailure): Break | undefined => {
  if (!("failure" in ended)) return ended.pages?.undocumented
  return ended._tag === "ProviderFailure" ? ended.undocumented : undefined
}

const checks = MetricKey.counter("gateway_answer_schema_checks_total", {
  description: "Answers compared with the documented schema of their operation: kept, broken, or left out",
  incremental: true
})
/** The operations that have a label of their own on this node; the others share one. */
const labelsMax = 200
const labelled = new Map<string, ReturnType<typeof countersOf>>()
/** All results of an operation are there from its first answer on, at 0. */
const counterOf = (endpoint: string, result: string) => {
  const made = Metric.fromMetricKey(
    checks.pipe(MetricKey.tagged("endpoint", endpoint), MetricKey.tagged("result", result))
  )
  made.unsafeUpdate(0, [])
  return made
}
const countersOf = (endpoint: string) => ({
  kept: counterOf(endpoint, "kept"),
  broken: counterOf(endpoint, "broken"),
  left_out: counterOf(endpoint, "left_out")
})
const countersFor = (endpointId: string) => {
  const name = labelled.has(endpointId) || labelled.size < labelsMax ? endpointId : "Other"
  const known = labelled.get(name) ?? countersOf(name)
  labelled.set(name, known)
  return known
}
const count = (endpoint: Endpoint, result: keyof ReturnType<typeof countersOf>): void =>
  void countersFor(endpoint.operation.id)[result].unsafeUpdate(1, [])

/** By then the run is settled and answered, as a rule. By the real clock: nobody waits for it. */
const pause = Effect.withClock(Effect.sleep("100 millis"), Clock.make())

/** Milliseconds of work that may be saved up for a burst. */
const savedMillisMax = 200
/** The work of one check is bounded to less. When it took longer, the machine was busy with something else. */
const checkMillisMax = 50

export const makeAnswerChecks = (stats: EndpointStats["Type"]): Effect.Effect<LookAt, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Queue.dropping<Waiting>(answersWaitingMax)
    let saved = savedMillisMax
    let savedAt = performance.now()

    const compare = Effect.fnUntraced(function* (waited: Waiting) {
      const { endpoint } = waited
      if ("found" in waited) return yield* stats.recordCompared(endpoint.contractVersion, waited.found)
      yield* nextEventLoopTurn
      const began = performance.now()
      saved = Math.min(savedMillisMax, saved + (began - savedAt) * answerChecksShare)
      savedAt = began
      const check = saved <= 0 ? null : waited.isJoined ? joinedCheckOf(endpoint) : answerCheckOf(endpoint)
      const found = check === null ? "left_out" : check(waited.value)
      saved -= Math.min(checkMillisMax, performance.now() - began)
      if (found === "left_out") return count(endpoint, "left_out")
      count(endpoint, found === null ? "kept" : "broken")
      yield* stats.recordCompared(endpoint.contractVersion, found)
    })

    yield* repeatInBackground(
      "comparing answers with their documented schemas",
      Effect.flatMap(Queue.take(waiting), (first) =>
        Effect.zipRight(
          pause,
          Effect.flatMap(Queue.takeAll(waiting), (more) => Effect.forEach([first, ...more], compare, { discard: true }))
        )
      )
    )

    return (endpoint, ended) => {
      const found = refusedFor(ended)
      if (found !== undefined) {
        count(endpoint, "broken")
        waiting.unsafeOffer({ endpoint, found })
        return
      }
      if ("failure" in ended) return
      const { body, evidence, outcome } = ended
      // A schema may stand as text until it is read, so that it is only asked whether there is one.
      if (!("outputSchema" in endpoint.operation) || body._tag === "Media" || outcome === "miss") return
      // An effectful operation that was done and had no more to say: there is nothing to compare.
      if (body === nothing.body) return
      if (
        body._tag === "Text" ||
        evidence.responseBytes > answerSchemaBytesMax ||
        !waiting.unsafeOffer({ endpoint, value: body.value, isJoined: ended.pages !== undefined })
      )
        count(endpoint, "left_out")
    }
  })
