/**
 * Latencies as numbered buckets. Each bucket is a quarter wider than the one before, so that 60 buckets reach over ten
 * minutes. A median read from the buckets is off by an eighth at most. The buckets of many nodes and days can be added
 * up.
 */
const ratio = 1.25
const bucketMax = 60

export const bucketOf = (latencyMs: number): number =>
  latencyMs <= 1 ? 0 : Math.min(bucketMax, Math.ceil(Math.log(latencyMs) / Math.log(ratio)))

/** The middle of a bucket, in whole milliseconds. */
const middleOf = (bucket: number): number => Math.round(ratio ** (bucket - 0.5))

/** The median of calls counted by bucket; null without calls. */
export const medianMs = (calls: ReadonlyMap<number, number>): number | null => {
  let total = 0
  for (const count of calls.values()) total += count
  if (total === 0) return null
  let seen = 0
  let at = 0
  for (; at < bucketMax && seen + (calls.get(at) ?? 0) < total / 2; at++) seen += calls.get(at) ?? 0
  return middleOf(at)
}

/** Days that count, today among them. */
export const statsDays = 30
