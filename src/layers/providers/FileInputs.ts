/**
 * What is wrong with the files of an input, in the fields that the manifest lists in `files`, as far as the input
 * itself tells it. It is told before anything is held. Whether a stored file is there is known only when it is read.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { FileRule, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { mediaNamedBy } from "../../domain/Run.js"
import type { InputProblem } from "../../services/Providers.js"
import { typeProblem } from "./FileReferences.js"
import { fileType } from "./Multipart.js"

interface Placed {
  /** The field, with the numbers of the items that lead to the file. */
  readonly at: string
  readonly file: JsonObject
}

/** The files of a field: its value, or the items of a list. */
const filesAt = (at: string, value: Json | undefined): ReadonlyArray<Placed> => {
  if (Array.isArray(value)) return value.flatMap((item: Json, n) => filesAt(`${at}.${n}`, item))
  return isObject(value) ? [{ at, file: value }] : []
}

const given = (file: JsonObject, name: string): Json | undefined => member(file, name) ?? undefined

const wrongWith = (file: JsonObject, { types }: FileRule): string | null => {
  const [media, base64, contentType] = [given(file, "media"), given(file, "base64"), given(file, "contentType")]
  if (media !== undefined && base64 !== undefined) return "has both media and base64: send one of them"
  if (media !== undefined && (typeof media !== "string" || mediaNamedBy(media) === null))
    return "media must be the downloadPath of a result, such as /v1/runs/run_…/media/med_…"
  if (types === undefined || contentType === undefined) return null
  const type = fileType(file)
  return type === undefined ? "contentType must be a media type such as image/png" : typeProblem(type, types)
}

const problemsOf = (field: string, rule: FileRule, value: Json | undefined): ReadonlyArray<InputProblem> =>
  filesAt(field, value).flatMap(({ at, file }): ReadonlyArray<InputProblem> => {
    const message = wrongWith(file, rule)
    return message === null ? [] : [{ _tag: "Invalid", field: at, message }]
  })

/** Null when the operation lists no such field, as nearly every operation. */
export const fileInputProblems = ({
  files
}: Pick<Operation, "files">): ((input: JsonObject) => ReadonlyArray<InputProblem>) | null => {
  const rules: ReadonlyArray<readonly [string, FileRule]> = Object.entries(files ?? {})
  return rules.length === 0
    ? null
    : (input) => rules.flatMap(([field, rule]) => problemsOf(field, rule, member(input, field)))
}
