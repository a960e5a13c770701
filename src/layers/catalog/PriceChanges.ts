/** Which prices a publication changes: said before it is made, and kept in the audit trail after. */
import type { Endpoint, Price } from "../../domain/Manifest.js"
import { dollars } from "../../domain/Micros.js"

/** `$0.025 a call`, and the most that a call costs where its input or its answer decides. */
const priceText = ({ basis, byInput, maxMicros, micros, perCallMicros }: Price): string => {
  const most = maxMicros === undefined ? "" : `, at most ${dollars(maxMicros)}`
  if (basis === "free") return `free${most}`
  const unit = basis === "per_result" ? "a result" : "a call"
  const fixed = perCallMicros > 0 && basis === "per_result" ? `${dollars(perCallMicros)} a call + ` : ""
  const amount = basis === "per_call" ? micros + perCallMicros : micros
  return `${fixed}${dollars(amount)} ${unit}${byInput === undefined ? "" : ", by input"}${most}`
}

export interface PriceChange {
  readonly id: string
  readonly before: string
  readonly after: string
}

type Priced = Pick<Endpoint, "operation">

const isSame = (a: Price, b: Price): boolean =>
  a.basis === b.basis &&
  a.micros === b.micros &&
  a.perCallMicros === b.perCallMicros &&
  a.maxMicros === b.maxMicros &&
  JSON.stringify(a.byInput) === JSON.stringify(b.byInput)

/** Of the operations that stand in both. The price of a page or of an option may change without its usual price. */
export const priceChanges = (before: Iterable<Priced>, after: ReadonlyArray<Priced>): ReadonlyArray<PriceChange> => {
  const prices = new Map(Array.from(before, ({ operation }) => [operation.id, operation.price]))
  return after.flatMap(({ operation: { id, price } }) => {
    const old = prices.get(id)
    return old === undefined || isSame(old, price) ? [] : [{ id, before: priceText(old), after: priceText(price) }]
  })
}

const namesShown = 20

/** A sentence for each change; of many, the first ones and how many more there are. */
export const priceChangeWords = (changes: ReadonlyArray<PriceChange>): ReadonlyArray<string> => [
  ...changes
    .slice(0, namesShown)
    .map(({ after, before, id }) =>
      before === after
        ? `Changes how the price of ${id} depends on its input: ${after}`
        : `Changes the price of ${id}: ${before} → ${after}`
    ),
  ...(changes.length > namesShown ? [`Changes the prices of ${changes.length - namesShown} more operations`] : [])
]
