/**
 * How endpoints have done over the last 30 days, from real attempts. Read from memory, refreshed in the background;
 * recording never slows a settlement.
 */
import { Context, type Effect } from "effect"
import type { Worked } from "../domain/ProviderFigures.js"

export interface Works extends Worked {
  readonly p50Ms: number | null
}

export class EndpointStats extends Context.Tag("gateway/services/EndpointStats")<
  EndpointStats,
  {
    /** By endpoint id; an endpoint that never ran is absent. */
    readonly snapshot: Effect.Effect<ReadonlyMap<string, Works>>
    readonly record: (attempt: {
      readonly endpointId: string
      readonly success: boolean
      readonly latencyMs: number
    }) => Effect.Effect<void>
  }
>() {}
