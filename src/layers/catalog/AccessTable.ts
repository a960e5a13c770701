// Who can run what now: for each provider whether its keys are there and it is well, for one workspace. Made whole, so that filters
// can read it for every endpoint of a large catalog without asking again.
import { Clock, Effect } from "effect"
import type { Access } from "../../domain/CatalogView.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { isKeyless } from "../../domain/Manifest.js"
import { Credentials } from "../../services/Credentials.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { flags, isFlagged, type Provider, type Revision } from "./Revision.js"

const accesses: ReadonlyArray<Access> = ["runs_now", "needs_your_account", "coming_soon"]
const healthyBit = 4
const hiddenBit = 8
/** Codes are below this. */
export const codesMax = 16

export interface EndpointAccess {
  readonly access: Access
  readonly runnableNow: boolean
}

export class AccessTable {
  constructor(private readonly revision: Revision, private readonly codes: Uint8Array, readonly madeAt: number) {}

  /** A small number that stands for one `EndpointAccess`. */
  codeOf(number: number): number {
    const code = this.codes[this.revision.accountOf[number] ?? 0] ?? 0
    return isFlagged(this.revision, number, flags.unavailable) ? accesses.indexOf("coming_soon") | (code & hiddenBit) : code
  }
  of(number: number): EndpointAccess {
    const code = this.codeOf(number)
    const access = accesses[code & 3] ?? "coming_soon"
    return { access, runnableNow: access === "runs_now" && (code & healthyBit) !== 0 }
  }
  /** The operator has switched the provider off. What is merely not ready yet is shown, as `coming_soon`. */
  isHidden(number: number): boolean {
    return (this.codeOf(number) & hiddenBit) !== 0
  }
}

/** Above this many providers a table is kept for a second instead of being made anew for every question. */
const manyProviders = 100
const keptMillis = 1000
const workspacesMax = 200

export const accessTables = Effect.gen(function*() {
  const credentials = yield* Credentials
  const health = yield* ProviderHealth

  const codeOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId | null, provider: Provider) {
    const { openForSeconds, state } = yield* health.health(provider.id)
    const healthy = state === "enabled" && openForSeconds === 0 ? healthyBit : 0
    if (state === "disabled") return accesses.indexOf("coming_soon") | hiddenBit
    if (isKeyless(provider)) return healthy
    const { hasConnection, hasPlatformKey } = yield* credentials.access(workspaceId, provider)
    if (hasConnection || (provider.platformKey && hasPlatformKey)) return healthy
    return accesses.indexOf(provider.ownKey ? "needs_your_account" : "coming_soon") | healthy
  })

  const make = Effect.fnUntraced(function*(revision: Revision, workspaceId: WorkspaceId | null) {
    const codes = new Uint8Array(revision.providers.length)
    for (const [at, provider] of revision.providers.entries()) codes[at] = yield* codeOf(workspaceId, provider)
    return new AccessTable(revision, codes, yield* Clock.currentTimeMillis)
  })

  const kept = new WeakMap<Revision, Map<WorkspaceId | null, AccessTable>>()
  return Effect.fnUntraced(function*(revision: Revision, workspaceId: WorkspaceId | null) {
    if (revision.providers.length < manyProviders) return yield* make(revision, workspaceId)
    const tables = kept.get(revision) ?? new Map<WorkspaceId | null, AccessTable>()
    const known = tables.get(workspaceId)
    if (known !== undefined && (yield* Clock.currentTimeMillis) - known.madeAt < keptMillis) return known
    const made = yield* make(revision, workspaceId)
    if (tables.size >= workspacesMax) tables.clear()
    kept.set(revision, tables.set(workspaceId, made))
    return made
  })
})
/** What gives the table of a workspace. */
export type TableOf = Effect.Effect.Success<typeof accessTables>
