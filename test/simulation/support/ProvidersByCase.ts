/**
 * Scripted providers with a script for each case instead of each endpoint, so that many runs can be under way at once
 * and each still meets what was drawn for it. A case is named by a text somewhere in the run's input.
 */
import { Effect, Layer } from "effect"
import type { ProviderCall } from "../../../src/domain/ProviderCall.js"
import { ProvidersScripted, type Step } from "../../../src/layers/providers/ProvidersScripted.js"
import { Providers } from "../../../src/services/Providers.js"

interface Case {
  readonly layer: Layer.Layer<Providers>
  /** What the provider waits for before it answers. */
  readonly before: Effect.Effect<void>
  calls: number
}

export interface ProvidersByCase {
  readonly layer: Layer.Layer<Providers>
  readonly script: (name: string, steps: ReadonlyArray<Step>, before?: Effect.Effect<void>) => void
  /** Calls of a case that reached its provider, whether or not they were left to end. */
  readonly calls: (name: string) => number
}

export const ProvidersByCase = (): ProvidersByCase => {
  const cases = new Map<string, Case>()
  const caseOf = ({ input }: ProviderCall) =>
    Object.values(input)
      .map((value) => (typeof value === "string" ? cases.get(value) : undefined))
      .find((found) => found !== undefined)
  return {
    layer: Layer.effect(
      Providers,
      Effect.map(Effect.provide(Providers, ProvidersScripted().layer), (any) => ({
        ...any,
        call: (call) =>
          Effect.suspend(() => {
            const found = caseOf(call)
            if (found === undefined) return Effect.dieMessage("a call of a case that nobody made")
            found.calls += 1
            return Effect.zipRight(
              found.before,
              Effect.flatMap(Effect.provide(Providers, found.layer), (scripted) => scripted.call(call))
            )
          })
      }))
    ),
    script: (name, steps, before = Effect.void) => {
      const { layer, script } = ProvidersScripted()
      for (const endpointId of [
        "mock-email-find",
        "mock-slow-email-find",
        "mock-web-search",
        "mock-geocode",
        "mock-send-message"
      ])
        script(endpointId, ...steps)
      cases.set(name, { layer, before, calls: 0 })
    },
    calls: (name) => cases.get(name)?.calls ?? 0
  }
}
