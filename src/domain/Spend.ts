/** How the charge of a run is told by provider. */
import { Micros } from "./Micros.js"
import { type Attempt, type Run, shownProvider } from "./Run.js"

export interface Share {
  readonly providerId: string
  readonly micros: Micros
}

/**
 * What each call has of the charge of its run. Calls have their costs, in their order, for as long as the charge
 * reaches. What is left of the charge belongs to the provider that the run is shown under.
 */
export const sharesOf = (
  chargeMicros: Micros,
  run: Pick<Run, "providerId" | "servedProviderId">,
  attempts: ReadonlyArray<Pick<Attempt, "providerId" | "costMicros">>
): ReadonlyArray<Share> => {
  let left: number = chargeMicros
  const shares: Array<Share> = []
  for (const { costMicros, providerId } of attempts) {
    const micros = Math.min(costMicros ?? 0, left)
    if (micros > 0) shares.push({ providerId, micros: Micros.make(micros) })
    left -= micros
  }
  return left > 0 ? [...shares, { providerId: shownProvider(run) ?? "", micros: Micros.make(left) }] : shares
}
