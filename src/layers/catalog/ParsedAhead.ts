/**
 * The YAML of the built-in catalog as it was parsed when the program was built (`scripts/parse-catalog.mjs`). To parse
 * it at each start took a third of the start's time and 60 MB that stayed. Every text is named by its digest, so a text
 * that was changed since is parsed as any other. Shapes are still checked at each start. Without the file, or with a
 * broken one, everything is parsed.
 */
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Schema } from "effect"
import { inPackage } from "../../PackagedFiles.js"
import { builtInCatalog } from "./BuiltInCatalog.js"

const file = fileURLToPath(inPackage("dist/catalog.json"))

const decode = Schema.decode(
  Schema.parseJson(Schema.ReadonlyMapFromRecord({ key: Schema.String, value: Schema.Unknown }))
)

/** What the text holds, or `undefined` where it was not parsed ahead. */
export type ParsedAhead = (text: string) => unknown

const nothing: ParsedAhead = () => undefined

/** For the texts of a folder. Only those of the built-in catalog were parsed ahead. */
export const parsedAhead = (folder: string): Effect.Effect<ParsedAhead, never, FileSystem.FileSystem> =>
  folder !== builtInCatalog
    ? Effect.succeed(nothing)
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
        Effect.flatMap(decode),
        Effect.match({
          onFailure: () => nothing,
          onSuccess: (values) => (text) => values.get(createHash("sha256").update(text).digest("base64url"))
        })
      )
