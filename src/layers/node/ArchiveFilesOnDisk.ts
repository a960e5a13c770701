/**
 * Files of archived months in a folder: `runs-2026-01.ndjson.gz` has a line for each run and one for each of its files,
 * `runs-2026-01.manifest.json` says how many, with the digest. Either is written under another name, made durable, read
 * back, and then given its name, so a file of its right name is whole. A file of runs that is there is never replaced,
 * whoever wrote it: two gateways may share a folder by mistake, and a restored database has months again that it gave
 * away before. They hold what clients sent and got, so only this user may read them.
 */
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { createWriteStream } from "node:fs"
import { access, link, mkdir, mkdtemp, open, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { finished, pipeline } from "node:stream/promises"
import { createGunzip, createGzip, type Gzip } from "node:zlib"
import { ArchiveFailed, ArchiveFiles, ArchiveOccupied } from "../../services/ArchiveFiles.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { ArchivedRun, MonthTotals } from "../../services/RunHistory.js"
import { LinesRead, piecesOf } from "./ArchiveLines.js"
import { codeOf, openedToRead, textOf } from "./RegularFiles.js"

const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, ArchiveFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new ArchiveFailed({
        message: `${what} failed (${String(codeOf(cause) ?? "unknown reason")}). Check GATEWAY_ARCHIVE_DIR and its disk`,
        cause
      })
  })

/** Waits until the bytes are packed. A stream that has ended before that calls nobody back, so its end counts too. */
const writtenTo = (gzip: Gzip, bytes: Buffer): Promise<void> =>
  new Promise((done, fail) => {
    const ended = (): void => fail(new Error("The stream has ended"))
    if (gzip.destroyed) return ended()
    gzip.once("close", ended)
    gzip.write(bytes, (cause) => {
      gzip.off("close", ended)
      if (cause instanceof Error) fail(cause)
      else done()
    })
  })

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

const synced = async (path: string, flags: string) => {
  const file = await open(path, flags)
  await file.sync().finally(() => file.close())
}

/** File systems without hard links; there two processes at the same instant are not told apart. */
const linkless: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Gives a file its name, unless something has it: then false. Names are durable once their folder is. */
const givenName = async (folder: string, from: string, to: string): Promise<boolean> => {
  await synced(from, "r+")
  const done = await link(from, to).then(
    () => true,
    async (cause: unknown) => {
      if (codeOf(cause) === "EEXIST") return false
      if (!linkless.has(codeOf(cause))) return Promise.reject(cause)
      if (await isThere(to)) return false
      await rename(from, to)
      return true
    }
  )
  if (done) await rm(from, { force: true })
  if (done) await synced(folder, "r")
  return done
}

/** Tries to make a folder in the folder of files, or where that would be made, and takes it away again. */
const tryToWrite = async (folder: string): Promise<void> => {
  let place = resolve(folder)
  while (!(await isThere(place)) && dirname(place) !== place) place = dirname(place)
  await rmdir(await mkdtemp(join(place, ".runs-")))
}

interface Found extends MonthTotals {
  readonly files: number
  /** Of the file, and of the lines in it. */
  readonly sha256: string
  readonly linesSha256: string
}

/** What a finished file holds, read from the disk; null for what is no file. */
const inspect = async (path: string): Promise<Found | null> => {
  const file = await openedToRead(path)
  if (file === null) return null
  const hash = createHash("sha256")
  const linesHash = createHash("sha256")
  const raw = file.createReadStream()
  raw.on("data", (bytes) => hash.update(bytes))
  const text = createGunzip()
  const read = pipeline(raw, text)
  // It is awaited below, once there are no more lines.
  read.catch(() => undefined)
  const lines = new LinesRead()
  const unpacked: AsyncIterable<Buffer> = text
  for await (const bytes of unpacked) {
    linesHash.update(bytes)
    lines.take(bytes)
  }
  lines.end()
  await read
  const { chargedMicros, files, heldMicros, runs } = lines
  const [sha256, linesSha256] = [hash.digest("hex"), linesHash.digest("hex")]
  return { runs, heldMicros, chargedMicros, files, sha256, linesSha256 }
}

/** What lies in the place of a file may be anything. */
const inspectIfRuns = (path: string): Promise<Found | "unreadable" | null> => inspect(path).catch(() => "unreadable")

const Manifest = Schema.parseJson(Schema.Struct({ sha256: Schema.String }))
const readManifest = Schema.decodeUnknownOption(Manifest)
const tellsOf = (manifest: string, { sha256 }: Found): boolean =>
  Option.exists(readManifest(manifest), (said) => said.sha256 === sha256)

const occupied = (path: string, month: string, found: Found | "unreadable", expected: MonthTotals) => {
  const holds =
    found === "unreadable"
      ? "is no file of runs that can be read"
      : `holds other runs (${found.runs}, with ${found.chargedMicros} micros charged; the database has ${expected.runs}, with ${expected.chargedMicros})`
  return new ArchiveOccupied({
    message: `${path} is there already and ${holds}. It is left as it is, and the runs of ${month} stay in the database. Another gateway may write to this folder, or this database was restored: give each gateway a GATEWAY_ARCHIVE_DIR of its own, or move the file and its manifest away`
  })
}

const noFile = (path: string, month: string) =>
  new ArchiveOccupied({
    message: `${path} is there already and is no regular file. It is left as it is, and the runs of ${month} stay in the database until it is moved away`
  })

