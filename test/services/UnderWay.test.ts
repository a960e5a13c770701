import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { makeUnderWay } from "../../src/services/UnderWay.js"

describe("the list of what is under way", () => {
  it.prop(
    "holds what was added and not taken off, in the order of adding, however members come and go",
    [fc.array(fc.tuple(fc.constantFrom("add", "leave", "take the first"), fc.nat(30)), { maxLength: 60 })],
    ([moves]) => {
      const list = makeUnderWay<{ readonly number: number }>()
      const all: Array<{ readonly member: { readonly number: number }; readonly leave: () => void; gone: boolean }> = []
      for (const [move, which] of moves) {
        const known = all[which]
        if (move === "take the first") {
          const first = all.find(({ gone }) => !gone)
          if (first !== undefined) first.gone = true
          assert.strictEqual(list.takeFirst(), first?.member ?? null)
        } else if (move === "add" || known === undefined) {
          const member = { number: all.length }
          all.push({ member, leave: list.add(member), gone: false })
        } else {
          known.leave()
          known.gone = true
        }
        const expected = all.flatMap(({ gone, member }) => (gone ? [] : [member]))
        assert.deepStrictEqual([...list], expected)
        assert.strictEqual(list.size(), expected.length)
      }
    }
  )

  it("holds a member twice that was added twice, and can be gone through while its members leave", () => {
    const list = makeUnderWay<{ readonly name: string }>()
    const member = { name: "a" }
    const leaves = [list.add(member), list.add(member), list.add({ name: "b" })]
    const seen = Array.from(list, ({ name }) => {
      for (const leave of leaves) leave()
      return name
    })
    assert.deepStrictEqual([seen, [...list]], [["a", "a", "b"], []])
  })

  it("lets what has left be collected with the young generation, where a set has most of it moved to the old one", () => {
    /** How many kB of 20,000 members that come and go are moved to the old generation, 64 of them at a time. */
    const moved = (kept: "list" | "set"): number => {
      const told = execFileSync(
        process.execPath,
        [
          "--expose-gc",
          "--trace-gc-nvp",
          "--min-semi-space-size=16",
          "--max-semi-space-size=16",
          "--no-allocation-site-pretenuring",
          "--input-type=module",
          "-e",
          `const makeUnderWay = ${makeUnderWay.toString()}
           const list = makeUnderWay(), set = new Set(), living = []
           const graph = () => ({ parts: Array.from({ length: 100 }, (_, part) => ({ part, of: [part] })) })
           for (let count = 0; count < 20_000; count++) {
             const member = graph()
             if ("${kept}" === "set") set.add(member)
             living.push("${kept}" === "set" ? () => set.delete(member) : list.add(member))
             for (let more = 0; more < 10; more++) graph()
             if (living.length > 64) living.shift()()
             // A full collection moves all that lives to the old generation.
             if (count === 2_000) gc()
           }`
        ],
        { encoding: "utf8", maxBuffer: 1 << 26 }
      )
      return [...told.matchAll(/ gc=s .*? promoted=(\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0) / 1000
    }
    const [list, set] = [moved("list"), moved("set")]
    assert.isBelow(list, set / 10)
  })
})
