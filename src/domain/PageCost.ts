/**
 * What a call costs that was read in pages: the cost of each page, together never above the hold. And whether a further
 * page may be asked for: only when even the most that it can cost is still held. Pure.
 */
import type { InputPrice, Operation, PageRules } from "./Manifest.js"
import { Micros } from "./Micros.js"
import * as Money from "./Micros.js"
import { mostOf } from "./Pricing.js"
import type { CostEvidence, PageFacts } from "./ProviderCall.js"
import { type AttemptCost, costOf } from "./Settlement.js"

/** A further page of a call that is billed once costs what its results cost. */
const priceOfPage = (price: InputPrice, billed: PageRules["billed"], at: number): InputPrice =>
  at === 0 || billed === "page"
    ? price
    : {
        ...price,
        micros: price.basis === "per_result" ? price.micros : Money.zero,
        perCallMicros: Money.zero,
        maxMicros: Money.zero
      }

export interface PagedPrice {
  /** As it is for the input of the run. */
  readonly price: InputPrice
  readonly billed: PageRules["billed"]
  readonly billsMiss: Operation["response"]["billsMiss"]
  /** How many results a page brings at most. */
  readonly size: PageRules["size"]
  /** What is held for all pages together. */
  readonly maxMicros: Micros
}

/**
 * Each page costs what its answer tells, or else its listed price, at most what a page of `size` results can cost: what
 * an answer counts is not how many results it brings. The tries of one page cost together at most what it can cost. The
 * first anomaly is noted.
 */
export const costOfPages = (
  { billed, billsMiss, maxMicros, price, size }: PagedPrice,
  pages: ReadonlyArray<PageFacts>
): AttemptCost => {
  const { anomaly, micros } = pages.reduce<AttemptCost & { readonly ofPage: number }>(
    (sum, { again, cost, outcome, resultCount }, at) => {
      const isBilled = outcome !== "error" && (outcome !== "miss" || billsMiss)
      const pagePrice = priceOfPage(price, billed, at)
      const before = again === true ? sum.ofPage : 0
      const most = Math.max(0, mostOf(pagePrice, size) - before)
      const page = costOf({
        price: isBilled ? pagePrice : null,
        resultCount,
        evidence: cost,
        maxMicros: Micros.make(Math.min(maxMicros - sum.micros, most))
      })
      return {
        micros: Micros.make(sum.micros + page.micros),
        anomaly: sum.anomaly ?? page.anomaly,
        ofPage: before + page.micros
      }
    },
    { micros: Money.zero, anomaly: null, ofPage: 0 }
  )
  return { micros, anomaly }
}

/** Whether what is held covers a further page of at most `results` results, after those that were read. */
export const affordsPage = (paged: PagedPrice, pages: ReadonlyArray<PageFacts>, results: number): boolean => {
  const most = mostOf(priceOfPage(paged.price, paged.billed, pages.length), results)
  return costOfPages(paged, pages).micros + most <= paged.maxMicros
}

/** What a call that is stopped between its pages has cost: what their answers told, and no listed price. */
export const toldBeforeStop = (paged: PagedPrice, pages: ReadonlyArray<PageFacts>): CostEvidence => {
  if (pages.every(({ cost }) => cost._tag === "None")) return { _tag: "None" }
  const { anomaly, micros } = costOfPages(
    paged,
    pages.map((page) => ({ ...page, outcome: "error" }))
  )
  return { _tag: "Reported", micros, ...(anomaly === null ? {} : { anomaly }) }
}

/** What all pages together told about their cost, for those who do not ask for each. */
export const toldByPages = (pages: ReadonlyArray<PageFacts>): CostEvidence =>
  pages.map(({ cost }) => cost).find(({ _tag }) => _tag === "Anomaly") ??
  (pages.every(({ cost }) => cost._tag === "None")
    ? { _tag: "None" }
    : {
        _tag: "Reported",
        micros: pages.reduce((sum, { cost }) => sum + (cost._tag === "Reported" ? cost.micros : 0), 0)
      })
