/**
 * The order of a job's providers in a revision, by the formula of `domain/Routing.ts` over the current statistics.
 * Every search asks for this order, so it is kept until the statistics change.
 */
import type { Prefer } from "../../domain/RoutePlan.js"
import { expectedMicros, type Routed, route, type RoutingCandidate } from "../../domain/Routing.js"
import { flags, isFlagged, type Revision } from "./Revision.js"
import type { Statistics } from "./CatalogRows.js"

export const candidateOf = (
  revision: Revision,
  number: number,
  statistics: Statistics,
  obstacle: RoutingCandidate["obstacle"] = 0
): RoutingCandidate | null => {
  const endpoint = revision.endpoints[number]
  if (endpoint === undefined) return null
  const { operation } = endpoint
  const works = statistics.get(operation.id)
  return {
    endpointId: operation.id,
    mock: isFlagged(revision, number, flags.mock),
    obstacle,
    expectedMicros: expectedMicros(operation),
    evidence: works === undefined || works.calls === 0 ? null : works
  }
}

export interface Placed extends Routed {
  readonly number: number
}

/** Places the endpoints of one job. */
export const placeJob = (
  revision: Revision,
  numbers: ReadonlyArray<number>,
  prefer: Prefer,
  statistics: Statistics,
  obstacle?: (number: number) => RoutingCandidate["obstacle"]
): ReadonlyArray<Placed> =>
  route(
    numbers.flatMap((number) => candidateOf(revision, number, statistics, obstacle?.(number)) ?? []),
    prefer
  ).map((routed) => ({ ...routed, number: revision.numberOf.get(routed.endpointId) ?? -1 }))

/** Positions of endpoints inside their jobs. They do not depend on which endpoints can be called now. */
export class JobOrders {
  private readonly orders = new Map<string, ReadonlyMap<number, number>>()
  private statistics: Statistics | null = null
  constructor(private readonly revision: Revision) {}

  positions(job: string, prefer: Prefer, statistics: Statistics): ReadonlyMap<number, number> {
    if (this.statistics !== statistics) {
      this.orders.clear()
      this.statistics = statistics
    }
    const key = `${prefer} ${job}`
    const known = this.orders.get(key)
    if (known !== undefined) return known
    const placed = placeJob(this.revision, this.revision.numbersOfJob.get(job) ?? [], prefer, statistics)
    const made = new Map(placed.map(({ number }, at) => [number, at]))
    this.orders.set(key, made)
    return made
  }
}
