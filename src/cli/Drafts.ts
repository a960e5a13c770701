/**
 * Writes first manifests into a catalog folder, for a person to go over. A file that somebody has edited is never lost:
 * a file that exists with another content stops the writing before anything is written, unless overwriting is asked
 * for.
 */
import * as Options from "@effect/cli/Options"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { Data, Effect, Option } from "effect"
import { join, resolve } from "node:path"
import { counted, nounFor } from "../domain/Counted.js"
import { schemaLine } from "../domain/ManifestSchemas.js"
import { readPublicUrl } from "../layers/node/Config.js"

/** Nothing was written, and why. */
export class NotMade extends Data.TaggedError("NotMade")<{ readonly reason: string }> {
  override get message(): string {
    return `Nothing was written: ${this.reason}`
  }
}

export const gateway = Options.text("gateway").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription(
    "The gateway whose schema of manifests editors use, in the first line of each file; without it, the one of GATEWAY_PUBLIC_URL, or of HOST and PORT"
  ),
  Options.optional
)

export const overwrite = Options.boolean("overwrite").pipe(
  Options.withDescription(
    "Replace files of the same name that have another content; without it nothing is written then"
  )
)

/** Puts the line by which an editor finds the schema before a manifest. */
export const schemaLiner = (gateway: Option.Option<string>) =>
  Effect.map(
    Option.match(gateway, { onNone: () => readPublicUrl, onSome: Effect.succeed }),
    (url) =>
      (text: string): string =>
        `${schemaLine("provider", url.replace(/\/+$/, ""))}\n${text}`
  )

interface Draft {
  readonly file: string
  readonly text: string
}

interface PlannedDrafts {
  readonly will: ReadonlyArray<string>
  /** Writes them and answers with the path of each. */
  readonly write: Effect.Effect<ReadonlyArray<string>, NotMade | PlatformError>
}

const namesShown = 5

/** How the drafts would be written below `providers/` of the folder. Nothing is written yet. */
export const plannedDrafts = Effect.fnUntraced(function* (
  to: string,
  drafts: ReadonlyArray<Draft>,
  replaces: {
    readonly overwrite: boolean
    /** One more way on for the person who meets a file that exists. */
    readonly orElse?: string
  }
) {
  const files = yield* FileSystem.FileSystem
  const place = join(resolve(to), "providers")
  const known = yield* Effect.forEach(drafts, ({ file, text }) =>
    Effect.map(
      Effect.orElseSucceed(files.readFileString(join(place, file)), () => null),
      (before) => ({ path: join(place, file), text, before })
    )
  )
  const edited = known.flatMap(({ before, path, text }) => (before === null || before === text ? [] : [path]))
  const refused = (paths: ReadonlyArray<string>) =>
    new NotMade({
      reason: `${paths.slice(0, namesShown).join(", ")}${paths.length > namesShown ? ` and ${paths.length - namesShown} more` : ""} ${
        paths.length === 1 ? "exists" : "exist"
      } already with another content; name another folder with --to, or rename the ${nounFor(paths.length, "file")}${
        replaces.overwrite ? "" : ", or replace with --overwrite"
      }${replaces.orElse === undefined ? "" : `; ${replaces.orElse}`}`
    })
  if (edited.length > 0 && !replaces.overwrite) return yield* refused(edited)
  const made = known.filter(({ before }) => before === null).length
  // An import of nothing leaves no folder that a check would call well.
  const folder = made === 0 ? Effect.void : files.makeDirectory(place, { recursive: true })
  const plan: PlannedDrafts = {
    will: [
      ...(made === 0 ? [] : [`Writes ${counted(made, "manifest")} below ${place}`]),
      ...edited.map((path) => `Replaces ${path}, which has another content`)
    ],
    write: Effect.zipRight(
      folder,
      Effect.forEach(known, ({ before, path, text }) =>
        before === text
          ? Effect.succeed(path)
          : // Without leave to replace, it fails also when another program has just made a file of this name.
            files.writeFileString(path, text, { flag: replaces.overwrite ? "w" : "wx" }).pipe(
              Effect.catchIf(
                (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
                () => refused([path])
              ),
              Effect.as(path)
            )
      )
    )
  }
  return plan
})
