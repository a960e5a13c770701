/**
 * The lines of an archived month: `{"kind":"run",…}` for each run, and after it `{"kind":"media",…}` for each of its
 * files, with the bytes in base64. A file may have a hundred megabytes, and a month any number of them. So lines are
 * written and read in pieces, and that of a file is never in memory as a whole.
 */
import { Either, Schema, Stream } from "effect"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { ArchivedRun } from "../../services/RunHistory.js"
import type { StoredMedia } from "../../services/RunStore.js"

export const pieceBytesMax = 262_144
/** Three bytes are four letters of base64, so the letters of such parts are those of the whole file. */
const partBytes = (pieceBytesMax / 4) * 3

const cut = function* (bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += pieceBytesMax) yield bytes.subarray(start, start + pieceBytesMax)
}

const partsOf = (file: StoredMedia) =>
  Stream.iterate(0, (start) => start + partBytes).pipe(
    Stream.takeWhile((start) => start < file.size),
    Stream.mapEffect((start) => file.part(start, Math.min(file.size, start + partBytes))),
    Stream.map(({ buffer, byteLength, byteOffset }) =>
      Buffer.from(Buffer.from(buffer, byteOffset, byteLength).toString("base64"), "latin1")
    )
  )

const fileLine = (file: StoredMedia): Stream.Stream<Buffer, StorageError> => {
  const { contentType, filename, mediaId, runId, sha256, workspaceId } = file
  const empty = writeJson({ kind: "media", workspaceId, runId, mediaId, contentType, filename, sha256, base64: "" })
  const end = empty.length - `"}`.length
  return Stream.make(Buffer.from(empty.slice(0, end))).pipe(
    Stream.concat(partsOf(file)),
    Stream.concat(Stream.make(Buffer.from(`${empty.slice(end)}\n`)))
  )
}

/** The lines of a run in pieces of at most `pieceBytesMax`. The next part of a file is read when it is asked for. */
export const piecesOf = ({ attempts, media, run }: ArchivedRun): Stream.Stream<Buffer, StorageError> =>
  Stream.suspend(() => Stream.fromIterable(cut(Buffer.from(`${writeJson({ kind: "run", ...run, attempts })}\n`)))).pipe(
    Stream.rechunk(1),
    Stream.concat(Stream.flatMap(Stream.fromIterable(media), fileLine))
  )

const RunLine = Schema.Struct({
  kind: Schema.Literal("run"),
  holdMicros: Schema.optional(Schema.Int),
  chargeMicros: Schema.optional(Schema.NullOr(Schema.Int))
})
const readRunLine = Schema.decodeUnknownEither(RunLine)

const runStart = `{"kind":"run"`
const fileStart = `{"kind":"media"`
const lineFeed = 0x0a

/**
 * Reads the lines of a file, as its bytes come, and counts. Only the line of a run is put together: what a line is, its
 * beginning says. Lines end with a line feed and nothing else, since a text may hold any other end of a line.
 */
export class LinesRead {
  runs = 0
  heldMicros = 0
  chargedMicros = 0
  files = 0
  private line: Array<Buffer> = []
  private kind: "run" | "file" | "other" | undefined
  /** Bytes of the line so far that are in memory. */
  kept = 0

  take(bytes: Buffer): void {
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      this.more(bytes.subarray(start, end))
      this.end()
      start = end + 1
    }
    this.more(bytes.subarray(start))
  }

  /** Also at the end of the bytes, where a last line may have no line feed. */
  end(): void {
    if (this.kind === "file") this.files += 1
    if (this.kind === "run") this.count(Buffer.concat(this.line).toString())
    this.kind = undefined
    this.forget()
  }

  private more(bytes: Buffer): void {
    if (bytes.length === 0 || this.kind === "file" || this.kind === "other") return
    this.line.push(bytes)
    this.kept += bytes.length
    if (this.kind === "run" || this.kept < fileStart.length) return
    const start = Buffer.concat(this.line).toString("latin1", 0, fileStart.length)
    this.kind = start.startsWith(runStart) ? "run" : start === fileStart ? "file" : "other"
    if (this.kind !== "run") this.forget()
  }

  private forget(): void {
    this.line = []
    this.kept = 0
  }

  private count(line: string): void {
    const parsed = Either.flatMap(readJson(line), readRunLine)
    if (Either.isLeft(parsed)) return
    const { chargeMicros, holdMicros } = parsed.right
    this.runs += 1
    this.heldMicros += holdMicros ?? 0
    this.chargedMicros += chargeMicros ?? 0
  }
}
