/** `runs download`: the file of a result, checked against the digest that the run has of it. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { Data, Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { cutText } from "../../domain/Characters.js"
import { mediaNamedBy } from "../../domain/Run.js"
import { answer } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { type Found, runAt } from "./FoundRuns.js"
import { GatewayUnreachable, loggedIn, urlOption } from "./GatewayClient.js"

/** No file was written, for a reason on this side. */
class NotDownloaded extends Data.TaggedError("NotDownloaded")<{ readonly message: string }> {}

const decodeFile = Schema.decodeUnknownOption(
  Schema.Struct({
    media: Schema.Struct({
      downloadPath: Schema.String.pipe(Schema.filter((path) => mediaNamedBy(path) !== null)),
      contentType: Schema.String,
      sha256: Schema.String,
      filename: Schema.optional(Schema.NullOr(Schema.String))
    })
  })
)

/** The file that a result is; none where it stands in the run itself. */
export const fileOf = ({ json }: Found) => Option.map(decodeFile(json["result"]), ({ media }) => media)

/** A name in this folder, whatever the provider called it. */
export const nameFor = (filename: string | null | undefined, otherwise: string): string => {
  const safe = cutText((filename ?? "").replace(/[/\\:\p{Cc}\p{Cf}]/gu, "_"), 200).replace(/^\.+/, "")
  return safe === "" ? otherwise : safe
}

const isThere = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "AlreadyExists"

/** A part of a file is not left behind. */
const written = (path: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    // Nothing that is there is replaced.
    yield* files
      .writeFile(path, bytes, { flag: "wx" })
      .pipe(Effect.tapError((error) => (isThere(error) ? Effect.void : Effect.ignore(files.remove(path)))))
  }).pipe(
    Effect.mapError((error) => {
      const message = isThere(error)
        ? `${path} is there already; --to names another file`
        : `${path} cannot be written: ${error.message}`
      return new NotDownloaded({ message })
    })
  )

export const runsDownload = Command.make(
  "download",
  {
    runId: Inputs.runArgument,
    to: Options.text("to").pipe(
      Options.withPseudoName("FILE"),
      Options.withDescription("The file to write; by default in this folder, under the name that it has"),
      Options.optional
    ),
    url: urlOption,
    json: Inputs.json
  },
  ({ json, runId, to, url }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        const media = fileOf(yield* runAt(gateway, runId))
        if (Option.isNone(media))
          return yield* new NotDownloaded({
            message: `The result of ${runId} is no file; gateway runs show ${runId} shows what it is`
          })
        const { contentType, downloadPath, filename, sha256 } = media.value
        const bytes = yield* gateway.file(downloadPath)
        if (createHash("sha256").update(bytes).digest("hex") !== sha256)
          return yield* new GatewayUnreachable({
            url: gateway.url,
            why: "a file with another digest than the run says"
          })
        const file = Option.getOrElse(to, () => nameFor(filename, runId))
        yield* written(file, bytes)
        return {
          json: { runId, file, bytes: bytes.length, contentType, sha256 },
          text: `${file}  ${bytes.length} bytes  ${contentType}`
        }
      })
    )
).pipe(Command.withDescription("Save the file that a run's result is"))
