/**
 * How long ago the documentation of operations was read. A manifest is not wrong because it is old, so these are
 * warnings: they say what is to be read again.
 */
import { dayMillis, dayOf } from "../../domain/Days.js"
import { verifiedDaysMax } from "../../domain/limits/Manifests.js"
import type { Endpoint } from "../../domain/Manifest.js"

export interface AgeWarning {
  readonly endpointId: string
  /** Where in the operation. */
  readonly path: string
  readonly message: string
}

/** The operations of real providers that were read too long ago or in the future, and those that do not say when. */
export const ageWarnings = (endpoints: ReadonlyArray<Endpoint>, nowMillis: number): ReadonlyArray<AgeWarning> =>
  endpoints.flatMap(({ operation: { id, provenance }, provider }): ReadonlyArray<AgeWarning> => {
    if (provider.mock || provenance?.verified !== true) return []
    const { verifiedOn } = provenance
    if (verifiedOn === undefined)
      return [
        {
          endpointId: id,
          path: "provenance.verifiedOn",
          message: "is missing: on which day was the documentation read?"
        }
      ]
    const days = dayOf(nowMillis) - Math.floor(Date.parse(verifiedOn) / dayMillis)
    // Where the day begins earlier than here, it may have come already.
    if (days < -1)
      return [
        {
          endpointId: id,
          path: "provenance.verifiedOn",
          message: "is a day that has not come: on which day was the documentation read?"
        }
      ]
    return days > verifiedDaysMax
      ? [
          {
            endpointId: id,
            path: "provenance.verifiedOn",
            message: `is ${days} days ago: read the documentation again, and write down the day (after ${verifiedDaysMax} days)`
          }
        ]
      : []
  })
