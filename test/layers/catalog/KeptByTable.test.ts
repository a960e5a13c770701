import { assert, it } from "@effect/vitest"
import type { AccessTable } from "../../../src/layers/catalog/AccessTable.js"
import { makeKeptByTable } from "../../../src/layers/catalog/KeptByTable.js"

it("what is kept has one bound over all tables: beyond it everything is forgotten, and kept anew", () => {
  const kept = makeKeptByTable(10, () => new Map<string, number>())
  const [one, two] = [{} as AccessTable, {} as AccessTable]
  kept.of(one).set("a", 1)
  kept.grew(6)
  kept.of(two).set("a", 2)
  kept.grew(4)
  assert.deepStrictEqual([kept.of(one).get("a"), kept.of(two).get("a")], [1, 2])
  kept.grew(1)
  assert.deepStrictEqual([kept.of(one).size, kept.of(two).size], [0, 0])
  kept.of(one).set("b", 3)
  kept.grew(10)
  assert.strictEqual(kept.of(one).get("b"), 3)
})
