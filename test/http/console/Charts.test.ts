/** What stands at the axis of a chart can be read, however small or large the values are. */
import { assert, describe, it } from "@effect/vitest"
import { dollars } from "../../../src/domain/Micros.js"
import { dayChart } from "../../../src/http/console/Charts.js"

/** The labels of the axis, with where each begins when every character is as broad as a digit of the stylesheet. */
const axisOf = (...values: ReadonlyArray<number>) => {
  const bars = values.map((value, day) => ({ label: `11-0${day + 1}`, value }))
  const page = dayChart({ title: "Spend by day", unit: "Charged", show: dollars, bars }).render({
    prefix: "",
    csrf: null
  })
  const [, broad = ""] = /<svg class="broad"([\s\S]*?)<\/svg>/.exec(page) ?? []
  return [...broad.matchAll(/<text x="([\d.]+)" y="[\d.]+" text-anchor="end">([^<]*)</g)].map(([, x, label = ""]) => ({
    label,
    begins: Number(x) - label.length * 7
  }))
}
const labelsOf = (...values: ReadonlyArray<number>) => axisOf(...values).map(({ label }) => label)

describe("the axis of a chart", () => {
  it("has its lowest, middle and highest value", () => {
    assert.deepStrictEqual(labelsOf(0, 132_000), ["$0.00", "$0.10", "$0.20"])
  })

  it("names nothing but zero where there is no value", () => {
    assert.deepStrictEqual(labelsOf(0, 0), ["$0.00"])
    assert.deepStrictEqual(labelsOf(), ["$0.00"])
  })

  it("has no line at a part of a micro, which would be written as another amount", () => {
    assert.deepStrictEqual(labelsOf(1), ["$0.00", "$0.000001"])
    assert.deepStrictEqual(labelsOf(2), ["$0.00", "$0.000001", "$0.000002"])
  })

  it("has room for the longest label", () => {
    for (const value of [0, 1, 400, 132_000, 900_000_000, 8_000_000_000])
      for (const { begins, label } of axisOf(value)) assert.isAtLeast(begins, 0, label)
  })
})
