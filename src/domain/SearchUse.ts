/**
 * How a search learns from use. The first run of an operation or job within half an hour after a search showed it
 * counts one, and what was counted fades by half every 14 days. A row gets at most a tenth of the best row's score for
 * it, so what is used often comes first among rows that fit equally well, and never before one that fits much better.
 * Only ids are counted, in the workspace of the search; words of a question are not kept.
 */
import { searchUseHalfLifeMillis, searchUseMillis, searchUseShareMax } from "./limits/Lists.js"

/** The uses of one operation or job: `weight` as of `usedAt`. */
export interface SearchUse {
  readonly weight: number
  readonly usedAt: number
}

/** Whether a run at `now` is one after the search that showed the item at `shownAt`. */
export const isAfterSearch = (shownAt: number, now: number): boolean => now - shownAt <= searchUseMillis

/** What uses weigh at `now`: half for every half-life since. A clock that was set back adds nothing. */
export const weightAt = ({ usedAt, weight }: SearchUse, now: number): number =>
  weight * 2 ** (-Math.max(0, now - usedAt) / searchUseHalfLifeMillis)

/** One use more. */
export const used = (before: SearchUse | null, now: number): SearchUse => ({
  weight: (before === null ? 0 : weightAt(before, now)) + 1,
  usedAt: now
})

/** The share of the best score that uses add: half of the most for one use, three quarters of it for three. */
export const shareOfUses = (weight: number): number => (searchUseShareMax * weight) / (weight + 1)
