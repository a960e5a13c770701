/** All metrics of the process in the Prometheus text format, version 0.0.4. */
import { Context, Effect, Metric, type MetricKey, MetricKeyType, MetricState, Option } from "effect"

const nameOf = (raw: string): string => raw.replace(/[^a-zA-Z0-9_:]/g, "_")
const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

type Label = readonly [name: string, value: string]
const labels = (pairs: ReadonlyArray<Label>): string =>
  pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${nameOf(name)}="${escapeLabel(value)}"`).join(",")}}`

const numberText = (value: number | bigint): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

interface Family {
  readonly type: string
  readonly help: string | null
  readonly lines: Array<string>
}

/** Whether a counter may go down. Prometheus takes a counter that does for one that began anew, so this is a gauge. */
const goesDown = ({ keyType }: MetricKey.MetricKey.Untyped): boolean =>
  MetricKeyType.isCounterKey(keyType) && !keyType.incremental

/** The lines of one metric; none for a kind that the format does not have. */
const sample = (
  name: string,
  tags: ReadonlyArray<Label>,
  key: MetricKey.MetricKey.Untyped,
  state: unknown
): { readonly type: string; readonly lines: ReadonlyArray<string> } | null => {
  if (MetricState.isCounterState(state))
    return { type: goesDown(key) ? "gauge" : "counter", lines: [`${name}${labels(tags)} ${numberText(state.count)}`] }
  if (MetricState.isGaugeState(state))
    return { type: "gauge", lines: [`${name}${labels(tags)} ${numberText(state.value)}`] }
  if (MetricState.isFrequencyState(state)) {
    return {
      type: "counter",
      lines: [...state.occurrences].map(([value, count]) => `${name}${labels([...tags, ["value", value]])} ${count}`)
    }
  }
  if (MetricState.isHistogramState(state)) {
    const buckets = [...state.buckets]
      .filter(([bound]) => bound < Number.MAX_VALUE)
      .map(([bound, count]) => `${name}_bucket${labels([...tags, ["le", numberText(bound)]])} ${count}`)
    return {
      type: "histogram",
      lines: [
        ...buckets,
        `${name}_bucket${labels([...tags, ["le", "+Inf"]])} ${state.count}`,
        `${name}_sum${labels(tags)} ${numberText(state.sum)}`,
        `${name}_count${labels(tags)} ${state.count}`
      ]
    }
  }
  if (MetricState.isSummaryState(state)) {
    const quantiles = [...state.quantiles].flatMap(([quantile, value]) =>
      Option.isNone(value)
        ? []
        : [`${name}${labels([...tags, ["quantile", String(quantile)]])} ${numberText(value.value)}`]
    )
    return {
      type: "summary",
      lines: [
        ...quantiles,
        `${name}_sum${labels(tags)} ${numberText(state.sum)}`,
        `${name}_count${labels(tags)} ${state.count}`
      ]
    }
  }
  return null
}

export const exposition: Effect.Effect<string> = Effect.map(Metric.snapshot, (pairs) => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of pairs) {
    const name = nameOf(metricKey.name)
    const made = sample(
      name,
      metricKey.tags.map(({ key, value }) => [key, value] as const),
      metricKey,
      metricState
    )
    if (made === null) continue
    const family = families.get(name) ?? { type: made.type, help: Option.getOrNull(metricKey.description), lines: [] }
    family.lines.push(...made.lines)
    families.set(name, family)
  }
  const text = [...families].flatMap(([name, { help, lines, type }]) => [
    ...(help === null ? [] : [`# HELP ${name} ${escapeHelp(help)}`]),
    `# TYPE ${name} ${type}`,
    ...lines
  ])
  return `${text.join("\n")}\n`
})

/** What `/metrics` answers: the metrics of this process, or of all that share its port. */
export class MetricsText extends Context.Reference<MetricsText>()("gateway/http/MetricsText", {
  defaultValue: (): Effect.Effect<string> => exposition
}) {}

const labelled = (line: string, process: string): string => {
  const [, name = "", rest = ""] = /^([a-zA-Z0-9_:]+)(.*)$/.exec(line) ?? []
  const label = `process="${escapeLabel(process)}"`
  return rest.startsWith("{") ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`
}

/** The metrics of several processes as one text, in which each sample names its process. */
export const joined = (texts: ReadonlyArray<{ readonly process: string; readonly text: string }>): string => {
  const families = new Map<string, { readonly head: ReadonlyArray<string>; readonly lines: Array<string> }>()
  for (const { process, text } of texts) {
    // A family is its comments and the samples that follow them.
    for (const [, comments = "", samples = ""] of text.matchAll(/((?:^#.*\n)+)((?:^[^#\n].*\n)*)/gm)) {
      const head = comments.trimEnd().split("\n")
      const name = head.at(-1) ?? ""
      const family = families.get(name) ?? { head, lines: [] }
      for (const line of samples.split("\n")) if (line !== "") family.lines.push(labelled(line, process))
      families.set(name, family)
    }
  }
  return `${[...families.values()].flatMap(({ head, lines }) => [...head, ...lines]).join("\n")}\n`
}
