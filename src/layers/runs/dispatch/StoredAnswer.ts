/** What is stored of the body of an answer: it stands in the run, or is a file beside it. */
import { Effect } from "effect"
import type { MediaId } from "../../../domain/Ids.js"
import type { AnswerBody } from "../../../domain/ProviderCall.js"
import type { Run, StoredResult } from "../../../domain/Run.js"
import type { Media } from "../../../services/RunStore.js"
import { digestSteps } from "../../node/DigestSteps.js"
import { runInSlices } from "../../../services/Slices.js"

export interface StoredAnswer {
  readonly result: StoredResult
  readonly media: Media | null
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
