// docs/alerts.md says of each alert when it fires, with the numbers of deploy/prometheus/alerts.yaml.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { root } from "../support/program.js"

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
}

const text = (...path: ReadonlyArray<string>): string => readFileSync(join(root, ...path), "utf8")
const { groups }: { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }> } = parse(
  text("deploy", "prometheus", "alerts.yaml")
)
const rules = groups.flatMap((group) => group.rules)
const page = text("docs", "alerts.md")

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`
const units: Readonly<Record<string, string>> = { s: "second", m: "minute", h: "hour" }

/** `5m` in words. */
const spanOf = (span: string): string => counted(Number.parseInt(span, 10), units[span.at(-1) ?? ""] ?? "?")

/** The ways in which a page may write a threshold. */
const waysOf = (threshold: number): ReadonlyArray<string> => [
  ` ${threshold} `,
  ` ${Math.round(threshold * 100)} %`,
  ` ${counted(threshold, "second")}`,
  ...(threshold % 3_600 === 0 ? [` ${counted(threshold / 3_600, "hour")}`] : [])
]

/** What a quantile leaves: one of 0.95 is about the slowest 5 %. */
const slowestOf = (expr: string): ReadonlyArray<number> =>
  [...expr.matchAll(/histogram_quantile\(([\d.]+)/g)].map(([, part]) => 1 - Number(part))

/** Of a value that is only 0 or 1, or of a count of which any is too much, a page says no number. */
const thresholdsOf = (expr: string): ReadonlyArray<number> =>
  [...expr.matchAll(/[<>] ([\d.]+)/g)].map(([, number]) => Number(number)).filter((number) => number !== 0)

describe("docs/alerts.md", () => {
  for (const { alert, expr, for: lasting } of rules)
    it(`says when ${alert} fires`, () => {
      const [, fires = ""] = new RegExp(`\n## ${alert}\n\n\\*\\*Fires\\*\\* when (.*)\n`).exec(page) ?? []
      assert.include(fires, lasting === "0m" ? "at once" : `for ${spanOf(lasting)}`)
      for (const [, span = ""] of expr.matchAll(/\[(\w+)\]/g)) assert.include(fires, spanOf(span))
      for (const threshold of [...thresholdsOf(expr), ...slowestOf(expr)])
        assert.isTrue(
          waysOf(threshold).some((way) => ` ${fires}`.includes(way)),
          `${threshold} is not in: ${fires}`
        )
    })
})
