import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { exposition, joined } from "../../../src/http/system/Exposition.js"

describe("the metrics of a process", () => {
  it.effect("show a counter that may go down as a gauge", () =>
    Effect.gen(function* () {
      yield* Metric.incrementBy(Metric.counter("exposition_only_up", { incremental: true }), 3)
      const both = Metric.counter("exposition_up_and_down")
      yield* Metric.incrementBy(both, 3)
      yield* Metric.incrementBy(both, -2)
      const lines = (yield* exposition).split("\n").filter((line) => line.includes("exposition_"))
      assert.deepStrictEqual(lines.sort(), [
        "# TYPE exposition_only_up counter",
        "# TYPE exposition_up_and_down gauge",
        "exposition_only_up 3",
        "exposition_up_and_down 1"
      ])
    })
  )
})

describe("the metrics of several processes", () => {
  it("stand in one text, each family once, and each sample names its process", () =>
    assert.strictEqual(
      joined([
        {
          process: "1",
          text: '# HELP a Of "both" {1}\n# TYPE a counter\na{x="y"} 1\na 2\n# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_sum 1.5\nh_count 3\n'
        },
        { process: "4", text: '# HELP a Of "both" {1}\n# TYPE a counter\na{x="y"} 5\n# TYPE only gauge\nonly -1\n' }
      ]),
      [
        '# HELP a Of "both" {1}',
        "# TYPE a counter",
        'a{process="1",x="y"} 1',
        'a{process="1"} 2',
        'a{process="4",x="y"} 5',
        "# TYPE h histogram",
        'h_bucket{process="1",le="+Inf"} 3',
        'h_sum{process="1"} 1.5',
        'h_count{process="1"} 3',
        "# TYPE only gauge",
        'only{process="4"} -1',
        ""
      ].join("\n")
    ))
})
