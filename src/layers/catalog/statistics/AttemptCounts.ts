/**
 * Counts of attempts by day, endpoint and latency bucket, in memory, with the totals that `EndpointStats` answers kept
 * up to date. Counts only grow; days that are over are dropped whole.
 */
import { dayOf } from "../../../domain/Days.js"
import { bucketOf, medianMs, statsDays } from "../../../domain/EndpointLatency.js"
import type { Works } from "../../../services/EndpointStats.js"

export interface Count {
  readonly day: number
  readonly endpointId: string
  readonly bucket: number
  readonly calls: number
  readonly successes: number
}

export interface Recorded {
  readonly endpointId: string
  readonly success: boolean
  readonly latencyMs: number
}

export const countOf = ({ endpointId, latencyMs, success }: Recorded, now: number): Count => ({
  day: dayOf(now),
  endpointId,
  bucket: bucketOf(latencyMs),
  calls: 1,
  successes: success ? 1 : 0
})

/** Adds counts of the same day, endpoint and bucket together. */
export class MergedCounts {
  readonly #sums = new Map<string, Count>()
  get values(): ReadonlyArray<Count> {
    return [...this.#sums.values()]
  }
  add(count: Count): void {
    const key = `${count.day} ${count.bucket} ${count.endpointId}`
    const before = this.#sums.get(key)
    this.#sums.set(
      key,
      before === undefined
        ? count
        : { ...before, calls: before.calls + count.calls, successes: before.successes + count.successes }
    )
  }
}

interface Endpoint {
  calls: number
  successes: number
  readonly buckets: Map<number, number>
}

/** The totals by endpoint over whatever counts it was given. */
export class EndpointTotals {
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #works = new Map<string, Works>()
  static of(counts: Iterable<Count>): EndpointTotals {
    const totals = new EndpointTotals()
    for (const count of counts) totals.add(count)
    return totals
  }
  /** A view that follows what is added. */
  get works(): ReadonlyMap<string, Works> {
    return this.#works
  }
  add({ bucket, calls, endpointId, successes }: Count): void {
    const endpoint = this.#endpoints.get(endpointId) ?? { calls: 0, successes: 0, buckets: new Map() }
    endpoint.calls += calls
    endpoint.successes += successes
    endpoint.buckets.set(bucket, (endpoint.buckets.get(bucket) ?? 0) + calls)
    this.#endpoints.set(endpointId, endpoint)
    this.#works.set(endpointId, {
      calls: endpoint.calls,
      successes: endpoint.successes,
      p50Ms: medianMs(endpoint.buckets)
    })
  }
}

export const oldestDay = (now: number): number => dayOf(now) - statsDays + 1
