// How much better one ranking is than another on the same questions, and how far that would hold on other questions of
// the same kind: the mean difference, and its 95 % interval from a paired bootstrap. The seed is fixed, so the same
// rankings give the same interval.
import { numbers } from "../catalog/Generated.js"
import { mean, type MetricName, metricNames, type PerQuestion } from "./Metrics.js"

export interface Difference {
  /** Points of the measure, above zero when the first ranking is better. */
  readonly points: number
  readonly low: number
  readonly high: number
}

const rounds = 1_000
const seed = 17

export const differences = (better: PerQuestion, worse: PerQuestion): Readonly<Record<MetricName, Difference>> => {
  const next = numbers(seed)
  const count = better["NDCG@1"].length
  const gaps = metricNames.map((name) => better[name].map((value, at) => value - worse[name][at]!))
  const drawn = gaps.map(() => new Float64Array(rounds))
  for (let round = 0; round < rounds; round += 1) {
    for (let draw = 0; draw < count; draw += 1) {
      const at = Math.floor(next() * count)
      for (const [metric, gap] of gaps.entries()) drawn[metric]![round]! += gap[at]! / count
    }
  }
  const found = metricNames.map((name, metric): [MetricName, Difference] => {
    const sorted = drawn[metric]!.sort()
    return [name, { points: mean(gaps[metric]!), low: sorted[rounds * 0.025]!, high: sorted[rounds * 0.975]! }]
  })
  return Object.fromEntries(found) as Record<MetricName, Difference>
}
