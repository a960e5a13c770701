/**
 * Which providers have a key of the gateway or of a workspace. It holds no key itself. It is in memory, because the
 * catalog asks for every operation that it lists. It is read again after each change on this node, and every three
 * seconds for changes on other nodes; while the storage does not answer, what was read last stands. A call does not
 * rely on it: it reads its key from the storage.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { makeReading } from "../node/Background.js"
import { SecretRows, type StoredAccess } from "./SecretRows.js"

interface Known {
  /** Of this reading. */
  readonly version: number
  readonly platformProviders: ReadonlySet<string>
  /** When the last connection of a workspace to a provider expires; by workspace, then provider. */
  readonly connectionsUntil: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const known = ({ connections, platformProviders }: StoredAccess, version: number): Known => {
  const connectionsUntil = new Map<string, Map<string, number>>()
  for (const { expiresAt, providerId, workspaceId } of connections) {
    const providers = connectionsUntil.get(workspaceId) ?? new Map<string, number>()
    connectionsUntil.set(workspaceId, providers.set(providerId, expiresAt ?? Infinity))
  }
  return { version, platformProviders: new Set(platformProviders), connectionsUntil }
}

export class KnownKeys extends Context.Tag("gateway/layers/KnownKeys")<
  KnownKeys,
  {
    /** Another number after each reading. */
    readonly version: Effect.Effect<number>
    readonly hasPlatformKey: (providerId: string) => Effect.Effect<boolean>
    readonly hasConnection: (workspaceId: WorkspaceId, providerId: string) => Effect.Effect<boolean>
  }
>() {}

/** Whoever changes keys tells it here, so that this process knows it at once. */
export class KeysChanged extends Context.Tag("gateway/layers/KeysChanged")<
  KeysChanged,
  { readonly tell: Effect.Effect<void> }
>() {}

/** For a process that asks for no `KnownKeys`, such as a command: it reads nothing, and waits for nothing. */
export const KeysChangedUnheard: Layer.Layer<KeysChanged> = Layer.succeed(KeysChanged, { tell: Effect.void })

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  let readings = 0
  const access = yield* makeReading(
    { name: "which keys exist", every: "3 seconds" },
    Effect.map(rows.access, (stored) => known(stored, (readings += 1)))
  )

  return Context.make(KnownKeys, {
    version: Effect.sync(() => access.last().version),
    hasPlatformKey: (providerId) => Effect.sync(() => access.last().platformProviders.has(providerId)),
    hasConnection: (workspaceId, providerId) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => (access.last().connectionsUntil.get(workspaceId)?.get(providerId) ?? 0) > now
      )
    // Where the storage does not answer, what was read last stands.
  }).pipe(Context.add(KeysChanged, { tell: Effect.ignore(access.refresh) }))
})

export const KnownKeysLayer: Layer.Layer<KnownKeys | KeysChanged, never, SecretRows> = Layer.scopedContext(make)
