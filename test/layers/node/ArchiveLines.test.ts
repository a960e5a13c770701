/** Files of an archived month: what stands in them, and how much of them is in memory at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { MediaId } from "../../../src/domain/Ids.js"
import type { Json } from "../../../src/domain/Json.js"
import { ArchiveFilesOnDisk } from "../../../src/layers/node/ArchiveFilesOnDisk.js"
import { LinesRead, pieceBytesMax, piecesOf } from "../../../src/layers/node/ArchiveLines.js"
import { ArchiveFiles } from "../../../src/services/ArchiveFiles.js"
import type { ArchivedRun } from "../../../src/services/RunHistory.js"
import { completedRun } from "../../support/httpSamples.js"

const month = "2026-01"
const { chargeMicros, holdMicros } = completedRun
const totalsOf = (runs: number) => ({
  runs,
  heldMicros: runs * holdMicros,
  chargedMicros: runs * (chargeMicros ?? 0)
})
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "archive-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)
const keptIn = (dir: string, runs: ReadonlyArray<ArchivedRun>) =>
  ArchiveFiles.pipe(
    // All in one portion, as the storage gives them.
    Effect.flatMap(({ keep }) => keep(month, Stream.fromIterable(runs), totalsOf(runs.length))),
    Effect.zipRight(Effect.sync(() => gunzipSync(readFileSync(join(dir, `runs-${month}.ndjson.gz`))).toString())),
    Effect.provide(ArchiveFilesOnDisk(dir))
  )

const idOf = (at: number): string => `med_${String(at).padStart(26, "0")}`
const media = { contentType: "image/png", filename: 'a "file".png', sha256: "x", workspaceId: completedRun.workspaceId }
/** A run with files of these bytes; `asked` hears of each part before it is given. */
const runWith = (files: ReadonlyArray<Buffer>, asked: (start: number, end: number) => void = () => undefined) => ({
  run: completedRun,
  attempts: [],
  media: files.map((bytes, at) => ({
    ...media,
    runId: completedRun.runId,
    mediaId: MediaId.make(idOf(at)),
    size: bytes.length,
    part: (start: number, end: number) =>
      Effect.sync((): Uint8Array => {
        asked(start, end)
        return bytes.subarray(start, end)
      })
  }))
})
const returning = (value: Json): ArchivedRun => ({
  run: { ...completedRun, result: { _tag: "Json", value } },
  attempts: [],
  media: []
})
/** The lines as they were written when a file still was one text. */
const wholeLines = (files: ReadonlyArray<Buffer>): string =>
  [
    { kind: "run", ...completedRun, attempts: [] },
    ...files.map((bytes, at) => {
      const { contentType, filename, sha256, workspaceId } = media
      const base64 = bytes.toString("base64")
      return {
        kind: "media",
        workspaceId,
        runId: completedRun.runId,
        mediaId: idOf(at),
        contentType,
        filename,
        sha256,
        base64
      }
    })
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")

const sizes = [0, 1, 2, 3, 196_607, 196_608, 196_609, 262_144, 1_000_000]

describe("files of runs", () => {
  it.scopedLive("stand in the month's file byte for byte as if each was written as one text", () =>
    Effect.gen(function* () {
      const files = sizes.map((size) => randomBytes(size))
      const written = yield* keptIn(yield* folder, [runWith(files), runWith([]), runWith(files.slice(3, 5))])
      assert.isTrue(written === wholeLines(files) + wholeLines([]) + wholeLines(files.slice(3, 5)))
    })
  )

  it.scopedLive("are read no further ahead than a few pieces of what is on the disk", () =>
    Effect.gen(function* () {
      const dir = yield* folder
      let given = 0
      let ahead = 0
      let largest = 0
      const asked = (start: number, end: number): void => {
        const [partial] = readdirSync(dir)
        ahead = Math.max(ahead, given - statSync(join(dir, partial ?? "")).size)
        largest = Math.max(largest, end - start)
        given += end - start
      }
      // Noise is packed to as many bytes as it has.
      const files = Array.from({ length: 3 }, () => randomBytes(3_000_000))
      yield* keptIn(dir, [runWith(files, asked), runWith(files, asked)])
      assert.strictEqual(given, 18_000_000)
      assert.isAtMost(largest, pieceBytesMax)
      assert.isAtMost(ahead, 3 * pieceBytesMax)
    })
  )

  it.effect("are written in pieces, and read back without one line being put together", () =>
    Effect.gen(function* () {
      const pieces: Array<Buffer> = []
      yield* Stream.runForEach(piecesOf(runWith([randomBytes(3_000_000), randomBytes(1_000)])), (piece) =>
        Effect.sync(() => void pieces.push(piece))
      )
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), pieceBytesMax)
      const lines = new LinesRead()
      const kept: Array<number> = []
      for (const piece of pieces) {
        lines.take(piece)
        kept.push(lines.kept)
      }
      lines.end()
      assert.isAtMost(Math.max(...kept), 20)
      assert.deepInclude(lines, { ...totalsOf(1), files: 2 })
    })
  )

  it.effect("and runs are counted wherever the bytes that come are cut", () =>
    Effect.gen(function* () {
      const run = { ...returning("a ☕ of\u2028\r\n two lines"), media: runWith([Buffer.from("abc")]).media }
      const bytes = Buffer.concat(Array.from(yield* Stream.runCollect(piecesOf(run))))
      for (let size = 1; size <= 40; size += 1) {
        const lines = new LinesRead()
        for (let at = 0; at < bytes.length; at += size) lines.take(bytes.subarray(at, at + size))
        lines.end()
        assert.deepInclude(lines, { ...totalsOf(1), files: 1 })
      }
    })
  )
})

describe("a run", () => {
  it.scopedLive("whose result holds a line separator is one line, and its month leaves", () =>
    Effect.gen(function* () {
      const written = yield* keptIn(yield* folder, [returning("one\u2028two\u2029three\u0085four")])
      assert.lengthOf(written.split("\n"), 2)
      assert.include(written, "one\u2028two\u2029three\u0085four")
    })
  )

  it.scopedLive("with a large result is written in pieces too", () =>
    Effect.gen(function* () {
      const run = returning("☕".repeat(300_000))
      const pieces = Array.from(yield* Stream.runCollect(piecesOf(run)))
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), pieceBytesMax)
      const line = `${JSON.stringify({ kind: "run", ...run.run, attempts: [] })}\n`
      assert.isTrue(Buffer.concat(pieces).toString() === line)
      assert.isTrue((yield* keptIn(yield* folder, [run])) === line)
    })
  )
})
