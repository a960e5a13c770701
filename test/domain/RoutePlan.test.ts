import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { Micros } from "../../src/domain/Micros.js"
import { attemptsMax, holdOf } from "../../src/domain/RoutePlan.js"
import { candidate, plan, planOf } from "./arbitraries.js"

/** Every way to choose `count` of `amounts`, as sums. */
const sumsOf = (amounts: ReadonlyArray<number>, count: number): ReadonlyArray<number> => {
  if (count === 0) return [0]
  return amounts.flatMap((amount, at) => sumsOf(amounts.slice(at + 1), count - 1).map((rest) => amount + rest))
}

describe("RoutePlan", () => {
  it.prop(
    "the hold is the dearest possible set of attempts, cut to the client's cap",
    [plan],
    ([route]) => {
      const dearest = Math.max(
        0,
        ...sumsOf(
          route.candidates.map(({ maxMicros }) => maxMicros),
          attemptsMax(route)
        )
      )
      assert.strictEqual(
        Number(holdOf(route)),
        Math.min(dearest, route.fallback?.maxCostMicros ?? Number.MAX_SAFE_INTEGER)
      )
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it.prop("there are at most as many attempts as candidates, and one where fallback is off", [plan], ([route]) => {
    const most = attemptsMax(route)
    assert.isAtMost(most, route.candidates.length)
    if (route.candidates.length > 0) assert.isAtLeast(most, 1)
    if (route.fallback?.enabled !== true) assert.isAtMost(most, 1)
    else assert.strictEqual(most, Math.min(route.fallback.maxAttempts, route.candidates.length))
  })

  it.prop("the order of the candidates does not change the hold of a whole set", [plan], ([route]) => {
    const turned = { ...route, candidates: [...route.candidates].reverse() }
    assert.strictEqual(holdOf(turned), holdOf(route))
  })

  it("prices beyond exact integers give the largest hold, which no balance covers", () => {
    const [template] = FastCheck.sample(candidate(0), { numRuns: 1, seed: 1 })
    const huge = { ...template!, maxMicros: Micros.make(Number.MAX_SAFE_INTEGER) }
    const route = planOf([huge, huge], { enabled: true, maxAttempts: 2, maxCostMicros: null, stopAtFirstMiss: false })
    assert.strictEqual(Number(holdOf(route)), Number.MAX_SAFE_INTEGER)
  })
})
