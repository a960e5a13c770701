/**
 * Files of archived months in a folder: `runs-2026-01.ndjson.gz` has a line for each run and one for each of its files,
 * `runs-2026-01.manifest.json` says how many, with the digest. Either is written under another name, made durable, and
 * then renamed, so a file of its right name is whole. They hold what clients sent and got, so only this user may read
 * them.
 */
import { Chunk, Effect, Either, Layer, Schema, Stream } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { finished, pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import { ArchiveFailed, ArchiveFiles } from "../../services/ArchiveFiles.js"
import type { ArchivedRun, MonthTotals } from "../../services/RunHistory.js"

const partBytes = 262_144

const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, ArchiveFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new ArchiveFailed({
        message: `${what} failed (${cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason"}); no run has left the database. Check GATEWAY_ARCHIVE_DIR`,
        cause
      })
  })

/** The lines of a run. A file is read in parts, so that the storage is asked for no more than a part at once. */
const linesOf = ({ attempts, media, run }: ArchivedRun) =>
  Effect.gen(function* () {
    const files = yield* Effect.forEach(media, (file) =>
      Effect.gen(function* () {
        const parts: Array<Uint8Array> = []
        for (let start = 0; start < file.size; start += partBytes)
          parts.push(yield* file.part(start, Math.min(file.size, start + partBytes)))
        const { contentType, filename, mediaId, runId, sha256, workspaceId } = file
        const base64 = Buffer.concat(parts).toString("base64")
        return writeJson({ kind: "media", workspaceId, runId, mediaId, contentType, filename, sha256, base64 })
      })
    )
    return [writeJson({ kind: "run", ...run, attempts }), ...files]
  })

/** Renames are durable once their folder is. */
const renamed = async (folder: string, from: string, to: string) => {
  const file = await open(from, "r+")
  await file.sync().finally(() => file.close())
  await rename(from, to)
  const place = await open(folder, "r")
  await place.sync().finally(() => place.close())
}

const Line = Schema.Struct({
  kind: Schema.Literal("run", "media"),
  holdMicros: Schema.optional(Schema.Int),
  chargeMicros: Schema.optional(Schema.NullOr(Schema.Int))
})
const readLine = Schema.decodeUnknownEither(Line)

interface Found extends MonthTotals {
  readonly files: number
  /** Of the file, and of the lines in it. */
  readonly sha256: string
  readonly linesSha256: string
}

/** What a finished file holds, read from the disk. */
const inspect = async (path: string): Promise<Found> => {
  const hash = createHash("sha256")
  const lines = createHash("sha256")
  const raw = createReadStream(path)
  raw.on("data", (bytes) => hash.update(bytes))
  const text = createGunzip()
  text.on("data", (bytes: Buffer) => lines.update(bytes))
  const read = pipeline(raw, text)
  // It is awaited below, once there are no more lines.
  read.catch(() => undefined)
  const found = { runs: 0, heldMicros: 0, chargedMicros: 0, files: 0 }
  for await (const line of createInterface({ input: text, crlfDelay: Infinity })) {
    const parsed = Either.flatMap(readJson(line), readLine)
    if (Either.isLeft(parsed)) continue
    const { chargeMicros, holdMicros, kind } = parsed.right
    if (kind === "media") found.files += 1
    else {
      found.runs += 1
      found.heldMicros += holdMicros ?? 0
      found.chargedMicros += chargeMicros ?? 0
    }
  }
  await read
  return { ...found, sha256: hash.digest("hex"), linesSha256: lines.digest("hex") }
}

export const ArchiveFilesOnDisk = (folder: string): Layer.Layer<ArchiveFiles> =>
  Layer.succeed(
    ArchiveFiles,
    ArchiveFiles.of({
      keep: (month, runs, expected) =>
        Effect.gen(function* () {
          const name = `runs-${month}.ndjson.gz`
          const path = join(folder, name)
          const partial = `${path}.${randomBytes(6).toString("hex")}.partial`
          const given = createHash("sha256")
          yield* attempt(`Making the folder ${folder}`, async () => {
            await mkdir(folder, { recursive: true, mode: 0o700 })
            // What a process that was killed has left.
            for (const other of await readdir(folder))
              if (other.startsWith(`runs-${month}.`) && other.endsWith(".partial"))
                await rm(join(folder, other), { force: true })
          })
          yield* Effect.acquireUseRelease(
            Effect.sync(() => {
              const gzip = createGzip()
              const written = pipeline(gzip, createWriteStream(partial, { flags: "wx", mode: 0o600 }))
              // It is awaited at the end; until then its failure ends a write.
              written.catch(() => undefined)
              return { gzip, written }
            }),
            ({ gzip, written }) =>
              Effect.gen(function* () {
                yield* Stream.runForEachChunk(runs, (portion) =>
                  Effect.flatMap(Effect.forEach(Chunk.toReadonlyArray(portion), linesOf), (lines) =>
                    attempt(`Writing ${partial}`, async () => {
                      for (const line of lines.flat()) {
                        given.update(`${line}\n`)
                        if (!gzip.write(`${line}\n`))
                          await Promise.race([new Promise((go) => gzip.once("drain", go)), written])
                      }
                    })
                  )
                )
                yield* attempt(`Writing ${partial}`, async () => {
                  gzip.end()
                  await written
                  await renamed(folder, partial, path)
                })
              }),
            ({ gzip }) =>
              Effect.promise(async () => {
                gzip.destroy()
                await finished(gzip).catch(() => undefined)
                await rm(partial, { force: true }).catch(() => undefined)
              })
          )
          const { linesSha256, sha256, ...found } = yield* attempt(`Reading ${path} again`, () => inspect(path))
          if (
            found.runs !== expected.runs ||
            found.heldMicros !== expected.heldMicros ||
            found.chargedMicros !== expected.chargedMicros
          )
            return yield* new ArchiveFailed({
              message: `${path} has ${found.runs} runs with ${found.chargedMicros} micros charged where the database has ${expected.runs} with ${expected.chargedMicros}; no run has left the database`
            })
          if (linesSha256 !== given.digest("hex"))
            return yield* new ArchiveFailed({
              message: `${path} reads differently from what was written; no run has left the database. Check the disk`
            })
          const manifest = join(folder, `runs-${month}.manifest.json`)
          const draft = `${manifest}.${randomBytes(6).toString("hex")}.partial`
          yield* attempt(`Writing ${manifest}`, async () => {
            await writeFile(
              draft,
              `${JSON.stringify({ version: 1, month, file: name, sha256, ...found }, null, 2)}\n`,
              { mode: 0o600 }
            )
            await renamed(folder, draft, manifest)
          })
          return { name, sha256 }
        })
    })
  )

/** Where no files are kept, nobody asks for one. */
export const ArchiveFilesNone: Layer.Layer<ArchiveFiles> = Layer.succeed(
  ArchiveFiles,
  ArchiveFiles.of({
    keep: () => new ArchiveFailed({ message: "GATEWAY_ARCHIVE_DIR is not set" })
  })
)
