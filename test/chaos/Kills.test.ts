/** Short form of `npm run chaos kills`, which has two hundred: two kills at every named point. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { kills } from "../../chaos/attacks/Kills.js"
import { parseKill } from "../../src/layers/node/FaultPointsKill.js"
import { faultPoints } from "../../src/services/FaultPoints.js"
import { attacked } from "./stage.js"

describe("kill -9 at the named points", () => {
  it.live(
    "every run ends, nothing is called twice, no money goes astray, and the living take over within ten seconds",
    () =>
      Effect.gen(function* () {
        const row = yield* attacked("kills", (stage) =>
          kills(stage, { nodes: 3, kills: 2 * faultPoints.length, clients: 24 })
        )
        assert.strictEqual(row.faults, 2 * faultPoints.length)
      }),
    240_000
  )
})

describe("GATEWAY_FAULT_POINT", () => {
  it("names a point, alone, with a passage, or with a chance and its seed", () => {
    assert.deepStrictEqual(
      parseKill("settlement.inside"),
      Either.right({ point: "settlement.inside", when: { _tag: "Passage", n: 1 } })
    )
    assert.deepStrictEqual(
      parseKill("dispatch.after_send:4"),
      Either.right({ point: "dispatch.after_send", when: { _tag: "Passage", n: 4 } })
    )
    assert.deepStrictEqual(
      parseKill("dispatch.after_send:p0.25:9"),
      Either.right({ point: "dispatch.after_send", when: { _tag: "Chance", probability: 0.25, seed: 9 } })
    )
  })

  it("refuses a text that says anything else", () => {
    for (const text of [
      "",
      "somewhere",
      "settlement.inside:0",
      "settlement.inside:1.5",
      "settlement.inside:p2",
      "settlement.inside:2:3",
      "settlement.inside:p0.5:x",
      "settlement.inside:p0.5:1:1"
    ]) {
      assert.isTrue(Either.isLeft(parseKill(text)), text)
    }
  })
})
