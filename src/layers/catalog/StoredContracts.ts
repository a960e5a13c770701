// The stored form of contracts: for an endpoint its provider and operation, for a job the job and its members. A
// contract that an older program stored is read with today's defaults.
import { Schema } from "effect"
import { jobEndpointId } from "../../domain/EndpointIds.js"
import { type Endpoint, EndpointId, JobManifest, Operation, ProviderManifest } from "../../domain/Manifest.js"
import type { StoredContract } from "../../services/ContractStore.js"
import type { Revision } from "./Revision.js"

const { operations: _, ...providerFields } = ProviderManifest.fields
const StoredProvider = Schema.Struct(providerFields)
const StoredEndpoint = Schema.Struct({ provider: StoredProvider, operation: Operation })
const StoredJob = Schema.Struct({
  job: JobManifest,
  members: Schema.Array(Schema.Struct({ endpointId: EndpointId, contractVersion: Schema.String }))
})
export const decodeStoredEndpoint = Schema.decodeUnknownOption(StoredEndpoint)
export const decodeStoredJob = Schema.decodeUnknownOption(StoredJob)

export const storedEndpoint = ({ contractVersion, operation, provider }: Endpoint): StoredContract => ({
  endpointId: operation.id,
  contractVersion,
  contract: () => JSON.stringify({ provider, operation })
})

/**
 * The stored contracts of the jobs. The contracts of endpoints are made one by one, because a large catalog has many.
 */
export const storedJobs = (revision: Revision): ReadonlyArray<StoredContract> =>
  Array.from(revision.jobs.values(), (job) => ({
    endpointId: jobEndpointId(job.id),
    contractVersion: revision.jobVersions.get(job.id) ?? "",
    contract: () =>
      JSON.stringify({
        job,
        members: (revision.numbersOfJob.get(job.id) ?? []).flatMap((number) => {
          const endpoint = revision.endpoints[number]
          return endpoint === undefined
            ? []
            : [{ endpointId: endpoint.operation.id, contractVersion: endpoint.contractVersion }]
        })
      })
  }))
