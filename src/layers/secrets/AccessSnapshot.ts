/**
 * Which keys exist, without any of them, in memory: read anew at once after a change on this node and every few seconds
 * for those of others. While the storage does not answer, the last known state stands. Only says what could be run;
 * whether a key is really there is found out when it is used.
 */
import { Clock, Context, Effect, Layer, Ref, Schedule } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { SecretRows, type StoredAccess } from "./SecretRows.js"

const refreshEvery = "3 seconds"

interface Known {
  readonly platformProviders: ReadonlySet<string>
  /** When the last connection of a workspace to a provider expires; by workspace, then provider. */
  readonly connectionsUntil: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const known = ({ connections, platformProviders }: StoredAccess): Known => {
  const connectionsUntil = new Map<string, Map<string, number>>()
  for (const { expiresAt, providerId, workspaceId } of connections) {
    const providers = connectionsUntil.get(workspaceId) ?? new Map<string, number>()
    connectionsUntil.set(
      workspaceId,
      providers.set(providerId, Math.max(providers.get(providerId) ?? 0, expiresAt ?? Infinity))
    )
  }
  return { platformProviders: new Set(platformProviders), connectionsUntil }
}

export class AccessSnapshot extends Context.Tag("gateway/layers/AccessSnapshot")<
  AccessSnapshot,
  {
    readonly hasPlatformKey: (providerId: string) => Effect.Effect<boolean>
    readonly hasConnection: (workspaceId: WorkspaceId, providerId: string) => Effect.Effect<boolean>
    /** Reads it anew; keeps what it has when the storage does not answer. */
    readonly refresh: Effect.Effect<void>
  }
>() {}

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const state = yield* Ref.make<Known>({ platformProviders: new Set(), connectionsUntil: new Map() })
  // One at a time, so that an older reading never replaces a newer one.
  const one = yield* Effect.makeSemaphore(1)
  const refresh = Effect.ignore(
    one.withPermits(1)(Effect.flatMap(rows.access, (access) => Ref.set(state, known(access))))
  )

  yield* refresh
  yield* Effect.forkScoped(Effect.withTracerEnabled(Effect.schedule(refresh, Schedule.spaced(refreshEvery)), false))

  return AccessSnapshot.of({
    hasPlatformKey: (providerId) =>
      Effect.map(Ref.get(state), ({ platformProviders }) => platformProviders.has(providerId)),
    hasConnection: (workspaceId, providerId) =>
      Effect.zipWith(
        Ref.get(state),
        Clock.currentTimeMillis,
        ({ connectionsUntil }, now) => (connectionsUntil.get(workspaceId)?.get(providerId) ?? 0) > now
      ),
    refresh
  })
})

export const AccessSnapshotLayer: Layer.Layer<AccessSnapshot, never, SecretRows> = Layer.scoped(AccessSnapshot, make)
