import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { buildPostings, type Postings } from "../../../../src/layers/catalog/search/Postings.js"
import { RowScores, Scorer } from "../../../../src/layers/catalog/search/Scoring.js"
import { TopKSelector } from "../../../../src/layers/catalog/search/TopKSelection.js"

const rowCount = 60

/** Scores of quarters, so that equal ones are common. */
const anyScores = fc.array(
  fc.integer({ min: 0, max: 40 }).map((n) => n / 4),
  { minLength: rowCount, maxLength: rowCount }
)
const anyGroups = fc.array(
  fc.integer({ min: 0, max: 8 }).map((n) => n / 2),
  { minLength: 5, maxLength: 5 }
)

const matchesOf = (scores: ReadonlyArray<number>, order: ReadonlyArray<number>): RowScores => {
  const matches = new RowScores(rowCount)
  for (const row of order) if (scores[row]! > 0) matches.add(row, scores[row]!)
  return matches
}

describe("The best rows", () => {
  const topRows = new TopKSelector()

  it("are those that sorting all of them gives, equal ones by row, for any scores, groups, filter and order of matching", () => {
    const order = fc.shuffledSubarray(
      Array.from({ length: rowCount }, (_, row) => row),
      { minLength: rowCount }
    )
    fc.assert(
      fc.property(
        anyScores,
        anyGroups,
        order,
        fc.integer({ min: 0, max: 70 }),
        fc.option(fc.integer({ min: 1, max: 4 })),
        (scores, groups, rows, count, every) => {
          const of = Uint32Array.from({ length: rowCount }, (_, row) => row % groups.length)
          const passes = every === null ? undefined : (row: number): boolean => row % every === 0
          const all = rows
            .filter((row) => scores[row]! > 0 && passes?.(row) !== false)
            .map((row) => ({ row, score: scores[row]! + 0.5 * groups[of[row]!]! }))
            .sort((a, b) => b.score - a.score || a.row - b.row)
          const picked = topRows.pick(
            matchesOf(scores, rows),
            { of, scores: Float32Array.from(groups), factor: 0.5 },
            count,
            passes
          )
          assert.deepStrictEqual(picked, {
            rows: all.slice(0, count).map(({ row }) => row),
            scores: all.slice(0, count).map(({ score }) => score),
            total: all.length
          })
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("tells scores apart that differ in their last bit", () => {
    const next = new Float32Array(1)
    const bits = new Uint32Array(next.buffer)
    next[0] = 3.7
    bits[0] = bits[0]! + 1
    const scores = Array.from({ length: rowCount }, (_, row) => (row === 41 ? next[0]! : Math.fround(3.7)))
    const groups = { of: new Uint32Array(rowCount), scores: new Float32Array(1), factor: 1 }
    assert.deepStrictEqual(
      topRows.pick(
        matchesOf(
          scores,
          scores.map((_, row) => row)
        ),
        groups,
        3,
        undefined
      ).rows,
      [41, 0, 1]
    )
  })
})

describe("The score of a row", () => {
  const termCount = 6
  const levels = 255
  const anyRows = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: termCount, maxLength: termCount }), {
    minLength: 1,
    maxLength: 12
  })
  const postingsOf = (frequencies: ReadonlyArray<ReadonlyArray<number>>): Postings => {
    const read = (row: number) => {
      const terms = frequencies[row]!.flatMap((frequency, term) => (frequency > 0 ? [term] : []))
      return { terms, frequencies: terms.map((term) => frequencies[row]![term]!), count: terms.length }
    }
    const steps = buildPostings(frequencies.length, termCount, read, 1.2, 1_000)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }
  const anyWord = fc
    .array(
      fc.record({
        term: fc.integer({ min: 0, max: termCount - 1 }),
        weight: fc.integer({ min: 1, max: 20 }).map((n) => n / 4)
      }),
      { minLength: 1, maxLength: 3 }
    )
    .map((alternatives) => ({ said: 1, own: true, alternatives }))
  const anyClauses = fc.array(
    fc.array(anyWord, { minLength: 1, maxLength: 4 }).map((words) => ({ words })),
    { maxLength: 3 }
  )

  it("is the sum over the words of the best alternative each, and nearness to the best of a clause", () => {
    fc.assert(
      fc.property(anyRows, anyClauses, (frequencies, clauses) => {
        const impact = (row: number, term: number): number => {
          const frequency = frequencies[row]![term]!
          return frequency === 0 ? 0 : Math.max(1, Math.round((levels * frequency) / (frequency + 1.2))) / levels
        }
        const byClause = clauses.map(({ words }) =>
          frequencies.map((_, row) =>
            words.reduce(
              (sum, { alternatives }) =>
                sum + Math.max(...alternatives.map(({ term, weight }) => weight * impact(row, term))),
              0
            )
          )
        )
        const sums = frequencies.map((_, row) => byClause.reduce((sum, scores) => sum + scores[row]!, 0))
        const most = Math.max(...sums)
        const nearest = frequencies.map((_, row) =>
          Math.max(0, ...byClause.map((scores) => (scores[row]! > 0 ? scores[row]! / Math.max(...scores) : 0)))
        )
        const scorer = new Scorer(postingsOf(frequencies))
        // Once for the arrays that a query leaves behind: the second must not see the first.
        scorer.score(
          [
            {
              words: [
                {
                  said: 1,
                  own: true,
                  alternatives: [
                    { term: 0, weight: 9 },
                    { term: 1, weight: 3 }
                  ]
                }
              ]
            }
          ],
          0.4
        )
        scorer.score(clauses, 0.4)
        const { count, rows, values } = scorer.total
        assert.deepStrictEqual(
          Array.from(rows.subarray(0, count)).sort((a, b) => a - b),
          sums.flatMap((sum, row) => (sum > 0 ? [row] : []))
        )
        for (const [row, sum] of sums.entries()) {
          assert.closeTo(values[row]!, clauses.length > 1 ? sum + 0.4 * most * nearest[row]! : sum, 1e-4)
        }
      }),
      { numRuns: 1000 }
    )
  })
})
