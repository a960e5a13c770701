/** What clients got and leaves the database: the file of a month with large results. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { MediaId } from "../../src/domain/Ids.js"
import { ArchiveFilesOnDisk } from "../../src/layers/node/ArchiveFilesOnDisk.js"
import { ArchiveFiles } from "../../src/services/ArchiveFiles.js"
import type { ArchivedRun } from "../../src/services/RunHistory.js"
import { completedRun } from "../../test/support/httpSamples.js"
import type { Case, Run } from "./Case.js"

const megabyte = 1_048_576
const { chargeMicros, holdMicros, runId, workspaceId } = completedRun
const file = { runId, workspaceId, contentType: "image/png", filename: null, sha256: "x" }

const withFile = (bytes: Uint8Array): ArchivedRun => ({
  run: completedRun,
  attempts: [],
  media: [
    {
      ...file,
      mediaId: MediaId.make(`med_${"0".repeat(26)}`),
      size: bytes.length,
      part: (start, end) => Effect.sync(() => bytes.subarray(start, end))
    }
  ]
})
const withText = (bytes: number): ArchivedRun => ({
  run: { ...completedRun, result: { _tag: "Json", value: "☕".repeat(bytes / 3) } },
  attempts: [],
  media: []
})

const keeping = (what: string, runs: number, one: () => ArchivedRun): Case => ({
  name: `archive: ${what}`,
  prepare: (): Run => {
    const portion = Array.from({ length: runs }, one)
    const totals = { runs, heldMicros: runs * holdMicros, chargedMicros: runs * (chargeMicros ?? 0) }
    return async () => {
      const folder = mkdtempSync(join(tmpdir(), "bounds-"))
      const kept = Effect.flatMap(ArchiveFiles, ({ keep }) => keep("2026-01", Stream.fromIterable(portion), totals))
      await Effect.runPromise(Effect.provide(kept, ArchiveFilesOnDisk(folder)))
      rmSync(folder, { recursive: true })
      return "kept"
    }
  }
})

const eight = new Uint8Array(8 * megabyte).fill(65)

export const archives: ReadonlyArray<Case> = [
  keeping("20 runs with files of 8 MB in one portion", 20, () => withFile(eight)),
  keeping("1,000 runs without a file", 1_000, () => withText(300)),
  keeping("a result of 1 MB", 1, () => withText(megabyte))
]
