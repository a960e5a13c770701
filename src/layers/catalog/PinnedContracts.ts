/**
 * The contracts of operations and jobs, by version. The version in force comes from the served revision. An older
 * version comes from storage, where it stays readable. In both cases, access and the order of a job's providers are
 * those of this moment.
 */
import { Effect, Option } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import type { Access } from "../../domain/CatalogRow.js"
import { jobEndpointId, jobNamedBy } from "../../domain/EndpointIds.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { contractOf, type HoldOf, jobContractOf } from "../../domain/ContractMaking.js"
import type { OperationContract } from "../../domain/OperationContract.js"
import { nearest } from "../../domain/Similar.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { ContractStore } from "../../services/ContractStore.js"
import { holdOf } from "../providers/PriceByInput.js"
import { suppliersOf, type SupplyOptions } from "./JobSupply.js"
import { idMeant } from "./MeantIds.js"
import { jobOf } from "./Revision.js"
import { endpointOf, type Seen, type ServedRevision } from "./ServedRevision.js"
import { decodeStoredEndpoint, decodeStoredJob } from "./StoredContracts.js"

type Contracts = ContractStore["Type"]

export interface ContractOptions extends SupplyOptions {
  /** What a run of a job holds at one of its providers; null when that provider does not take the input. */
  readonly jobHoldOf: HoldOf
}

/** The endpoint as it was in this version; null when no such version was ever stored. */
export const endpointAt: (
  contracts: Contracts,
  served: ServedRevision,
  endpointId: string,
  contractVersion: string
) => Effect.Effect<Endpoint | null, StorageError> = Effect.fnUntraced(
  function* (contracts, served, endpointId, contractVersion) {
    const endpoint = endpointOf(served.revision, endpointId)
    if (endpoint?.contractVersion === contractVersion) return endpoint
    const stored = decodeStoredEndpoint(yield* contracts.find(endpointId, contractVersion))
    return Option.isNone(stored) ? null : { ...stored.value, contractVersion }
  }
)

const accessNow = ({ served: { revision }, view }: Seen, { operation }: Endpoint): Access => {
  const number = revision.numberOf.get(operation.id)
  return number === undefined ? "coming_soon" : view.table.of(number).access
}

/** `contractVersion` is null for the version in force. */
const jobContract: (
  contracts: Contracts,
  seen: Seen,
  options: ContractOptions,
  jobId: string,
  contractVersion: string | null
) => Effect.Effect<OperationContract, NotFound | StorageError> = Effect.fnUntraced(
  function* (contracts, seen, options, jobId, contractVersion) {
    const { revision } = seen.served
    const id = jobEndpointId(jobId)
    const job = revision.jobs.get(jobId)
    const inForce = revision.jobVersions.get(jobId)
    if (job !== undefined && inForce !== undefined && (contractVersion === null || contractVersion === inForce))
      return jobContractOf(job, {
        supply: suppliersOf(seen, jobId, "balanced", options),
        contractVersion: inForce,
        holdOf: options.jobHoldOf
      })
    const stored =
      contractVersion === null ? Option.none() : decodeStoredJob(yield* contracts.find(id, contractVersion))
    if (contractVersion === null || Option.isNone(stored)) {
      if (contractVersion !== null && job !== undefined)
        return yield* new NotFound({ what: `version of ${id}`, id: contractVersion })
      const meant = job === undefined ? nearest(jobId, revision.jobs.keys()) : null
      return yield* new NotFound({ what: "operation", id, ...(meant === null ? {} : { meant: jobEndpointId(meant) }) })
    }
    const members = yield* Effect.forEach(stored.value.members, (member) =>
      endpointAt(contracts, seen.served, member.endpointId, member.contractVersion)
    )
    const supply = members.flatMap((endpoint) =>
      endpoint === null ? [] : [{ endpoint, reason: "a provider of this version", access: accessNow(seen, endpoint) }]
    )
    return jobContractOf(stored.value.job, { supply, contractVersion, holdOf: options.jobHoldOf })
  }
)

/** The contract of an operation or of a job (`job:<id>`). `contractVersion` is null for the version in force. */
export const operationContract: (
  contracts: Contracts,
  seen: Seen,
  options: ContractOptions,
  endpointId: string,
  contractVersion: string | null
) => Effect.Effect<OperationContract, NotFound | StorageError> = Effect.fnUntraced(
  function* (contracts, seen, options, endpointId, contractVersion) {
    const jobId = jobNamedBy(endpointId)
    if (jobId !== null) return yield* jobContract(contracts, seen, options, jobId, contractVersion)
    const { revision } = seen.served
    const endpoint =
      contractVersion === null
        ? endpointOf(revision, endpointId)
        : yield* endpointAt(contracts, seen.served, endpointId, contractVersion)
    if (endpoint === null) {
      if (contractVersion !== null && endpointOf(revision, endpointId) !== null)
        return yield* new NotFound({ what: `version of ${endpointId}`, id: contractVersion })
      const meant = idMeant(revision, endpointId)
      return yield* new NotFound({ what: "operation", id: endpointId, ...(meant === null ? {} : { meant }) })
    }
    return contractOf(endpoint, { job: jobOf(revision, endpoint), access: accessNow(seen, endpoint), holdOf })
  }
)
