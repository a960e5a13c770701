/**
 * Which keys exist, without any of them, in memory: read anew at once after a change on this node and every few seconds
 * for those of others. While the storage does not answer, the last known state stands. Only says what could be run;
 * whether a key is really there is found out when it is used.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { makeReading } from "../node/Background.js"
import { SecretRows, type StoredAccess } from "./SecretRows.js"

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
  const access = yield* makeReading({ name: "which keys exist", every: "3 seconds" }, Effect.map(rows.access, known))

  return AccessSnapshot.of({
    hasPlatformKey: (providerId) => Effect.sync(() => access.last().platformProviders.has(providerId)),
    hasConnection: (workspaceId, providerId) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => (access.last().connectionsUntil.get(workspaceId)?.get(providerId) ?? 0) > now
      ),
    refresh: Effect.ignore(access.refresh)
  })
})

export const AccessSnapshotLayer: Layer.Layer<AccessSnapshot, never, SecretRows> = Layer.scoped(AccessSnapshot, make)
