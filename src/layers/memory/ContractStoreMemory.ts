/** Contracts in memory, for tests and for a gateway that forgets. */
import { Effect, Layer } from "effect"
import type { Json } from "../../domain/Json.js"
import { ContractStore } from "../../services/ContractStore.js"
import { forEachInSlices } from "../node/LongWork.js"

export const ContractStoreMemory: Layer.Layer<ContractStore> = Layer.sync(ContractStore, () => {
  const kept = new Map<string, string>()
  const key = (endpointId: string, contractVersion: string): string => `${endpointId} ${contractVersion}`
  return ContractStore.of({
    keep: (contracts, options) =>
      forEachInSlices(contracts.length, (place) => {
        const stored = contracts[place]
        if (stored === undefined) return
        const at = key(stored.endpointId, stored.contractVersion)
        if (options?.refresh === true || !kept.has(at)) kept.set(at, stored.contract())
      }),
    find: (endpointId, contractVersion) =>
      Effect.sync(() => {
        const text = kept.get(key(endpointId, contractVersion))
        const contract: Json = text === undefined ? null : JSON.parse(text)
        return contract
      })
  })
})
