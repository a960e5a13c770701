/**
 * Which providers have a key of the gateway or of a workspace. It holds no key itself. It is in memory, because the
 * catalog asks for every operation that it lists. The connections of a workspace are read when it is first asked about,
 * and kept while somebody asks. All is read again after a change on this node, and every three seconds for changes on
 * other nodes; while the storage does not answer, what was read last stands. A call does not rely on it: it reads its
 * key from the storage.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { makeReading } from "../node/Background.js"
import { SecretRows } from "./SecretRows.js"

/** How long the connections of a workspace are kept that nobody asks about. */
const keptMillis = 60_000

/** When the last connection to each provider expires. */
type Expiries = ReadonlyMap<string, number>
const noConnections: Expiries = new Map()

interface KnownWorkspace {
  readonly expiries: Expiries
  /** Which reading found it. An older one that ends later does not replace it. */
  readonly reading: number
  askedAt: number
}

/** The keys that a workspace may use, at one moment. */
export interface KeysKnown {
  /** Another one after each reading. */
  readonly version: string
  readonly hasPlatformKey: (providerId: string) => boolean
  readonly hasConnection: (providerId: string) => boolean
}

export class KnownKeys extends Context.Tag("gateway/layers/KnownKeys")<
  KnownKeys,
  {
    /** Null: of nobody's workspace. */
    readonly of: (workspaceId: WorkspaceId | null) => Effect.Effect<KeysKnown>
  }
>() {}

/** Whoever changes keys tells it here, so that this process knows it at once. */
export class KeysChanged extends Context.Tag("gateway/layers/KeysChanged")<
  KeysChanged,
  {
    readonly connections: (workspaceId: WorkspaceId) => Effect.Effect<void>
    readonly platformKeys: Effect.Effect<void>
  }
>() {}

/** For a process that asks for no `KnownKeys`, such as a command: it reads nothing, and waits for nothing. */
export const KeysChangedUnheard: Layer.Layer<KeysChanged> = Layer.succeed(KeysChanged, {
  connections: () => Effect.void,
  platformKeys: Effect.void
})

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const workspaces = new Map<WorkspaceId, KnownWorkspace>()
  let readings = 0

  const readConnections = Effect.fnUntraced(function* (ids: ReadonlyArray<WorkspaceId>) {
    const reading = (readings += 1)
    const found = new Map<WorkspaceId, Map<string, number>>()
    for (const { expiresAt, providerId, workspaceId } of ids.length === 0 ? [] : yield* rows.lastExpiries(ids)) {
      const expiries = found.get(workspaceId) ?? new Map<string, number>()
      found.set(workspaceId, expiries.set(providerId, expiresAt ?? Infinity))
    }
    const now = yield* Clock.currentTimeMillis
    for (const id of ids) {
      const known = workspaces.get(id)
      if (known !== undefined && known.reading > reading) continue
      const expiries = found.get(id) ?? noConnections
      workspaces.set(id, { expiries, reading, askedAt: known?.askedAt ?? now })
    }
  })

  const readAll: Effect.Effect<{ readonly reading: number; readonly providers: ReadonlySet<string> }, StorageError> =
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const [id, { askedAt }] of workspaces) if (now - askedAt >= keptMillis) workspaces.delete(id)
      yield* readConnections([...workspaces.keys()])
      return { reading: readings, providers: new Set(yield* rows.platformProviders) }
    })
  const platform = yield* makeReading({ name: "which keys exist", every: "3 seconds" }, readAll)

  const known = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    // Where the storage does not answer, nothing is known of a new workspace, and it is asked about again.
    if (!workspaces.has(workspaceId)) yield* Effect.ignore(readConnections([workspaceId]))
    const found = workspaces.get(workspaceId)
    if (found !== undefined) found.askedAt = yield* Clock.currentTimeMillis
    return found
  })

  return Context.make(KnownKeys, {
    of: Effect.fnUntraced(function* (workspaceId: WorkspaceId | null) {
      const found = workspaceId === null ? undefined : yield* known(workspaceId)
      const { providers, reading } = platform.last()
      const now = yield* Clock.currentTimeMillis
      return {
        version: `${reading} ${found?.reading ?? 0}`,
        hasPlatformKey: (providerId) => providers.has(providerId),
        hasConnection: (providerId) => (found?.expiries.get(providerId) ?? 0) > now
      } satisfies KeysKnown
    })
  }).pipe(
    Context.add(KeysChanged, {
      connections: (workspaceId) => Effect.ignore(readConnections([workspaceId])),
      platformKeys: Effect.ignore(platform.refresh)
    })
  )
})

export const KnownKeysLayer: Layer.Layer<KnownKeys | KeysChanged, never, SecretRows> = Layer.scopedContext(make)
