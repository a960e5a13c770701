import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { workersLostMax } from "../../src/domain/limits/Runs.js"
import { isBetter, nextStep, nodeLeft, nodeLost, passedOver } from "../../src/domain/Fallback.js"
import { Micros } from "../../src/domain/Micros.js"
import { EndpointId, ProviderId } from "../../src/domain/Manifest.js"
import { attemptsMax, type Candidate, holdOf, type RoutePlan, withCapped } from "../../src/domain/RoutePlan.js"
import type { RunOutcome } from "../../src/domain/Run.js"
import { plan, planOf } from "./arbitraries.js"

type Made = Parameters<typeof nextStep>[2][number]
type Answer = Omit<Made, "endpointId">

const answer = (outcome: RunOutcome, cost = 0): Answer => ({
  outcome,
  costMicros: Micros.make(cost),
  errorCode: outcome === "error" ? "provider_error" : null
})
const lost: Answer = { outcome: "error", costMicros: null, errorCode: nodeLost }

const tool = (index: number, changes: Partial<Candidate> = {}): Candidate => ({
  endpointId: EndpointId.make(`tool-${index}`),
  providerId: ProviderId.make(`provider-${index}`),
  contractVersion: "v1",
  effectful: false,
  repeatable: true,
  input: {},
  maxMicros: Micros.make(100),
  ...changes
})
const on = { enabled: true, maxAttempts: 3, maxCostMicros: null, stopAtFirstMiss: false }

/** Follows the plan to its end, each call answered by `respond`. */
const follow = (
  route: RoutePlan,
  hold: number,
  respond: (candidate: Candidate, n: number) => Answer
): ReadonlyArray<Made> => {
  const made: Array<Made> = []
  for (;;) {
    const step = nextStep(route, hold, made)
    if (step._tag === "Conclude") return made
    assert.strictEqual(step.n, made.length + 1)
    assert.isAtMost(step.n, 13, "a run must come to an end")
    made.push({ endpointId: step.candidate.endpointId, ...respond(step.candidate, step.n) })
  }
}
const idsOf = (made: ReadonlyArray<Made>) => made.map(({ endpointId }) => endpointId)
const after = (route: RoutePlan, ...answers: ReadonlyArray<Answer>) =>
  idsOf(follow(route, 10_000, (_, n) => answers[n - 1] ?? answer("hit")))

const script = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 4,
      arbitrary: FastCheck.record({
        outcome: FastCheck.constantFrom("miss" as const, "weak" as const, "error" as const, "hit" as const),
        share: FastCheck.nat(100)
      })
    },
    { weight: 1, arbitrary: FastCheck.constant("lost" as const) }
  ),
  { minLength: 13, maxLength: 13 }
)

