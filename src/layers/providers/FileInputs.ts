/**
 * What is wrong with the files of an input, in the fields that the manifest lists in `files`, as far as the input
 * itself tells it. It is told before anything is held. Whether a stored file is there is known only when it is read.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { FileRule, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { mediaNamedBy } from "../../domain/Run.js"
import type { InputProblem } from "../../services/Providers.js"
import { typesOfName } from "./FileNames.js"
import { typeProblem } from "./FileReferences.js"
import { fileType } from "./Multipart.js"

/** What the manifest says of the files of a field, and the media type that it gives those which name none. */
type Rule = FileRule & { readonly declaredType: string | undefined }

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

/** A file in base64 whose type nothing says would pass for any. The manifest may give it one: `declaredType`. */
const untyped = (file: JsonObject, types: ReadonlyArray<string>, declaredType: string | undefined): string | null => {
  if (declaredType !== undefined) return typeProblem(declaredType, types)
  const filename = given(file, "filename")
  const typesByName = typeof filename === "string" ? typesOfName(filename) : []
  if (typesByName.some((type) => typeProblem(type, types) === null)) return null
  const [first] = typesByName
  return first === undefined
    ? `contentType is missing, and the name of the file does not say its type: this operation takes ${types.join(", ")}`
    : `${typeProblem(first, types) ?? ""}: contentType says it where the name of the file does not`
}

const wrongWith = (file: JsonObject, { declaredType, types }: Rule): string | null => {
  const [media, base64, contentType] = [given(file, "media"), given(file, "base64"), given(file, "contentType")]
  if (media !== undefined && base64 !== undefined) return "has both media and base64: send one of them"
  if (media !== undefined && (typeof media !== "string" || mediaNamedBy(media) === null))
    return "media must be the downloadPath of a result, such as /v1/runs/run_…/media/med_…"
  if (types === undefined) return null
  if (contentType === undefined) return base64 === undefined ? null : untyped(file, types, declaredType)
  const type = fileType(file)
  return type === undefined ? "contentType must be a media type such as image/png" : typeProblem(type, types)
}

const problemsOf = (field: string, rule: Rule, value: Json | undefined): ReadonlyArray<InputProblem> =>
  filesAt(field, value).flatMap(({ at, file }): ReadonlyArray<InputProblem> => {
    const message = wrongWith(file, rule)
    return message === null ? [] : [{ _tag: "Invalid", field: at, message }]
  })

const declaredTypeOf = ({ bindings, body }: Pick<Operation, "bindings" | "body">, field: string): string | undefined =>
  member(bindings, field)?.contentType ?? (body?.as === "bytes" && body.field === field ? body.contentType : undefined)

/** Null when the operation lists no such field, as nearly every operation. */
export const fileInputProblems = (
  operation: Pick<Operation, "bindings" | "body" | "files">
): ((input: JsonObject) => ReadonlyArray<InputProblem>) | null => {
  const rules: ReadonlyArray<readonly [string, Rule]> = Object.entries(operation.files ?? {}).map(([field, rule]) => [
    field,
    { ...rule, declaredType: declaredTypeOf(operation, field) }
  ])
  return rules.length === 0
    ? null
    : (input) => rules.flatMap(([field, rule]) => problemsOf(field, rule, member(input, field)))
}
