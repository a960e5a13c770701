/**
 * Files that an input names instead of holding them, in the fields that the manifest lists in `files`:
 * `{ media: "/v1/runs/run_…/media/med_…", filename?, contentType? }`, with the `downloadPath` of a result. Says which
 * files an input names, and what is sent for one. Nothing is read here.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { InputFile } from "../../domain/ProviderCall.js"
import { fileType, isFile } from "./Multipart.js"
import type { PlanProblem } from "./RequestPlan.js"

type FileReference = JsonObject & { readonly media: string }

const isReference = (value: Json): value is FileReference =>
  isObject(value) && typeof value["media"] === "string" && !isFile(value)

/** The references of one field: its value, or the items of a list, of lists too. */
const referencesOf = (value: Json | undefined): ReadonlyArray<FileReference> =>
  Array.isArray(value) ? value.flatMap(referencesOf) : value !== undefined && isReference(value) ? [value] : []

/** The fields of an input that name files, each with the download paths. Empty for nearly every operation. */
export const filesNamedIn = (
  { files }: Pick<Operation, "files">,
  input: JsonObject
): ReadonlyArray<{ readonly field: string; readonly paths: ReadonlyArray<string> }> =>
  Object.keys(files ?? {}).flatMap((field) => {
    const paths = referencesOf(member(input, field)).map(({ media }) => media)
    return paths.length === 0 ? [] : [{ field, paths }]
  })

/** A file without a name gets one whose ending says its type, because some providers go by that. */
const nameFor = (type: string): string => {
  if (type.startsWith("text/plain")) return "file.txt"
  const [, ending = "bin"] = /^[\w.+-]+\/(?:x-)?([\w.-]+)/.exec(type) ?? []
  return `file.${ending}`
}

/** What is sent for values of one field: the stored file where one is named. */
export interface NamedFiles {
  readonly isNamed: (value: Json) => boolean
  /** Null when the file is not there. What the input says of the file goes before what was stored. */
  readonly fileOf: (value: Json) => (InputFile & { readonly filename: string }) | null
}

export const namedFiles = (
  { files: rules }: Pick<Operation, "files">,
  files: ReadonlyMap<string, InputFile> | undefined
): ((field: string) => NamedFiles | null) => {
  if (rules === undefined) return () => null
  const named: NamedFiles = {
    isNamed: isReference,
    fileOf: (value) => {
      const stored = isReference(value) ? files?.get(value.media) : undefined
      if (stored === undefined) return null
      const contentType = fileType(value) ?? stored.contentType
      const given = isObject(value) ? value["filename"] : undefined
      const filename = typeof given === "string" ? given : (stored.filename ?? nameFor(contentType))
      return { bytes: stored.bytes, contentType, filename }
    }
  }
  return (field) => (Object.hasOwn(rules, field) ? named : null)
}

/** Whether a media type is one of these ranges. Parameters such as a charset do not count. */
const isOfType = (type: string, ranges: ReadonlyArray<string>): boolean => {
  const [bare = ""] = type.toLowerCase().split(";", 1)
  return ranges.some((range) => {
    const wanted = range.toLowerCase()
    return wanted.endsWith("/*") ? bare.startsWith(wanted.slice(0, -1)) : bare.trim() === wanted
  })
}

/** What is wrong with the type that a file has, or is said to have. */
export const typeProblem = (type: string, ranges: ReadonlyArray<string>): string | null =>
  isOfType(type, ranges) ? null : `the file is ${type}, and this operation takes ${ranges.join(", ")}`

const hasMedia = (schema: Json | undefined): boolean =>
  isObject(schema) &&
  ((isObject(schema["properties"]) && Object.hasOwn(schema["properties"], "media")) ||
    hasMedia(schema["items"]) ||
    [schema["anyOf"], schema["oneOf"], schema["allOf"]].some((all) => Array.isArray(all) && all.some(hasMedia)))

/** What a manifest must not say about such fields. Found when it is read. */
export const fileProblems = ({ operation }: Pick<Endpoint, "operation">): ReadonlyArray<PlanProblem> => {
  const { bindings, body, files, input, method } = operation
  const known = isObject(input["properties"]) ? input["properties"] : {}
  return Object.keys(files ?? {}).flatMap((field): ReadonlyArray<PlanProblem> => {
    const path = `files.${field}`
    const schema = member(known, field)
    if (schema === undefined) return [{ path, message: "is no property of input" }]
    const place = member(bindings, field)?.in
    const isBody = body !== undefined && "field" in body && body.field === field
    const holdsFile = isBody
      ? body.as === "bytes"
      : place === undefined
        ? method !== "GET" && method !== "DELETE"
        : place === "multipart" || place === "json" || place === "form"
    if (!holdsFile)
      return [
        { path, message: "holds no file: it must go into a multipart, JSON or form body, or be the bytes of the body" }
      ]
    return hasMedia(schema)
      ? []
      : [{ path, message: `needs a property media in the schema of ${field}, so that an input may name a file` }]
  })
}
