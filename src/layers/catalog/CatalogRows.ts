/**
 * The rows of a revision as answers show them. A row is made once for each state (access, statistics, how it was
 * matched). While the state lasts, the same object is given out again, so that its JSON text can be cached.
 */
import type { CatalogRow, MatchedBy, StatsView, WorksView } from "../../domain/CatalogRow.js"
import { credentialOf, placementOf } from "../../domain/ContractMaking.js"
import { toUsd } from "../../domain/Micros.js"
import { successRate } from "../../domain/ProviderFigures.js"
import type { Works } from "../../services/EndpointStats.js"
import { type AccessTable, codesMax } from "./AccessTable.js"
import { flags, isFlagged, jobOf, type Revision } from "./Revision.js"

export type Statistics = ReadonlyMap<string, Works>

const thinBelow = 5
const rowsKept = 5_000
const matches: ReadonlyArray<MatchedBy | null> = [null, "text", "capability", "tokens"]
const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

export const worksView = (works: Works | undefined): WorksView => {
  const rate = works === undefined ? null : successRate(works)
  return works === undefined || rate === null
    ? { rate: null, runs: 0, p50Ms: null, thin: true }
    : {
        rate: round(rate, 4),
        runs: works.calls,
        p50Ms: works.p50Ms === null ? null : Math.round(works.p50Ms),
        thin: works.calls < thinBelow
      }
}

const statsView = (works: WorksView): StatsView | null =>
  works.rate === null
    ? null
    : { calls: works.runs, successRate: works.rate, p50Ms: works.p50Ms, sampleSize: works.runs }

/** Dollars for one success; null when it is not known, or when no call has succeeded yet. */
const costPerSuccess = (priceMicros: number, works: WorksView): number | null =>
  works.rate === null || works.rate === 0 ? null : round(toUsd(priceMicros) / works.rate, 9)

export class CatalogRows {
  private readonly rows = new Map<number, CatalogRow>()
  private statistics: Statistics | null = null
  constructor(private readonly revision: Revision) {}

  row(number: number, table: AccessTable, statistics: Statistics, matchedBy: MatchedBy | null): CatalogRow | null {
    if (this.statistics !== statistics || this.rows.size > rowsKept) {
      this.rows.clear()
      this.statistics = statistics
    }
    const key = (number * codesMax + table.codeOf(number)) * matches.length + matches.indexOf(matchedBy)
    const known = this.rows.get(key)
    if (known !== undefined) return known
    const made = this.make(number, table, statistics, matchedBy)
    if (made !== null) this.rows.set(key, made)
    return made
  }

  private make(
    number: number,
    table: AccessTable,
    statistics: Statistics,
    matchedBy: MatchedBy | null
  ): CatalogRow | null {
    const { revision } = this
    const endpoint = revision.endpoints[number]
    if (endpoint === undefined) return null
    const { operation, provider } = endpoint
    const job = jobOf(revision, endpoint)
    const { category, platform } = placementOf(operation, job)
    const { access, runnableNow } = table.of(number)
    const works = worksView(statistics.get(operation.id))
    const priceMicros = revision.priceMicros[number] ?? 0
    const isAsync = operation.async !== undefined
    return {
      endpointId: operation.id,
      provider: provider.id,
      name: operation.name,
      ...(operation.job === undefined ? {} : { capability: operation.job }),
      category,
      estimatedPrice: toUsd(priceMicros),
      priceBasis: operation.price.basis,
      access,
      executionMode: isAsync ? "async" : "sync",
      costPerSuccessUsd: costPerSuccess(priceMicros, works),
      async: isAsync,
      works,
      sourceCapability: operation.sourceCapability ?? null,
      credential: credentialOf(provider),
      platform,
      ...(job === null ? {} : { job: { id: job.id, title: job.title } }),
      summary: operation.summary,
      mock: provider.mock,
      verified: isFlagged(revision, number, flags.verified),
      keyless: isFlagged(revision, number, flags.keyless),
      runnableNow,
      stats: statsView(works),
      matchedBy,
      facts: { ...provider.facts, ...operation.facts }
    }
  }
}
