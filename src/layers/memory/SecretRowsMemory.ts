/**
 * Connections and platform keys as rows in memory, for tests and trials. Secrets are sealed here too, so that callers
 * see no difference from Postgres.
 */
import { Clock, Effect, Layer, Ref } from "effect"
import {
  type ConnectionPlace,
  type AuthorizationRow,
  type ConnectionRow,
  type Leaving,
  type PlatformKeyRow,
  SecretRows,
  type LastExpiry,
  type StoredSecret
} from "../secrets/SecretRows.js"

/** The one who renews the tokens of a connection, and until when nobody else may. */
interface Renewal {
  readonly holder: string
  readonly until: number
}

const make = Effect.gen(function* () {
  /** Newest first. */
  const connections = yield* Ref.make<ReadonlyArray<ConnectionRow>>([])
  const platformKeys = yield* Ref.make<ReadonlyMap<string, PlatformKeyRow>>(new Map())

  const renewals = yield* Ref.make<ReadonlyMap<string, Renewal>>(new Map())
  const authorizations = yield* Ref.make<ReadonlyArray<AuthorizationRow & Partial<Leaving>>>([])
  const same = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.from(a).equals(b)
  const isAt =
    ({ connectionId, workspaceId }: ConnectionPlace) =>
    ({ connection }: ConnectionRow) =>
      connection.workspaceId === workspaceId && connection.connectionId === connectionId
  const endRenewal = ({ connectionId }: ConnectionPlace, holder: string) =>
    Ref.modify(renewals, (all) =>
      all.get(connectionId)?.holder === holder
        ? [true, new Map([...all].filter(([id]) => id !== connectionId))]
        : [false, all]
    )

  const isRefused = ({ connection: { oauth } }: ConnectionRow) => oauth !== null && oauth.refused !== null

  const changeConnection = (matches: (row: ConnectionRow) => boolean, change: (row: ConnectionRow) => ConnectionRow) =>
    Ref.modify(connections, (rows) => [rows.some(matches), rows.map((row) => (matches(row) ? change(row) : row))])

  return SecretRows.of({
    insertConnection: (connection, sealed) =>
      Ref.modify(connections, (rows) =>
        rows.some(isAt(connection)) ? [false, rows] : [true, [{ connection, sealed }, ...rows]]
      ),
    connection: (workspaceId, connectionId) =>
      Effect.map(
        Ref.get(connections),
        (rows) =>
          rows.find(
            ({ connection }) => connection.workspaceId === workspaceId && connection.connectionId === connectionId
          ) ?? null
      ),
    // One transaction runs at a time.
    countConnections: (workspaceId) =>
      Effect.map(
        Ref.get(connections),
        (rows) => rows.filter((row) => row.connection.workspaceId === workspaceId && row.sealed !== null).length
      ),
    newestConnection: (workspaceId, providerId, now) =>
      Effect.map(Ref.get(connections), (rows) => {
        const usable = rows.filter(
          ({ connection: { expiresAt, ...connection }, sealed }) =>
            connection.workspaceId === workspaceId &&
            connection.providerId === providerId &&
            sealed !== null &&
            (expiresAt === null || expiresAt > now)
        )
        return usable.find((row) => !isRefused(row)) ?? usable[0] ?? null
      }),
    claimRenewal: (place, holder, millis) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const row = (yield* Ref.get(connections)).find(isAt(place))
        if (row === undefined || row.sealed === null || row.connection.oauth === null) return null
        const before = yield* Ref.modify(renewals, (all) => {
          const found = all.get(place.connectionId)
          return found !== undefined && found.until > now
            ? [{ claimed: false, interrupted: false }, all]
            : [
                { claimed: true, interrupted: found !== undefined },
                new Map(all).set(place.connectionId, { holder, until: now + millis })
              ]
        })
        return { row, ...before }
      }),
    insertAuthorization: (row) =>
      Ref.update(authorizations, (all) => [...all.filter(({ expiresAt }) => expiresAt > row.createdAt), row]),
    authorization: (linkDigest, now) =>
      Effect.map(
        Ref.get(authorizations),
        (all) => all.find((row) => same(row.linkDigest, linkDigest) && row.expiresAt > now) ?? null
      ),
    leaveAuthorization: (linkDigest, leaving, now) =>
      Ref.modify(authorizations, (all) => {
        const found = all.find(
          (row) =>
            same(row.linkDigest, linkDigest) &&
            row.expiresAt > now &&
            (row.browserDigest === undefined || same(row.browserDigest, leaving.browserDigest))
        )
        return [found !== undefined, all.map((row) => (row === found ? { ...row, ...leaving } : row))]
      }),
    takeAuthorization: (stateDigest, browserDigest, now) =>
      Ref.modify(authorizations, (all) => {
        const found = all.find(
          (row) => same(row.stateDigest, stateDigest) && same(row.browserDigest, browserDigest) && row.expiresAt > now
        )
        return found?.settingsDigest === undefined
          ? [null, all]
          : [{ row: found, settingsDigest: found.settingsDigest }, all.filter((row) => row !== found)]
      }),
    storeRenewed: (place, { before, holder }, sealed, oauth) =>
      Effect.gen(function* () {
        const isHolder = yield* endRenewal(place, holder)
        return yield* changeConnection(
          (row) => isAt(place)(row) && row.sealed !== null && (isHolder || same(row.sealed.bytes, before.bytes)),
          (row) => ({ connection: { ...row.connection, oauth }, sealed })
        )
      }),
    endRenewal: (place, holder) => Effect.asVoid(endRenewal(place, holder)),
    refuseRenewal: (place, { before, holder }, oauth) =>
      Effect.gen(function* () {
        const unchanged = (row: ConnectionRow) => isAt(place)(row) && same(row.sealed?.bytes, before.bytes)
        if (!(yield* Ref.get(connections)).some(unchanged) || !(yield* endRenewal(place, holder))) return false
        return yield* changeConnection(unchanged, (row) => ({ ...row, connection: { ...row.connection, oauth } }))
      }),
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
        return [found ?? null, rows.map((row) => (row === found ? { ...row, sealed: null } : row))]
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
    platformProviders: Effect.map(Ref.get(platformKeys), (rows) => [...rows.keys()]),
    lastExpiries: (workspaceIds) =>
      Effect.map(Ref.get(connections), (rows) => {
        const last = new Map<string, LastExpiry>()
        for (const row of rows) {
          const { expiresAt, providerId, workspaceId } = row.connection
          if (row.sealed === null || isRefused(row) || !workspaceIds.includes(workspaceId)) continue
          const key = JSON.stringify([workspaceId, providerId])
          const before = last.get(key)
          if (before === undefined || (before.expiresAt ?? Infinity) < (expiresAt ?? Infinity))
            last.set(key, { workspaceId, providerId, expiresAt })
        }
        return [...last.values()]
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
    // The memory has one process.
    nodesWithout: () => Effect.succeed(0),
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
