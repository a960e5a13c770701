/** All metrics of the process as OTLP writes them, under the names and labels that `/metrics` has. */
import { type MetricKey, MetricKeyType, type MetricPair, MetricState, Option } from "effect"
import { type KeyValue, keyValue, type resourceOf, scope } from "./Values.js"

/** All sums and histograms count since the start of the process. */
const cumulative = 2

interface Moment {
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

const numberPoint = (value: number | bigint, attributes: ReadonlyArray<KeyValue>, moment: Moment) => ({
  attributes,
  ...moment,
  ...(typeof value === "bigint" ? { asInt: String(value) } : { asDouble: value })
})

/** The buckets of a state hold everything below their bound; those of OTLP what lies between two bounds. */
const bucketsOf = (state: MetricState.MetricState.Histogram) => {
  const below = [...state.buckets].filter(([bound]) => bound < Number.MAX_VALUE)
  const counts = below.map(([, count], at) => count - (below[at - 1]?.[1] ?? 0))
  return {
    explicitBounds: below.map(([bound]) => bound),
    bucketCounts: [...counts, state.count - (below.at(-1)?.[1] ?? 0)].map(String)
  }
}

const isIncremental = ({ keyType }: MetricKey.MetricKey.Untyped): boolean =>
  MetricKeyType.isCounterKey(keyType) && keyType.incremental

type Kind = "sum" | "gauge" | "histogram"
interface Family {
  readonly name: string
  readonly description: string
  readonly kind: Kind
  readonly monotonic: boolean
  readonly points: Array<object>
}

/** The points of one metric; none of a kind that the gateway does not use. */
const pointsOf = (
  { metricKey, metricState }: MetricPair.MetricPair.Untyped,
  moment: Moment
): { readonly kind: Kind; readonly monotonic: boolean; readonly points: ReadonlyArray<object> } | null => {
  const attributes = metricKey.tags.map(({ key, value }) => keyValue(key, value))
  if (MetricState.isCounterState(metricState))
    return {
      kind: "sum",
      monotonic: isIncremental(metricKey),
      points: [numberPoint(metricState.count, attributes, moment)]
    }
  if (MetricState.isGaugeState(metricState))
    return { kind: "gauge", monotonic: false, points: [numberPoint(metricState.value, attributes, moment)] }
  if (MetricState.isFrequencyState(metricState))
    return {
      kind: "sum",
      monotonic: true,
      points: [...metricState.occurrences].map(([value, count]) =>
        numberPoint(count, [...attributes, keyValue("value", value)], moment)
      )
    }
  if (MetricState.isHistogramState(metricState)) {
    const { count, sum } = metricState
    return {
      kind: "histogram",
      monotonic: true,
      points: [{ attributes, ...moment, count: String(count), sum, ...bucketsOf(metricState) }]
    }
  }
  return null
}

const dataOf = ({ kind, monotonic, points }: Family) => {
  switch (kind) {
    case "sum":
      return { sum: { aggregationTemporality: cumulative, isMonotonic: monotonic, dataPoints: points } }
    case "gauge":
      return { gauge: { dataPoints: points } }
    case "histogram":
      return { histogram: { aggregationTemporality: cumulative, dataPoints: points } }
  }
}

export const metricsBody = (
  resource: ReturnType<typeof resourceOf>,
  snapshot: ReadonlyArray<MetricPair.MetricPair.Untyped>,
  { now, started }: { readonly started: bigint; readonly now: bigint }
): string => {
  const moment: Moment = { startTimeUnixNano: String(started), timeUnixNano: String(now) }
  const families = new Map<string, Family>()
  for (const pair of snapshot) {
    const made = pointsOf(pair, moment)
    if (made === null) continue
    const { name } = pair.metricKey
    const family = families.get(name) ?? {
      name,
      description: Option.getOrElse(pair.metricKey.description, () => ""),
      kind: made.kind,
      monotonic: made.monotonic,
      points: []
    }
    family.points.push(...made.points)
    families.set(name, family)
  }
  const metrics = Array.from(families.values(), (family) => ({
    name: family.name,
    description: family.description,
    ...dataOf(family)
  }))
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] })
}
