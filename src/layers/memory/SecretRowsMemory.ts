/**
 * Connections and platform keys as rows in memory, for tests and trials. Secrets are sealed here too, so that callers
 * see no difference from Postgres.
 */
import { Effect, Layer, Ref } from "effect"
import { type ConnectionRow, type PlatformKeyRow, SecretRows, type StoredSecret } from "../secrets/SecretRows.js"

const make = Effect.gen(function* () {
  /** Newest first. */
  const connections = yield* Ref.make<ReadonlyArray<ConnectionRow>>([])
  const platformKeys = yield* Ref.make<ReadonlyMap<string, PlatformKeyRow>>(new Map())

  const changeConnection = (matches: (row: ConnectionRow) => boolean, change: (row: ConnectionRow) => ConnectionRow) =>
    Ref.modify(connections, (rows) => [rows.some(matches), rows.map((row) => (matches(row) ? change(row) : row))])

  return SecretRows.of({
    insertConnection: (connection, sealed) => Ref.update(connections, (rows) => [{ connection, sealed }, ...rows]),
    connection: (workspaceId, connectionId) =>
      Effect.map(
        Ref.get(connections),
        (rows) =>
          rows.find(
            ({ connection }) => connection.workspaceId === workspaceId && connection.connectionId === connectionId
          ) ?? null
      ),
    newestConnection: (workspaceId, providerId, now) =>
      Effect.map(
        Ref.get(connections),
        (rows) =>
          rows.find(
            ({ connection: { expiresAt, ...connection }, sealed }) =>
              connection.workspaceId === workspaceId &&
              connection.providerId === providerId &&
              sealed !== null &&
              (expiresAt === null || expiresAt > now)
          ) ?? null
      ),
    connections: (workspaceId, { after, limit }) =>
      Effect.map(Ref.get(connections), (rows) =>
        rows
          .filter(
            ({ connection, sealed }) =>
              connection.workspaceId === workspaceId &&
              sealed !== null &&
              (after === null || connection.connectionId < after)
          )
          .slice(0, limit + 1)
          .map(({ connection }) => connection)
      ),
    deleteConnection: (workspaceId, connectionId) =>
      Ref.modify(connections, (rows) => {
        const found = rows.find(
          ({ connection, sealed }) =>
            connection.workspaceId === workspaceId && connection.connectionId === connectionId && sealed !== null
        )
        return [found?.connection ?? null, rows.map((row) => (row === found ? { ...row, sealed: null } : row))]
      }),
    putPlatformKey: (row) =>
      Ref.modify(platformKeys, (rows) => [rows.get(row.providerId) ?? null, new Map(rows).set(row.providerId, row)]),
    deletePlatformKey: (providerId) =>
      Ref.modify(platformKeys, (rows) => [
        rows.get(providerId) ?? null,
        new Map([...rows].filter(([id]) => id !== providerId))
      ]),
    platformKey: (providerId) => Effect.map(Ref.get(platformKeys), (rows) => rows.get(providerId) ?? null),
    platformKeys: Effect.map(Ref.get(platformKeys), (rows) =>
      [...rows.values()].sort((a, b) => (a.providerId < b.providerId ? -1 : 1))
    ),
    access: Effect.gen(function* () {
      const rows = yield* Ref.get(connections)
      return {
        platformProviders: [...(yield* Ref.get(platformKeys)).keys()],
        connections: rows.filter(({ sealed }) => sealed !== null).map(({ connection }) => connection)
      }
    }),
    notSealedWith: (keyId) =>
      Effect.gen(function* () {
        const found: Array<StoredSecret> = []
        for (const {
          connection: { connectionId, workspaceId },
          sealed
        } of yield* Ref.get(connections)) {
          if (sealed !== null && sealed.keyId !== keyId)
            found.push({ place: { _tag: "Connection", workspaceId, connectionId }, sealed })
        }
        for (const { providerId, sealed } of (yield* Ref.get(platformKeys)).values()) {
          if (sealed.keyId !== keyId) found.push({ place: { _tag: "PlatformKey", providerId }, sealed })
        }
        return found
      }),
    replaceSeal: ({ place, sealed: before }, sealed) =>
      place._tag === "Connection"
        ? changeConnection(
            (row) => row.connection.connectionId === place.connectionId && row.sealed === before,
            (row) => ({ ...row, sealed })
          )
        : Ref.modify(platformKeys, (rows) => {
            const row = rows.get(place.providerId)
            return row?.sealed === before
              ? [true, new Map(rows).set(place.providerId, { ...row, sealed })]
              : [false, rows]
          })
  })
})

export const SecretRowsMemory: Layer.Layer<SecretRows> = Layer.effect(SecretRows, make)
