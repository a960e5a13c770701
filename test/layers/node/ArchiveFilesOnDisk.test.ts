/** What may lie in the place of an archived month's files, and is no file: none of it may be waited for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zero } from "../../../src/domain/Micros.js"
import { ArchiveFilesOnDisk } from "../../../src/layers/node/ArchiveFilesOnDisk.js"
import { ArchiveFiles, ArchiveOccupied } from "../../../src/services/ArchiveFiles.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "archive-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)
/** An archived month without a run. */
const kept = (dir: string, month: string) =>
  ArchiveFiles.pipe(
    Effect.flatMap(({ keep }) => keep(month, Stream.empty, { runs: 0, heldMicros: zero, chargedMicros: zero })),
    Effect.provide(ArchiveFilesOnDisk(dir))
  )
const socketAt = (path: string) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer().listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const strangers = {
  "a pipe that nobody writes to": (path: string) => Effect.sync(() => execFileSync("mkfifo", [path])),
  "a link to a pipe": (path: string) =>
    Effect.sync(() => {
      execFileSync("mkfifo", [`${path}.elsewhere`])
      symlinkSync(`${path}.elsewhere`, path)
    }),
  "a link to a device that never ends": (path: string) => Effect.sync(() => symlinkSync("/dev/zero", path)),
  "a socket": socketAt,
  "a folder": (path: string) => Effect.sync(() => mkdirSync(path))
}

describe("what is no regular file", () => {
  for (const [what, put] of Object.entries(strangers))
    for (const place of ["runs-2026-06.ndjson.gz", "runs-2026-06.manifest.json"])
      it.scopedLive(`as ${what} in the place of ${place}, is named and left as it is, and other months are kept`, () =>
        Effect.gen(function* () {
          const dir = yield* folder
          const path = join(dir, place)
          yield* put(path)
          const mode = lstatSync(path).mode
          const refused = yield* Effect.flip(kept(dir, "2026-06"))
          assert.instanceOf(refused, ArchiveOccupied)
          assert.include(refused.message, `${path} is there already and is no regular file`)
          assert.include(refused.message, "the runs of 2026-06 stay in the database")
          assert.strictEqual(lstatSync(path).mode, mode)
          assert.deepStrictEqual(
            readdirSync(dir).filter((name) => name.endsWith(".partial")),
            []
          )
          assert.strictEqual((yield* kept(dir, "2026-07")).name, "runs-2026-07.ndjson.gz")
        })
      )

  it.scopedLive("holds up neither many that ask for it at once, nor the end of the work", () =>
    Effect.gen(function* () {
      const dir = yield* folder
      yield* strangers["a pipe that nobody writes to"](join(dir, "runs-2026-06.ndjson.gz"))
      // More than the threads that open files, which a pipe would each hold for ever.
      yield* Effect.replicateEffect(Effect.flip(kept(dir, "2026-06")), 8, { concurrency: 8 })
      yield* Fiber.interrupt(yield* Effect.fork(kept(dir, "2026-06")))
      assert.strictEqual((yield* kept(dir, "2026-07")).name, "runs-2026-07.ndjson.gz")
    })
  )
})
