/**
 * The seeds of the simulations. The suite takes the same ones every time, so that a red test means a change; other ones
 * and more of them come from the environment:
 * SIMULATION_SEED=7 (or `new`) SIMULATION_RUNS=500 npx vitest run test/simulation A failure prints its seed and path:
 * SIMULATION_SEED and SIMULATION_PATH replay just that case.
 */
import { Effect, FastCheck, Runtime } from "effect"

const number = (name: string): number | undefined => {
  const text = process.env[name]
  return text === undefined ? undefined : Number(text)
}
const seed =
  process.env["SIMULATION_SEED"] === "new" ? Math.floor(Math.random() * 2 ** 31) : (number("SIMULATION_SEED") ?? 46_151)
const path = process.env["SIMULATION_PATH"]

/** Tries `work` on `runs` cases drawn from the seed, one after the other, and shrinks the first that fails. */
export const forAll = <A, R>(
  cases: FastCheck.Arbitrary<A>,
  runs: number,
  work: (drawn: A) => Effect.Effect<void, unknown, R>
): Effect.Effect<void, never, R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(cases, (drawn) => Runtime.runPromise(runtime)(work(drawn))),
        {
          seed,
          numRuns: number("SIMULATION_RUNS") ?? runs,
          // One that hangs or takes minutes to shrink says less than the first failure does.
          interruptAfterTimeLimit: number("SIMULATION_MILLIS") ?? 280_000,
          markInterruptAsFailure: true,
          ...(path === undefined ? {} : { path, endOnFailure: true })
        }
      )
    )
  )
