/** The order of hits with what was used before: never by more than a tenth of the best score. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { searchUseShareMax } from "../../../src/domain/limits/Lists.js"
import { shareOfUses } from "../../../src/domain/SearchUse.js"
import { SearchHits } from "../../../src/layers/catalog/search/SearchHits.js"

describe("hits raised by use", () => {
  it.prop(
    "stand in the order of score + best × share, ties as before, and what is beyond the first ones stays",
    [
      fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 50 })), {
        minLength: 1,
        maxLength: 30
      }),
      fc.nat(35)
    ],
    ([rows, count]) => {
      const sorted = rows.toSorted(([a], [b]) => b - a)
      const scores = sorted.map(([score]) => score)
      const hits = new SearchHits(
        sorted.map((_, doc) => doc),
        scores,
        () => "text"
      )
      const best = scores[0] ?? 0
      const shareOf = (doc: number) => shareOfUses(sorted[doc]?.[1] ?? 0)
      const raised = hits.raised(count, shareOf)
      const expected = sorted
        .map(([score], doc) => ({ doc, score: doc < count ? score + best * shareOf(doc) : score }))
        .map((hit, at) => ({ ...hit, at }))
      const order = [
        ...expected.slice(0, count).toSorted((a, b) => b.score - a.score || a.at - b.at),
        ...expected.slice(count)
      ]
      assert.deepStrictEqual(
        raised.slice(0).map(({ doc, score }) => ({ doc, score })),
        order.map(({ doc, score }) => ({ doc, score }))
      )
      for (const [place, doc] of raised.docs.entries())
        for (const behind of raised.docs.slice(place + 1))
          // A row that fits better by more than a tenth of the best score is never overtaken.
          if (place < count && behind < count)
            assert.isAtMost((scores[behind] ?? 0) - (scores[doc] ?? 0), best * searchUseShareMax)
    }
  )
})
