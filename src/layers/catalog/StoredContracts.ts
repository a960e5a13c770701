// Contracts as they are stored: an endpoint's provider and operation, a job with its members. What was stored by an
// older program is read with today's defaults.
import { Schema } from "effect"
import { jobEndpointId } from "../../domain/EndpointIds.js"
import { type Endpoint, EndpointId, JobManifest, Operation, ProviderManifest } from "../../domain/Manifest.js"
import type { StoredContract } from "../../services/ContractStore.js"
import type { Revision } from "./Revision.js"

const { operations: _, ...providerFields } = ProviderManifest.fields
export const StoredProvider = Schema.Struct(providerFields)
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

/** Of the jobs; those of endpoints are made one by one, because a large catalog has many. */
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
