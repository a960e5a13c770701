/** What is stored of an answer: a large file takes its time, and holds nobody up. */
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { MediaId, RunId, WorkspaceId } from "../../../src/domain/Ids.js"
import type { Run } from "../../../src/domain/Run.js"
import { storedAnswer } from "../../../src/layers/runs/dispatch/StoredAnswer.js"

const suffix = "0".repeat(26)
const run = { runId: RunId.make(`run_${suffix}`), workspaceId: WorkspaceId.make(`ws_${suffix}`) } as Run
const mediaId = MediaId.make(`med_${suffix}`)

it.live("the digest of a large file is made in steps between which others are served", () =>
  Effect.gen(function* () {
    const bytes = Buffer.alloc(100_000_001, "a file")
    let turns = 0
    let ended = false
    const count = (): void => {
      turns += 1
      if (!ended) setImmediate(count)
    }
    setImmediate(count)
    const { media, result } = yield* storedAnswer(run, mediaId, {
      _tag: "Media",
      bytes,
      contentType: "text/plain",
      filename: null
    })
    ended = true
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    assert.isAbove(turns, 5)
    assert.deepStrictEqual([media?.sha256, media?.bytes === bytes], [sha256, true])
    assert.deepStrictEqual(result, {
      _tag: "Media",
      media: { mediaId, contentType: "text/plain", bytes: bytes.length, sha256, filename: null }
    })
  })
)

it.effect("an empty file has a digest too", () =>
  Effect.map(
    storedAnswer(run, mediaId, { _tag: "Media", bytes: Buffer.alloc(0), contentType: "a/b", filename: "x" }),
    ({ media }) => assert.strictEqual(media?.sha256, createHash("sha256").digest("hex"))
  )
)