export const ArchiveFilesOnDisk = (folder: string): Layer.Layer<ArchiveFiles> => {
  const nameOf = (month: string) => `runs-${month}.ndjson.gz`
  const pathOf = (month: string) => join(folder, nameOf(month))
  const manifestOf = (month: string) => join(folder, `runs-${month}.manifest.json`)
  const standing = async (month: string) => {
    for (const path of [pathOf(month), manifestOf(month)]) if (await isThere(path)) return path
    return null
  }

  /** Writes the lines; answers of their digest. */
  const write = (partial: string, runs: Stream.Stream<ArchivedRun, StorageError>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const gzip = createGzip()
        const written = pipeline(gzip, createWriteStream(partial, { flags: "wx", mode: 0o600 }))
        // It is awaited at the end; until then its failure ends a write.
        written.catch(() => undefined)
        return { gzip, written }
      }),
      ({ gzip, written }) =>
        Effect.gen(function* () {
          const given = createHash("sha256")
          yield* Stream.runForEach(Stream.flatMap(runs, piecesOf), (piece) =>
            attempt(`Writing ${partial}`, () => {
              given.update(piece)
              // Why it could not be written, the file says.
              return writtenTo(gzip, piece).catch((cause) => written.then(() => Promise.reject(cause)))
            })
          )
          yield* attempt(`Writing ${partial}`, () => {
            gzip.end()
            return written
          })
          return given.digest("hex")
        }),
      ({ gzip }) =>
        Effect.promise(async () => {
          gzip.destroy()
          await finished(gzip).catch(() => undefined)
        })
    )

  /** A whole file of a month under its name, or the same that was there. */
  const kept = Effect.fnUntraced(function* (month: string, partial: string, found: Found, expected: MonthTotals) {
    const [path, manifest] = [pathOf(month), manifestOf(month)]
    const said = yield* attempt(`Reading ${manifest}`, async () =>
      (await isThere(manifest)) ? textOf(manifest) : undefined
    )
    if (said === null) return yield* noFile(manifest, month)
    if (!(yield* attempt(`Reading ${folder}`, () => isThere(path)))) {
      // Somebody may keep the files elsewhere, and what each was here.
      if (said !== undefined && !tellsOf(said, found))
        return yield* new ArchiveOccupied({
          message: `${manifest} is there already, of a file that is not, with other content. It is left as it is, and the runs of ${month} stay in the database. Another gateway may have written it, or this one before its database was restored: give each gateway a GATEWAY_ARCHIVE_DIR of its own, or move the manifest away`
        })
      if (yield* attempt(`Naming ${path}`, () => givenName(folder, partial, path))) return found
    }
    const there = yield* attempt(`Reading ${path}`, () => inspectIfRuns(path))
    if (there === null) return yield* noFile(path, month)
    return there !== "unreadable" && there.linesSha256 === found.linesSha256
      ? there
      : yield* occupied(path, month, there, expected)
  })

  return Layer.succeed(
    ArchiveFiles,
    ArchiveFiles.of({
      check: attempt(`Writing to ${resolve(folder)}`, () => tryToWrite(folder)),
      nameOf,
      standing: (month) => attempt(`Reading ${folder}`, () => standing(month)),
      keep: (month, runs, expected) => {
        const name = nameOf(month)
        const path = join(folder, name)
        const partial = `${path}.${randomBytes(6).toString("hex")}.partial`
        const removed = Effect.promise(() => rm(partial, { force: true }).catch(() => undefined))
        return Effect.gen(function* () {
          yield* attempt(`Making the folder ${folder}`, async () => {
            await mkdir(folder, { recursive: true, mode: 0o700 })
            // What a process that was killed has left.
            for (const other of await readdir(folder))
              if (other.startsWith(`runs-${month}.`) && other.endsWith(".partial"))
                await rm(join(folder, other), { force: true })
          })
          const given = yield* write(partial, runs)
          const read = yield* attempt(`Reading ${partial} again`, () => inspect(partial))
          if (read === null) return yield* noFile(partial, month)
          if (
            read.runs !== expected.runs ||
            read.heldMicros !== expected.heldMicros ||
            read.chargedMicros !== expected.chargedMicros
          )
            return yield* new ArchiveFailed({
              message: `${path} would have ${read.runs} runs with ${read.chargedMicros} micros charged where the database has ${expected.runs} with ${expected.chargedMicros}`
            })
          if (read.linesSha256 !== given)
            return yield* new ArchiveFailed({
              message: `${path} reads differently from what was written. Check the disk`
            })
          const { linesSha256: _, sha256, ...found } = yield* kept(month, partial, read, expected)
          const manifest = manifestOf(month)
          const draft = `${manifest}.${randomBytes(6).toString("hex")}.partial`
          yield* attempt(`Writing ${manifest}`, async () => {
            await writeFile(
              draft,
              `${JSON.stringify({ version: 1, month, file: name, sha256, ...found }, null, 2)}\n`,
              { mode: 0o600 }
            )
            // It says what the file beside it is, so the one that was there can only have said the same.
            await synced(draft, "r+")
            await rename(draft, manifest)
            await synced(folder, "r")
          })
          return { name, sha256 }
        }).pipe(Effect.ensuring(removed))
      }
    })
  )
}

/** Where no files are kept, nobody asks for one. */
export const ArchiveFilesNone: Layer.Layer<ArchiveFiles> = Layer.succeed(
  ArchiveFiles,
  ArchiveFiles.of({
    check: Effect.void,
    nameOf: () => null,
    standing: () => Effect.succeed(null),
    keep: () => new ArchiveFailed({ message: "GATEWAY_ARCHIVE_DIR is not set" })
  })
)
