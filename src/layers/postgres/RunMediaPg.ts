/** Files of runs in Postgres. A file is written together with its answer, and read in parts. */
import { Effect, Schema } from "effect"
import { MediaId } from "../../domain/Ids.js"
import type { Media, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"

const decodeMedia = Schema.decodeUnknown(
  Schema.Array(
    Schema.Struct({
      mediaId: MediaId,
      contentType: Schema.String,
      filename: Schema.NullOr(Schema.String),
      sha256: Schema.String,
      size: Schema.Int
    })
  )
)
const decodeParts = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ part: Schema.Uint8ArrayFromSelf })))

/** Part of a transaction that writes the answer. */
export const insertMedia =
  ({ send, sql }: Database["Type"]) =>
  (media: ReadonlyArray<Media>) =>
    Effect.forEach(
      media,
      (one) =>
        send(sql`
          insert into media (workspace_id, run_id, media_id, content_type, filename, sha256, bytes)
          values (${one.workspaceId}, ${one.runId}, ${one.mediaId}, ${one.contentType}, ${one.filename}, ${one.sha256}, ${Buffer.from(one.bytes)})
          on conflict do nothing`),
      { discard: true }
    )

/** The files of one table. */
export const mediaOf = (
  { query, sql }: Database["Type"],
  table: "media" | "history_media"
): RunStore["Type"]["media"] => {
  const files = sql.literal(table)
  return Effect.fnUntraced(function* (key, mediaId) {
    const rows = yield* query(sql`
          select media_id as "mediaId", content_type as "contentType", filename, sha256, octet_length(bytes) as size from ${files}
          where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and media_id = ${mediaId}`)
    const [found] = yield* Effect.orDie(decodeMedia(rows))
    if (found === undefined) return null
    // Postgres stores the column outside of its row and does not compress it, so it reads only the pages of the part.
    const part = Effect.fnUntraced(function* (start: number, end: number) {
      const rows = yield* query(sql`
            select substring(bytes from ${start + 1}::int for ${end - start}::int) as part from (
              select bytes from media where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and media_id = ${mediaId}
              union all
              -- The run may have left the hot tables since its file was looked up.
              select bytes from history_media where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and media_id = ${mediaId}
            ) file`)
      return (yield* Effect.orDie(decodeParts(rows)))[0].part
    })
    return { ...found, workspaceId: key.workspaceId, runId: key.runId, part }
  })
}
