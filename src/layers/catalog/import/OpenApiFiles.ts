/**
 * Reads an OpenAPI document (JSON or YAML) that may be spread over several files, and makes one document of it. Each
 * further file is put whole under a member of its own, and every reference is written anew so that it leads there. So
 * the rest of the import follows references inside of one document only.
 *
 * Only files below the folder of the first one are read: a document must not bring the content of any other file of
 * this machine into a manifest. So links are followed before a name is compared, and what is no regular file is not
 * opened. Nothing is read over the network.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, Option, Schema } from "effect"
import { realpath } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, sep } from "node:path"
import { parseDocument } from "yaml"
import { isObject, Json, type JsonObject } from "../../../domain/Json.js"
import { importFileBytesMax, importFilesMax, manifestDepthMax } from "../../../domain/limits/Manifests.js"
import { setMember } from "../../../domain/Members.js"
import { nextEventLoopTurn } from "../../../services/Slices.js"
import { openedToRead } from "../../node/RegularFiles.js"
import { isDeeperThan, withoutPercents } from "./OpenApiParts.js"

const isJson = Schema.is(Json)

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n", 1)[0] ?? "").replace(/:$/, "") : String(error)

/**
 * Left: the first mistake, with its line. Merge keys (`<<: *base`) are of YAML 1.1. Most programs that read OpenAPI
 * documents merge them, so that documents are written with them.
 */
const parseYaml = (text: string): Either.Either<unknown, string> => {
  const parsed = parseDocument(text, { uniqueKeys: false, merge: true })
  const [mistake] = parsed.errors
  return mistake === undefined
    ? Either.try({ try: (): unknown => parsed.toJS({ maxAliasCount: 1000 }), catch: reasonOf })
    : Either.left(reasonOf(mistake))
}

const parseText = (text: string): Either.Either<unknown, string> =>
  text.trimStart().startsWith("{")
    ? Either.try({ try: (): unknown => JSON.parse(text), catch: reasonOf }).pipe(
        Either.mapLeft((reason) => `a file that is no JSON: ${reason}`)
      )
    : Either.mapLeft(parseYaml(text), (reason) => `a file that is no YAML: ${reason}`)

const parseOpenApi = (text: string): Either.Either<JsonObject, string> =>
  parseText(text).pipe(
    Either.filterOrLeft(
      (value) => !isDeeperThan(value, manifestDepthMax),
      () => `a file that is nested deeper than ${manifestDepthMax} levels`
    ),
    Either.flatMap((value) =>
      isJson(value) && isObject(value) ? Either.right(value) : Either.left("a file that holds no document")
    )
  )

/** Where the further files stand in the document. */
const filesMember = "x-imported-files"

const isAddress = (reference: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(reference)

/** The value with every reference of it replaced by what `leads` makes of it. */
const rewritten = (value: Json, leads: (reference: string) => string): Json => {
  if (Array.isArray(value)) return value.map((each: Json) => rewritten(each, leads))
  if (!isObject(value)) return value
  const out: { [key: string]: Json } = {}
  for (const [key, member] of Object.entries(value))
    setMember(out, key, key === "$ref" && typeof member === "string" ? leads(member) : rewritten(member, leads))
  return out
}

export interface Bundle {
  readonly document: JsonObject
  /** What could not be read; references to it lead nowhere. */
  readonly problems: ReadonlyArray<string>
}

/** The text of a file, or none. The folder is that of the document, which the file must lie in; null for itself. */
export type ReadFile = (file: string, folder: string | null) => Effect.Effect<Option.Option<string>>

const leavesFolder = (folder: string, target: string): boolean => {
  const [first] = relative(folder, target).split(sep)
  return first === ".." || isAbsolute(relative(folder, target))
}

/** Left: the first file is no document. */
export const bundle = (file: string, read: ReadFile): Effect.Effect<Either.Either<Bundle, string>> =>
  Effect.gen(function* () {
    const root = join(file)
    const folder = dirname(root)
    const problems = new Set<string>()
    /** The files in the order in which they are named; the first is the document. */
    const files = [root]
    const numbers = new Map([[root, 0]])
    const found = new Map<number, Json>()

    const placeOf = (number: number): string => (number === 0 ? "#" : `#/${filesMember}/${number}`)
    const leadsFrom =
      (at: string, number: number) =>
      (reference: string): string => {
        if (isAddress(reference)) {
          problems.add("a reference to another server, which an import does not ask")
          return reference
        }
        const hash = reference.indexOf("#")
        const name = hash < 0 ? reference : reference.slice(0, hash)
        const fragment = hash < 0 ? "" : reference.slice(hash + 1)
        if (name === "") return `${placeOf(number)}${fragment}`
        const target = join(dirname(at), withoutPercents(name))
        if (leavesFolder(folder, target)) {
          problems.add("a reference to a file outside of the folder of the document")
          return reference
        }
        const known = numbers.get(target)
        if (known !== undefined) return `${placeOf(known)}${fragment}`
        if (files.length >= importFilesMax) {
          problems.add(`a reference to one file more than ${importFilesMax}`)
          return reference
        }
        numbers.set(target, files.length)
        files.push(target)
        return `${placeOf(files.length - 1)}${fragment}`
      }

    for (let number = 0; number < files.length; number += 1) {
      const at = files[number] ?? root
      yield* nextEventLoopTurn
      const text = yield* read(at, number === 0 ? null : folder)
      const parsed = Option.isNone(text)
        ? Either.left(`a file that cannot be read (${relative(folder, at)})`)
        : parseOpenApi(text.value)
      if (Either.isLeft(parsed)) {
        if (number === 0) return Either.left(parsed.left)
        problems.add(`a reference to ${parsed.left}`)
      } else found.set(number, rewritten(parsed.right, leadsFrom(at, number)))
    }
    const document = found.get(0)
    const others = Array.from(found).filter(([number]) => number > 0)
    return Either.right({
      document: {
        ...(isObject(document) ? document : {}),
        ...(others.length === 0
          ? {}
          : { [filesMember]: Object.fromEntries(others.map(([number, value]) => [String(number), value])) })
      },
      problems: Array.from(problems)
    })
  })

/**
 * The text of a further file; none where it is no regular file, too large, or outside of the folder. Links are followed
 * first: a name inside of the folder may lead out of it.
 */
const furtherText = async (file: string, folder: string): Promise<Option.Option<string>> => {
  const [at, inside] = await Promise.all([realpath(file), realpath(folder)])
  if (leavesFolder(inside, at)) return Option.none()
  const opened = await openedToRead(at)
  if (opened === null) return Option.none()
  try {
    const { size } = await opened.stat()
    return size > importFileBytesMax ? Option.none() : Option.some(new TextDecoder().decode(await opened.readFile()))
  } finally {
    await opened.close()
  }
}

/** Reads from the disk. The first file is the one that a person has named, whatever and wherever it is. */
export const fileReader = Effect.map(
  FileSystem.FileSystem,
  (system): ReadFile =>
    (file, folder) =>
      folder === null
        ? Effect.option(system.readFileString(file))
        : Effect.orElseSucceed(
            Effect.tryPromise(() => furtherText(file, folder)),
            () => Option.none()
          )
)
