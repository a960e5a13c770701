/**
 * Counts requests for runs by the agent that `X-Service-Agent` names: those of the configured list by their name, all
 * others as `Other`, so that the metric has few values whatever clients send. Changes no answer and refuses nothing
 * (contract: "POST /v1/runs").
 */
import { Metric, MetricKey } from "effect"
import { serviceAgentCharsMax } from "../../domain/limits/Requests.js"

const requests = MetricKey.counter("gateway_run_requests_by_agent_total", {
  description: "Requests for runs that name their agent in X-Service-Agent",
  incremental: true
})
const counterOf = (agent: string) => Metric.fromMetricKey(requests.pipe(MetricKey.tagged("agent", agent)))

/** Counts one request; one without the header is not counted. Case does not matter. */
export const agentCounter = (known: ReadonlyArray<string>): ((header: string | undefined) => void) => {
  const other = counterOf("Other")
  const counters = new Map(known.map((name) => [name.toLowerCase(), counterOf(name)]))
  return (header) => {
    const name = header?.slice(0, serviceAgentCharsMax).trim().toLowerCase() ?? ""
    if (name !== "") (counters.get(name) ?? other).unsafeUpdate(1, [])
  }
}
