/**
 * The order of a job's providers: what the formula promises whatever the numbers are, and one case worked out by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { cheapness, route, type RoutingCandidate } from "../../src/domain/Routing.js"

const prefers = ["balanced", "cheapest", "reliable", "fastest"] as const
const evidence = fc
  .record({
    calls: fc.integer({ min: 1, max: 500 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    p50Ms: fc.option(fc.integer({ min: 1, max: 60_000 }))
  })
  .map(({ calls, p50Ms, share }) => ({ calls, successes: Math.floor(calls * share), p50Ms }))
const candidates = fc.uniqueArray(
  fc.record({
    endpointId: fc.string({ minLength: 1, maxLength: 6 }),
    mock: fc.boolean(),
    obstacle: fc.constantFrom(0 as const, 1 as const, 2 as const),
    expectedMicros: fc.integer({ min: 0, max: 1_000_000 }),
    evidence: fc.option(evidence)
  }),
  { selector: ({ endpointId }) => endpointId, maxLength: 8 }
)
const ids = (of: ReadonlyArray<RoutingCandidate>, prefer: (typeof prefers)[number]): ReadonlyArray<string> =>
  route(of, prefer).map(({ endpointId }) => endpointId)
const one = (endpointId: string, more: Partial<RoutingCandidate> = {}): RoutingCandidate => ({
  endpointId,
  mock: false,
  obstacle: 0,
  expectedMicros: 1000,
  evidence: null,
  ...more
})

describe("the order of a job's providers", () => {
  it("is the same whatever order the candidates come in, and loses none", () => {
    fc.assert(
      fc.property(candidates, fc.constantFrom(...prefers), (all, prefer) => {
        assert.deepStrictEqual(ids(all.toReversed(), prefer), ids(all, prefer))
        assert.sameMembers(
          [...ids(all, prefer)],
          all.map(({ endpointId }) => endpointId)
        )
      })
    )
  })

  it("puts every real provider before every mock, and what can be called before what cannot", () => {
    fc.assert(
      fc.property(candidates, fc.constantFrom(...prefers), (all, prefer) => {
        const byId = new Map(all.map((each) => [each.endpointId, each]))
        const ranks = ids(all, prefer).map((id) => Number(byId.get(id)!.mock) * 3 + byId.get(id)!.obstacle)
        assert.deepStrictEqual(
          ranks,
          ranks.toSorted((a, b) => a - b)
        )
      })
    )
  })

  it("orders by cost, by success and by time as asked, where nothing else differs", () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const plain = all.map((each) => ({ ...each, mock: false, obstacle: 0 as const }))
        const costs = route(plain, "cheapest").map(({ expectedMicros }) => expectedMicros)
        assert.deepStrictEqual(
          costs,
          costs.toSorted((a, b) => a - b)
        )
        const rates = route(plain, "reliable").map(({ success }) => -success)
        assert.deepStrictEqual(
          rates,
          rates.toSorted((a, b) => a - b)
        )
        const times = route(plain, "fastest").map(({ latencyMs }) => latencyMs)
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => a - b)
        )
      })
    )
  })

  it("takes an endpoint that never ran at the job's mean, and never believes in certainty", () => {
    fc.assert(
      fc.property(candidates, (all) => {
        for (const { success } of route(all, "reliable")) assert.isTrue(success > 0 && success < 1)
      })
    )
    const [first, second, third] = route(
      [
        one("good", { evidence: { calls: 90, successes: 90, p50Ms: 100 } }),
        one("new"),
        one("bad", { evidence: { calls: 90, successes: 9, p50Ms: 100 } })
      ],
      "reliable"
    )
    assert.deepStrictEqual([first?.endpointId, second?.endpointId, third?.endpointId], ["good", "new", "bad"])
    assert.approximately(second!.success, (99 + 8) / (180 + 10), 1e-12)
  })

  it("does not let one lucky call beat a long good record", () => {
    assert.deepStrictEqual(
      ids(
        [
          one("lucky", { evidence: { calls: 1, successes: 1, p50Ms: 100 } }),
          one("proven", { evidence: { calls: 200, successes: 190, p50Ms: 100 } })
        ],
        "reliable"
      ),
      ["proven", "lucky"]
    )
  })

  it("balances as the documented formula says", () => {
    const a = one("a", { expectedMicros: 20_000, evidence: { calls: 40, successes: 38, p50Ms: 500 } })
    const b = one("b", { expectedMicros: 5000, evidence: { calls: 10, successes: 5, p50Ms: 3000 } })
    const mean = (38 + 5 + 8) / (40 + 10 + 10)
    const latency = (40 * 500 + 10 * 3000) / 50
    const balanced = (successes: number, calls: number, p50: number, micros: number) =>
      (0.5 * (successes + 10 * mean)) / (calls + 10) +
      0.3 / (1 + micros / 10_000) +
      0.2 / (1 + (calls * p50 + 10 * latency) / (calls + 10) / 2000)
    const [first, second] = route([b, a], "balanced")
    const expected = { a: balanced(38, 40, 500, 20_000), b: balanced(5, 10, 3000, 5000) }
    assert.deepStrictEqual([first?.endpointId, second?.endpointId], expected.a > expected.b ? ["a", "b"] : ["b", "a"])
    assert.approximately(first!.balanced, Math.max(expected.a, expected.b), 1e-12)
    assert.approximately(second!.balanced, Math.min(expected.a, expected.b), 1e-12)
    assert.strictEqual(cheapness(10_000), 0.5)
  })

  it("breaks a tie by the endpoint's id", () => {
    for (const prefer of prefers) assert.deepStrictEqual(ids([one("b"), one("a"), one("c")], prefer), ["a", "b", "c"])
  })
})
