/** From a manifest to its endpoints: one for each operation, with the version of its contract. */
import { hash } from "node:crypto"
import { canonical, type Json } from "../../domain/Json.js"
import type { Endpoint, Operation, ProviderManifest } from "../../domain/Manifest.js"

type Provider = Endpoint["provider"]

/** A digest of what a run depends on: everything but descriptions, examples and provenance. */
export const contractVersionOf = (provider: Provider, operation: Operation): string => {
  const {
    facts: _facts,
    name: _name,
    provenance: _provenance,
    samples: _samples,
    summary: _summary,
    ...contract
  } = operation
  const { auth, baseUrl, fixed, id, variables } = provider
  const text: Json = {
    provider: { id, baseUrl, auth, fixed, ...(variables === undefined ? {} : { variables }) },
    operation: contract
  }
  return hash("sha256", canonical(text))
}

export const makeEndpoint = (provider: Provider, operation: Operation): Endpoint => ({
  provider,
  operation,
  contractVersion: contractVersionOf(provider, operation)
})

/** The endpoints of one decoded manifest. */
export const endpointsOf = ({ operations, ...provider }: ProviderManifest): ReadonlyArray<Endpoint> =>
  operations.map((operation) => makeEndpoint(provider, operation))
