/**
 * What one workspace can run now: for each provider, whether a key is there and the provider is healthy, and for each
 * endpoint, whether the policy of the workspace denies it. The table holds all of them, so that a filter can read it
 * for every endpoint of a large catalog without another question.
 */
import { Clock, Effect } from "effect"
import type { Access } from "../../domain/CatalogRow.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { isKeyless } from "../../domain/Manifest.js"
import type { Credential } from "../../domain/ProviderCall.js"
import { denialOf, isUnrestricted, type WorkspacePolicy } from "../../domain/WorkspacePolicy.js"
import type { Viewer } from "../../services/Catalog.js"
import { Credentials, type WorkspaceAccess } from "../../services/Credentials.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { flags, isFlagged, type Provider, type Revision } from "./Revision.js"

const accesses: ReadonlyArray<Access> = ["runs_now", "needs_your_account", "coming_soon"]
const [runsNow, needsYourAccount, comingSoon] = [0, 1, 2]
const hiddenBit = 4
/** All codes are less than this number. */
export const codesMax = 8

export interface EndpointAccess {
  readonly access: Access
  readonly runnableNow: boolean
}

const unknown = 0
const allowed = 1
const denied = 2
/** The endpoints that a policy denies. It is asked once about each, when somebody looks at the endpoint. */
class DeniedEndpoints {
  private readonly verdicts: Uint8Array
  constructor(
    private readonly revision: Revision,
    private readonly policy: WorkspacePolicy
  ) {
    this.verdicts = new Uint8Array(revision.endpoints.length)
  }

  has(number: number): boolean {
    const known = this.verdicts[number] ?? unknown
    return (known === unknown ? (this.verdicts[number] = this.verdictOn(number)) : known) === denied
  }

  private verdictOn(number: number): number {
    const { category, endpoints } = this.revision
    const endpoint = endpoints[number]
    if (endpoint === undefined) return allowed
    const denial = denialOf(this.policy, {
      endpoint: endpoint.operation.id,
      provider: endpoint.provider.id,
      category: category.values[category.codes[number] ?? 0] ?? "",
      effectful: endpoint.operation.effect === "effectful"
    })
    return denial === null ? allowed : denied
  }
}

export class AccessTable {
  readonly hidesAny: boolean
  /** Whether there is a key, of the platform or of the workspace, with which some provider runs. */
  readonly hasKey: boolean
  constructor(
    private readonly revision: Revision,
    private readonly codes: Uint8Array,
    /** Null where the workspace has no policy. */
    private readonly denied: DeniedEndpoints | null
  ) {
    this.hidesAny = codes.some((code) => (code & hiddenBit) !== 0)
    this.hasKey = revision.providers.some((provider, at) => codes[at] === runsNow && !isKeyless(provider))
  }

  /** A small number that stands for one `EndpointAccess`. */
  codeOf(number: number): number {
    const code = this.codes[this.revision.accountOf[number] ?? 0] ?? 0
    return isFlagged(this.revision, number, flags.unavailable) || this.denied?.has(number) === true
      ? comingSoon | (code & hiddenBit)
      : code
  }
  of(number: number): EndpointAccess {
    const code = this.codeOf(number)
    const access = accesses[code & 3] ?? "coming_soon"
    return { access, runnableNow: access === "runs_now" }
  }
  /**
   * Whether the operator has switched the provider off. A provider that is only not ready yet is shown, as
   * `coming_soon`.
   */
  isHidden(number: number): boolean {
    return (this.codeOf(number) & hiddenBit) !== 0
  }
}

/** With more providers than this, a table is kept for a second, so that not every question makes a new one. */
const manyProviders = 100
const keptMillis = 1000
const keptMax = 200

/** The same text for the same policy; empty without one. */
const policyKeyOf = (viewer: Viewer | null): string =>
  viewer === null || isUnrestricted(viewer.policy) ? "" : JSON.stringify(viewer.policy)

