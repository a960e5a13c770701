/**
 * Fault points that kill this process the hard way, for tests of what survives. `GATEWAY_FAULT_POINT` names one point,
 * and which passage of it is the last: `name` the first, `name:5` the fifth, `name:p0.01:7` each with that probability,
 * drawn from seed 7. Without the variable every point is off.
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
 * Long enough for what was sent before to have arrived and been worked on, short enough for the answer of a provider to
 * be still out.
 */
const underWay = "15 millis"

const die = Effect.zipRight(
  Effect.sync(() => process.kill(process.pid, "SIGKILL")),
  Effect.never
)
/** Not even a cancel of the work saves the process. */
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
      // Statements that are not waited for leave with the turn: without the pause the storage would never have seen
      // them.
      at: (here) => Effect.flatMap(hit(here), (last) => (last ? soon : Effect.void)),
      during: (here, work) =>
        Effect.flatMap(hit(here), (last) =>
          last ? Effect.uninterruptible(Effect.zipRight(Effect.fork(work), soon)) : work
        )
    })
  })

/** The point to die at, or no point at all. */
export const FaultPointsKill = (kill: Option.Option<Kill>): Layer.Layer<FaultPoints> =>
  Option.match(kill, { onNone: () => FaultPointsOff, onSome: killAt })
