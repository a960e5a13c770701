/** What is stored of the body of an answer: it stands in the run, or is a file beside it. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { MediaId } from "../../../domain/Ids.js"
import type { AnswerBody } from "../../../domain/ProviderCall.js"
import type { Run, StoredResult } from "../../../domain/Run.js"
import type { Media } from "../../../services/RunStore.js"
import { runInSlices } from "../../../services/Slices.js"

export interface StoredAnswer {
  readonly result: StoredResult
  readonly media: Media | null
}

/** A file may have a hundred megabytes: its digest takes a step for each of these. */
const stepBytes = 1_048_576

function* digestSteps(bytes: Uint8Array): Generator<void, string> {
  const hash = createHash("sha256")
  for (let start = 0; start < bytes.length; start += stepBytes) {
    hash.update(bytes.subarray(start, start + stepBytes))
    yield
  }
  return hash.digest("hex")
}

export const storedAnswer = (
  { runId, workspaceId }: Run,
  mediaId: MediaId,
  body: AnswerBody
): Effect.Effect<StoredAnswer> => {
  switch (body._tag) {
    case "Json":
      return Effect.succeed({ result: { _tag: "Json", value: body.value }, media: null })
    case "Text":
      return Effect.succeed({ result: { _tag: "Text", text: body.text, format: body.format }, media: null })
    case "Media": {
      const { bytes, contentType, filename } = body
      return Effect.map(
        runInSlices(() => digestSteps(bytes)),
        (sha256) => ({
          result: { _tag: "Media", media: { mediaId, contentType, bytes: bytes.length, sha256, filename } },
          media: { mediaId, runId, workspaceId, contentType, filename, sha256, bytes }
        })
      )
    }
  }
}