interface Seen {
  readonly table: AccessTable
  readonly policyKey: string
  /** Which keys there are: a change on this node is seen at once. */
  readonly keysVersion: string
  readonly at: number
}

/** The access tables of one revision: each different table once, and for each workspace the table that it had last. */
class Tables {
  private readonly different = new Map<string, AccessTable>()
  private readonly denied = new Map<string, DeniedEndpoints>()
  private readonly seen = new Map<WorkspaceId | null, Seen>()
  constructor(private readonly revision: Revision) {}

  fresh(viewer: Viewer | null, keysVersion: string, now: number): AccessTable | null {
    const known = this.seen.get(viewer?.workspaceId ?? null)
    return known !== undefined &&
      now - known.at < keptMillis &&
      known.keysVersion === keysVersion &&
      known.policyKey === policyKeyOf(viewer)
      ? known.table
      : null
  }

  /** Gives the same table object for the same codes and policy, so that results found with it can be cached with it. */
  of(codes: Uint8Array, viewer: Viewer | null): AccessTable {
    const policyKey = policyKeyOf(viewer)
    const key = `${Buffer.from(codes).toString("latin1")} ${policyKey}`
    const table =
      this.different.get(key) ?? new AccessTable(this.revision, codes, this.deniedBy(viewer?.policy ?? null, policyKey))
    if (this.different.size >= keptMax) this.different.clear()
    this.different.set(key, table)
    return table
  }

  keep(viewer: Viewer | null, table: AccessTable, keysVersion: string, now: number): void {
    if (this.seen.size >= keptMax) this.seen.clear()
    this.seen.set(viewer?.workspaceId ?? null, { table, policyKey: policyKeyOf(viewer), keysVersion, at: now })
  }

  private deniedBy(policy: WorkspacePolicy | null, policyKey: string): DeniedEndpoints | null {
    if (policy === null || policyKey === "") return null
    const found = this.denied.get(policyKey) ?? new DeniedEndpoints(this.revision, policy)
    if (this.denied.size >= keptMax) this.denied.clear()
    this.denied.set(policyKey, found)
    return found
  }
}

export const accessTables = Effect.gen(function* () {
  const credentials = yield* Credentials
  const health = yield* ProviderHealth
  const tables = new WeakMap<Revision, Tables>()

  const codeOf = Effect.fnUntraced(function* (keys: WorkspaceAccess, provider: Provider) {
    const { state } = yield* health.health(provider.id)
    if (state === "disabled") return comingSoon | hiddenBit
    // A provider that the operator is emptying of calls, or that cools down after failures, rate limits or used-up
    // credit, is only away for a while.
    const withKey = (key: Credential["_tag"]) =>
      Effect.map(health.health(provider.id, key), ({ openForSeconds }) =>
        state === "enabled" && openForSeconds === 0 ? runsNow : comingSoon
      )
    if (isKeyless(provider)) return yield* withKey("None")
    const { hasConnection, hasPlatformKey } = keys.of(provider)
    if (hasConnection) return yield* withKey("Connection")
    if (provider.platformKey && hasPlatformKey) return yield* withKey("Platform")
    return provider.ownKey ? needsYourAccount : comingSoon
  })

  return Effect.fnUntraced(function* (revision: Revision, viewer: Viewer | null) {
    const workspaceId = viewer?.workspaceId ?? null
    const known = tables.get(revision) ?? new Tables(revision)
    tables.set(revision, known)
    const many = revision.providers.length >= manyProviders
    const now = yield* Clock.currentTimeMillis
    const keys = yield* credentials.access(workspaceId)
    const fresh = many ? known.fresh(viewer, keys.version, now) : null
    if (fresh !== null) return fresh
    const codes = new Uint8Array(revision.providers.length)
    for (const [at, provider] of revision.providers.entries()) codes[at] = yield* codeOf(keys, provider)
    const table = known.of(codes, viewer)
    if (many) known.keep(viewer, table, keys.version, now)
    return table
  })
})
/** What gives the table of a workspace. */
