/**
 * In which workspace a token is, for those who know only its secret or its id. Rows of tokens are kept by workspace, so
 * every other statement names it. A token never moves, so its place is remembered; whether it still works is read anew
 * each time. Secrets that are nobody's are not remembered.
 */
import { Effect, Schema } from "effect"
import { type TokenId, WorkspaceId } from "../../domain/Ids.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"

/** About 4 MB. */
const placesMax = 20_000

const placeRow = rowOf(Schema.Struct({ workspaceId: WorkspaceId }))
const placeRows = rowsOf(Schema.Struct({ digest: Schema.String, workspaceId: WorkspaceId }))

export interface TokenPlaces {
  /** By the digest of a secret, as hexadecimal digits. What is not in the answer is no secret of a token. */
  readonly ofDigests: (digests: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, WorkspaceId>, StorageError>
  /** The secret was not found in its place. */
  readonly forget: (digest: string) => void
}

export const makeTokenPlaces = ({ query, sql }: Database["Type"]): TokenPlaces => {
  const places = new Map<string, WorkspaceId>()
  const remember = (digest: string, workspaceId: WorkspaceId) => {
    if (places.size >= placesMax) for (const oldest of places.keys()) if (places.delete(oldest)) break
    places.set(digest, workspaceId)
  }
  return {
    ofDigests: Effect.fnUntraced(function* (digests) {
      const unknown = digests.filter((digest) => !places.has(digest)).map((digest) => Buffer.from(digest, "hex"))
      if (unknown.length === 0) return places
      const found = yield* placeRows(
        query(sql`
          select encode(digest, 'hex') as digest, workspace_id as "workspaceId" from tokens where digest = any(${unknown}::bytea[])
          union all
          select encode(digest, 'hex'), workspace_id from superseded_secrets where digest = any(${unknown}::bytea[])`)
      )
      // The places of this question, even if another one makes the map forget some of them meanwhile.
      const asked = new Map(found.map(({ digest, workspaceId }) => [digest, workspaceId]))
      for (const digest of digests) {
        const known = places.get(digest)
        if (known !== undefined) asked.set(digest, known)
      }
      for (const { digest, workspaceId } of found) remember(digest, workspaceId)
      return asked
    }),
    forget: (digest) => void places.delete(digest)
  }
}

/** Null when there is no such token. */
export const placeOfToken = (
  { query, sql }: Database["Type"],
  tokenId: TokenId
): Effect.Effect<WorkspaceId | null, StorageError> =>
  Effect.map(
    placeRow(query(sql`select workspace_id as "workspaceId" from tokens where token_id = ${tokenId}`)),
    (row) => row?.workspaceId ?? null
  )
