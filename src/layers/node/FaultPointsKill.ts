/**
 * Fault points that kill this process with SIGKILL, for tests of what survives. `GATEWAY_FAULT_POINT` names one point
 * and says when the process dies there: `name` the first time, `name:5` the fifth time, `name:p0.01:7` each time with
 * that probability, drawn from seed 7. Without the variable every point is off.
 */
import { Effect, Either, Layer, Option, Random } from "effect"
import { type FaultPoint, faultPoints, FaultPoints } from "../../services/FaultPoints.js"
import { FaultPointsOff } from "./FaultPointsOff.js"

export interface Kill {
  readonly point: FaultPoint
  readonly when:
    | { readonly _tag: "Passage"; readonly n: number }
    | { readonly _tag: "Chance"; readonly probability: number; readonly seed: number }
}

const isPoint = (name: string | undefined): name is FaultPoint => faultPoints.some((point) => point === name)

/** The kill that a text names, or what is wrong with it. */
export const parseKill = (text: string): Either.Either<Kill, string> => {
  const [point, when = "1", seed = "0", ...more] = text.split(":")
  if (!isPoint(point)) return Either.left(`must begin with one of ${faultPoints.join(", ")}`)
  const chance = when.startsWith("p")
  const value = Number(when.slice(chance ? 1 : 0))
  const sound = chance
    ? value > 0 && value <= 1 && Number.isInteger(Number(seed))
    : Number.isInteger(value) && value >= 1 && seed === "0"
  if (!sound || more.length > 0)
    return Either.left("must go on with nothing, with `:n` for the n-th passage, or with `:p0.01:seed`")
  return Either.right({
    point,
    when: chance ? { _tag: "Chance", probability: value, seed: Number(seed) } : { _tag: "Passage", n: value }
  })
}

/**
 * Long enough for Postgres to carry out what was sent before, and short enough that a provider has not answered yet.
 */
const underWay = "15 millis"

const die = Effect.zipRight(
  Effect.sync(() => process.kill(process.pid, "SIGKILL")),
  Effect.never
)
/** Uninterruptible: the process dies also when the work is cancelled meanwhile. */
const soon = Effect.uninterruptible(Effect.zipRight(Effect.sleep(underWay), die))

const killAt = ({ point, when }: Kill): Layer.Layer<FaultPoints> =>
  Layer.sync(FaultPoints, () => {
    const random = Random.make(when._tag === "Chance" ? when.seed : 0)
    let passages = 0
    const isLast =
      when._tag === "Passage"
        ? Effect.sync(() => ++passages === when.n)
        : Effect.map(random.next, (drawn) => drawn < when.probability)
    const hit = (here: FaultPoint) => (here === point ? isLast : Effect.succeed(false))
    return FaultPoints.of({
      // Statements that nobody waits for leave at the end of the turn. Without the pause the storage would never get
      // them.
      at: (here) => Effect.flatMap(hit(here), (last) => (last ? soon : Effect.void)),
      during: (here, work) =>
        Effect.flatMap(hit(here), (last) =>
          last ? Effect.uninterruptible(Effect.zipRight(Effect.fork(work), soon)) : work
        )
    })
  })

/** Dies at the given point; without one, every point is off. */
export const FaultPointsKill = (kill: Option.Option<Kill>): Layer.Layer<FaultPoints> =>
  Option.match(kill, { onNone: () => FaultPointsOff, onSome: killAt })
