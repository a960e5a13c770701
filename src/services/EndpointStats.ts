/**
 * How endpoints have done over the last 30 days, from real attempts: how often they worked, how fast, and whether their
 * answers were as documented. Read from memory, refreshed in the background;
 * recording never slows a settlement.
 */
import { Context, type Effect } from "effect"
import type { Break, ComparedAnswers, Worked } from "../domain/ProviderFigures.js"
import type { StorageError } from "../domain/StorageErrors.js"

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
    /** By contract version, so that the breaks of a manifest end with its correction. */
    readonly comparedAnswers: Effect.Effect<ReadonlyMap<string, ComparedAnswers>, StorageError>
    /** Counts one answer that was compared with its documented schema. */
    readonly recordCompared: (contractVersion: string, found: Break | null) => Effect.Effect<void>
  }
>() {}