describe("Fallback", () => {
  it.prop(
    "whatever comes back, a run ends, repeats nothing but a lost call, and never costs more than its hold",
    [plan, script],
    ([route, answers]) => {
      const hold = holdOf(route)
      const made = follow(route, hold, (candidate, n) => {
        const each = answers[n - 1]!
        return each === "lost" ? lost : answer(each.outcome, Math.floor((candidate.maxMicros * each.share) / 100))
      })
      const byEndpoint = new Map(route.candidates.map((candidate) => [String(candidate.endpointId), candidate]))
      assert.isAtMost(
        made.filter(({ errorCode }) => errorCode === nodeLost).length,
        workersLostMax - 1 + attemptsMax(route)
      )
      assert.isAtMost(new Set(idsOf(made)).size, attemptsMax(route))
      made.forEach((each, at) => {
        const before = made.slice(0, at)
        const repeated = before.findLast(({ endpointId }) => endpointId === each.endpointId)
        if (repeated !== undefined) assert.strictEqual(repeated, before.at(-1))
        if (repeated !== undefined) assert.strictEqual(repeated.errorCode, nodeLost)
        assert.isFalse(
          repeated !== undefined && byEndpoint.get(each.endpointId)?.effectful === true,
          "an effectful call is made once"
        )
        assert.isFalse(
          at > 0 && repeated === undefined && byEndpoint.get(each.endpointId)?.effectful === true,
          "fallback goes to read-only operations only"
        )
        assert.isTrue(at === 0 || before.every(({ outcome }) => outcome !== "hit"), "nothing follows a hit")
      })
      // The first call may by itself be dearer than a cap of the client: the settlement clamps its charge to the hold.
      const charged = made.reduce((total, { costMicros }) => total + (costMicros ?? 0), 0)
      assert.isAtMost(charged, Math.max(hold, route.candidates[0]?.maxMicros ?? 0))
    },
    { fastCheck: { numRuns: 2_000 } }
  )

  it.prop(
    "no attempt that is opened can cost more than is left of the hold, so no later one needs the balance again",
    [plan, script],
    ([any, answers]) => {
      // Planning makes no candidate of an operation above the client's cap.
      const cap = any.fallback?.maxCostMicros ?? Number.MAX_SAFE_INTEGER
      const route = { ...any, candidates: any.candidates.filter(({ maxMicros }) => maxMicros <= cap) }
      const hold = holdOf(route)
      let spent = 0
      follow(route, hold, (candidate, n) => {
        assert.isAtMost(spent + candidate.maxMicros, hold)
        const each = answers[n - 1]!
        const made = each === "lost" ? lost : answer(each.outcome, Math.floor((candidate.maxMicros * each.share) / 100))
        spent += made.costMicros ?? 0
        return made
      })
    },
    { fastCheck: { numRuns: 2_000 } }
  )

  it("without fallback there is one try, whatever it finds", () => {
    for (const asked of [null, { ...on, enabled: false }]) {
      for (const outcome of ["hit", "weak", "miss", "error"] as const)
        assert.deepStrictEqual(after(planOf([tool(0), tool(1)], asked), answer(outcome)), ["tool-0"])
    }
  })

  it("moves on after a miss, a weak answer and an error, and stops at a hit", () => {
    const route = planOf([tool(0), tool(1), tool(2), tool(3)], { ...on, maxAttempts: 10 })
    assert.deepStrictEqual(after(route, answer("miss"), answer("weak"), answer("error")), [
      "tool-0",
      "tool-1",
      "tool-2",
      "tool-3"
    ])
    assert.deepStrictEqual(after(route, answer("miss"), answer("hit")), ["tool-0", "tool-1"])
  })

  it("stops at the first miss when asked to, and not at an error or a weak answer", () => {
    const route = planOf([tool(0), tool(1), tool(2)], { ...on, stopAtFirstMiss: true })
    assert.deepStrictEqual(after(route, answer("miss")), ["tool-0"])
    assert.deepStrictEqual(after(route, answer("error"), answer("weak"), answer("miss")), [
      "tool-0",
      "tool-1",
      "tool-2"
    ])
  })

  it("tries at most so many as asked", () => {
    assert.deepStrictEqual(
      after(planOf([tool(0), tool(1), tool(2)], { ...on, maxAttempts: 2 }), answer("miss"), answer("miss")),
      ["tool-0", "tool-1"]
    )
  })

  it("an effectful operation is attempted once, and nothing follows it", () => {
    const sends = tool(0, { effectful: true, repeatable: false })
    assert.deepStrictEqual(after(planOf([sends, tool(1)], on), answer("error")), ["tool-0"])
    assert.deepStrictEqual(after(planOf([sends, tool(1)], on), lost), ["tool-0"])
  })

  it("passes over what would cost more than is left of the hold", () => {
    const route = planOf([tool(0), tool(1, { maxMicros: Micros.make(500) }), tool(2)], {
      ...on,
      maxCostMicros: Micros.make(200)
    })
    assert.deepStrictEqual(idsOf(follow(route, holdOf(route), () => answer("miss", 100))), ["tool-0", "tool-2"])
    assert.deepStrictEqual(idsOf(follow(route, holdOf(route), () => answer("miss", 101))), ["tool-0"])
  })

  it("what was passed over is told with what was left of the hold when its turn came", () => {
    const route = planOf([tool(0), tool(1, { maxMicros: Micros.make(500) }), tool(2), tool(3)], {
      ...on,
      maxAttempts: 4,
      maxCostMicros: Micros.make(250)
    })
    const told = (...answers: ReadonlyArray<Answer>) => {
      const made = follow(route, holdOf(route), (_, n) => answers[n - 1] ?? answer("hit"))
      return passedOver(route, holdOf(route), made).map(({ candidate, leftMicros }) => [
        candidate.endpointId,
        leftMicros
      ])
    }
    assert.deepStrictEqual(told(answer("hit")), [], "its turn did not come")
    assert.deepStrictEqual(told(answer("miss", 100), answer("hit", 100)), [["tool-1", 150]])
    assert.deepStrictEqual(told(answer("miss", 100), answer("miss", 100)), [
      ["tool-1", 150],
      ["tool-3", 50]
    ])
    const stops = { ...route, fallback: { ...on, stopAtFirstMiss: true } }
    assert.deepStrictEqual(
      passedOver(
        stops,
        100,
        follow(stops, 100, () => answer("miss", 100))
      ),
      []
    )
  })

  it.prop("nothing is passed over where no cap cut the hold", [plan, script], ([any, answers]) => {
    const route = withCapped({ ...any, skipped: [] })
    const made = follow(route, holdOf(route), (candidate, n) => {
      const each = answers[n - 1]!
      return each === "lost" ? lost : answer(each.outcome, Math.floor((candidate.maxMicros * each.share) / 100))
    })
    const over = passedOver(route, holdOf(route), made)
    if (!route.capped) assert.deepStrictEqual(over, [])
    for (const { candidate, leftMicros } of over) assert.isAbove(candidate.maxMicros, leftMicros)
  })

  it("a call whose node died is repeated where the operation allows it, once in a run", () => {
    const route = planOf([tool(0), tool(1)], null)
    assert.deepStrictEqual(after(route, lost, answer("hit")), ["tool-0", "tool-0"])
    assert.deepStrictEqual(after(route, lost, lost, answer("hit")), ["tool-0", "tool-0"])
    assert.deepStrictEqual(after(planOf([tool(0, { repeatable: false })], null), lost), ["tool-0"])
    assert.deepStrictEqual(after(planOf([tool(0), tool(1)], on), lost, lost), ["tool-0", "tool-0", "tool-1"])
  })

  it("a plan without candidates concludes at once", () => {
    assert.deepStrictEqual(nextStep(planOf([], on), 0, []), { _tag: "Conclude" })
  })

  it("a better answer replaces the best one, an equal one does not", () => {
    const order: ReadonlyArray<RunOutcome> = ["error", "miss", "weak", "hit"]
    for (const [at, outcome] of order.entries()) {
      assert.isTrue(isBetter(outcome, null))
      for (const [than, other] of order.entries()) assert.strictEqual(isBetter(outcome, other), at > than)
    }
  })

  it("a call that a node left when it stopped is made again each time, and takes no turn of a lost one", () => {
    const left: Answer = { ...lost, errorCode: nodeLeft }
    const route = planOf([tool(0), tool(1)], null)
    assert.deepStrictEqual(
      after(route, left, left, left, lost),
      Array.from({ length: 5 }, () => "tool-0")
    )
    assert.deepStrictEqual(after(planOf([tool(0, { repeatable: false })], null), left), ["tool-0"])
  })
})
