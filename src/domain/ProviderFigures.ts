/**
 * How providers do, as every page and every answer says it: how often their calls work, whether they charge what the
 * catalog declares, and whether they answer as their documentation says. All are about the last `statsDays` days.
 */
import { counted } from "./Counted.js"
import { statsDays } from "./EndpointLatency.js"
import type { Operation } from "./Manifest.js"
import { Micros } from "./Micros.js"
import { dearestPrice } from "./Pricing.js"

/** `successes` counts hits, weak answers and misses: an empty answer is a success of the endpoint. */
export interface Worked {
  readonly calls: number
  readonly successes: number
}

/** Null without calls. */
export const successRate = ({ calls, successes }: Worked): number | null => (calls === 0 ? null : successes / calls)

/** `97.5 %`, beside a label that says the days. */
export const percentText = (rate: number): string => `${(100 * rate).toFixed(1).replace(/\.0$/, "")} %`

/** `97.5 % of 40 calls in 30 days worked`; null without calls. */
export const workedText = (worked: Worked): string | null => {
  const rate = successRate(worked)
  const { calls } = worked
  return rate === null ? null : `${percentText(rate)} of ${counted(calls, "call")} in ${statsDays} days worked`
}

/** One place of an answer that is not as the schema documents it, such as `body.items[].id` and `is missing`. */
export interface Break {
  readonly place: string
  readonly message: string
}

/** Answers of one version of a contract that were compared with its documented schema. */
export interface ComparedAnswers {
  readonly compared: number
  readonly broken: number
  /** The first break of a day, that of the last day with one; null when none was found. */
  readonly firstBreak: Break | null
}

/** The least and the most that one charged call costs by what is declared. */
export interface DeclaredPrices {
  readonly lowMicros: Micros
  readonly highMicros: Micros
}

/** Null where nothing has a price. A price per result reaches from one result to the most that one call returns. */
export const declaredPrices = (
  operations: ReadonlyArray<Pick<Operation, "price" | "volume">>
): DeclaredPrices | null => {
  const priced = operations.filter(({ price }) => price.basis !== "free")
  if (priced.length === 0) return null
  const leastOf = ({ price }: Pick<Operation, "price">): number =>
    price.byInput === undefined ? price.perCallMicros + price.micros : 0
  // A price by input says only what a call costs at most.
  const low = Math.min(...priced.map(leastOf))
  const high = Math.max(...priced.map(dearestPrice))
  return { lowMicros: Micros.make(low), highMicros: Micros.make(high) }
}

type PriceDrift = "as_declared" | "below" | "above"

/** Where the mean charge of a call lies; null while nothing was charged. Calls that cost nothing count as no charge. */
export const priceDrift = (
  declared: DeclaredPrices | null,
  charged: { readonly calls: number; readonly chargeMicros: Micros }
): { readonly meanMicros: Micros; readonly drift: PriceDrift } | null => {
  if (charged.calls === 0) return null
  const mean = charged.chargeMicros / charged.calls
  const { highMicros, lowMicros } = declared ?? { highMicros: 0, lowMicros: 0 }
  return {
    meanMicros: Micros.make(Math.round(mean)),
    drift: mean > highMicros ? "above" : mean < lowMicros ? "below" : "as_declared"
  }
}
