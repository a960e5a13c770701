/**
 * Reads the stored files that the input of an attempt names (`FileReferences.ts`). It happens after the hold and before
 * anything is sent: an attempt whose file is not there, or not as the operation takes it, fails without a charge. Only
 * files of the run's own workspace are found.
 */
import { Effect } from "effect"
import type { JsonObject } from "../../../domain/Json.js"
import { inputFilesMax } from "../../../domain/limits/Calls.js"
import { mediaPartBytes } from "../../../domain/limits/Requests.js"
import type { FileRule, Operation } from "../../../domain/Manifest.js"
import { member } from "../../../domain/Members.js"
import { type InputFile, notSent, type ProviderFailure } from "../../../domain/ProviderCall.js"
import { mediaNamedBy, type Run } from "../../../domain/Run.js"
import { InputRejected } from "../../../domain/RunFailures.js"
import type { StoredMedia } from "../../../services/RunStore.js"
import { filesNamedIn, typeProblem } from "../../providers/FileReferences.js"
import type { Parts } from "./Work.js"

export type Files = ReadonlyMap<string, InputFile>

const bytesOf = ({ patiently }: Parts, { part, size }: StoredMedia) =>
  Effect.gen(function* () {
    const bytes = Buffer.alloc(size)
    for (let at = 0; at < size; at += mediaPartBytes)
      bytes.set(yield* patiently(part(at, Math.min(at + mediaPartBytes, size))), at)
    return bytes
  })

/** The files by the paths that the input names them with; undefined when it names none. */
export const filesFor = (
  parts: Parts,
  { workspaceId }: Run,
  rules: NonNullable<Operation["files"]>,
  input: JsonObject
): Effect.Effect<Files | undefined, ProviderFailure> => {
  const named = filesNamedIn({ files: rules }, input)
  if (named.length === 0) return Effect.succeed(undefined)
  const refused = (field: string, message: string) =>
    notSent(
      new InputRejected({
        detail: `input.${field}: ${message}`,
        hint: "Name the result.media.downloadPath of a run of this workspace, or send the file as base64, with a new idempotency key."
      })
    )
  const read = Effect.fnUntraced(function* (field: string, path: string, { maxBytes, types }: FileRule, left: number) {
    const key = mediaNamedBy(path)
    const found =
      key === null ? null : yield* parts.patiently(parts.store.media({ workspaceId, runId: key.runId }, key.mediaId))
    if (found === null) return yield* refused(field, "there is no such file")
    const { contentType, filename, size } = found
    const wrongType = types === undefined ? null : typeProblem(contentType, types)
    if (wrongType !== null) return yield* refused(field, wrongType)
    if (size > left)
      return yield* refused(
        field,
        left === maxBytes
          ? `a file of ${size} bytes is larger than the ${maxBytes} that the operation takes`
          : `files of ${maxBytes - left + size} bytes together are larger than the ${maxBytes} that the operation takes`
      )
    return { contentType, filename, bytes: yield* bytesOf(parts, found) } satisfies InputFile
  })
  return Effect.gen(function* () {
    const files = new Map<string, InputFile>()
    if (named.reduce((count, { paths }) => count + paths.length, 0) > inputFilesMax)
      return yield* refused(named[0]?.field ?? "", `one input names ${inputFilesMax} files at most`)
    for (const { field, paths } of named) {
      const rule = member(rules, field)
      if (rule === undefined) continue
      let left = rule.maxBytes
      for (const path of paths) {
        const file = yield* read(field, path, rule, left)
        left -= file.bytes.length
        files.set(path, file)
      }
    }
    return files
  })
}
