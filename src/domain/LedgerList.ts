/** Lists of ledger entries: what they are filtered by, and in which order they stand. Newest first. */
import type { LedgerKind } from "./Ledger.js"
import type { RunId, TopUpId } from "./Ids.js"

export interface LedgerFilter {
  readonly kind?: LedgerKind
  readonly runId?: RunId
  readonly topUpId?: TopUpId
  readonly fromMillis?: number
  readonly toMillis?: number
}

/** Where an entry stands in a list. A later entry of a workspace has a larger `seq`. The sequence may have gaps. */
export interface EntryPlace {
  readonly createdAt: number
  readonly seq: number
}

/**
 * Whether a list is ordered by time, with `seq` deciding between equal times. A list without a filter, of one run or of
 * one top-up is ordered by `seq` alone: as the entries were made.
 */
export const inOrderOfTime = (filter: LedgerFilter): boolean =>
  filter.runId === undefined &&
  filter.topUpId === undefined &&
  (filter.kind !== undefined || filter.fromMillis !== undefined || filter.toMillis !== undefined)

/** Compares two places of one list, the newer one first. */
export const newestFirst =
  (filter: LedgerFilter) =>
  (a: EntryPlace, b: EntryPlace): number =>
    (inOrderOfTime(filter) ? b.createdAt - a.createdAt : 0) || b.seq - a.seq

/** The sort key of an entry, which a cursor carries. */
export const entryKey = ({ createdAt, seq }: EntryPlace): string => `${createdAt}.${seq}`
export const entryPlaceOf = (key: string): EntryPlace => {
  const [createdAt, seq] = key.split(".")
  return { createdAt: Number(createdAt), seq: Number(seq) }
}
