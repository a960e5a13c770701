/**
 * Counts of answers that were compared with their documented schema, by day and contract version, in memory. Counts
 * only grow; days that are over are dropped whole.
 */
import { dayOf } from "../../../domain/Days.js"
import type { Break, ComparedAnswers } from "../../../domain/ProviderFigures.js"

export interface ComparedCount extends ComparedAnswers {
  readonly day: number
  readonly contractVersion: string
}

export const comparedOf = (contractVersion: string, found: Break | null, now: number): ComparedCount => ({
  day: dayOf(now),
  contractVersion,
  compared: 1,
  broken: found === null ? 0 : 1,
  firstBreak: found
})

const sumOf = (before: ComparedAnswers, after: ComparedAnswers, firstBreak: Break | null): ComparedAnswers => ({
  compared: before.compared + after.compared,
  broken: before.broken + after.broken,
  firstBreak
})

/** Adds counts of the same day and version together. */
export class MergedComparisons {
  readonly #sums = new Map<string, ComparedCount>()
  get values(): ReadonlyArray<ComparedCount> {
    return [...this.#sums.values()]
  }
  add(count: ComparedCount): void {
    const { contractVersion, day } = count
    const key = `${day} ${contractVersion}`
    const before = this.#sums.get(key)
    this.#sums.set(
      key,
      before === undefined
        ? count
        : { day, contractVersion, ...sumOf(before, count, before.firstBreak ?? count.firstBreak) }
    )
  }
}

/** The totals by contract version. Later days come after earlier ones. */
export const totalsOf = (counts: Iterable<ComparedCount>): ReadonlyMap<string, ComparedAnswers> => {
  const days = new MergedComparisons()
  for (const count of counts) days.add(count)
  const totals = new Map<string, ComparedAnswers>()
  for (const { contractVersion, day: _, ...count } of [...days.values].sort((a, b) => a.day - b.day)) {
    const before = totals.get(contractVersion)
    totals.set(
      contractVersion,
      before === undefined ? count : sumOf(before, count, count.firstBreak ?? before.firstBreak)
    )
  }
  return totals
}
