/** `runs download`: the file of a result, checked against the digest that the run has of it. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { Data, Effect, Option, Schema, Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import { cutText } from "../../domain/Characters.js"
import { mediaNamedBy } from "../../domain/Run.js"
import { answer } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { type Found, runAt } from "./FoundRuns.js"
import { type LoggedIn, loggedIn, sendAgain, urlOption } from "./GatewayClient.js"
import { GatewayUnreachable } from "./GatewayFailures.js"

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

/** Writes the pieces of a file to `path`, and tells how many bytes they are and their digest. */
const received = <E>(path: string, pieces: Stream.Stream<Uint8Array, E>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const hash = createHash("sha256")
    let bytes = 0
    yield* Stream.run(
      Stream.tap(pieces, (piece) =>
        Effect.sync(() => {
          hash.update(piece)
          bytes += piece.length
        })
      ),
      files.sink(path)
    )
    return { bytes, sha256: hash.digest("hex") }
  })

/** Gives a whole file its name. Nothing that is there is replaced, so the name is taken by an empty file first. */
const named = (part: string, path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.writeFile(path, new Uint8Array(), { flag: "wx" })
    yield* Effect.tapError(files.rename(part, path), () => Effect.ignore(files.remove(path)))
  }).pipe(Effect.uninterruptible)

/** Saves what the gateway has at `from` as `path`. Until it is whole it has another name, in the same folder. */
const saved = (gateway: LoggedIn, path: string, from: { readonly downloadPath: string; readonly sha256: string }) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const thereAlready = new NotDownloaded({ message: `${path} is there already; --to names another file` })
    // Before the download, which may take long.
    if (yield* files.exists(path)) return yield* thereAlready
    const part = join(dirname(path), `.gateway-${randomUUID()}.part`)
    yield* Effect.addFinalizer(() => Effect.ignore(files.remove(part)))
    const { bytes, sha256 } = yield* sendAgain(received(part, gateway.file(from.downloadPath)))
    if (sha256 !== from.sha256)
      return yield* new GatewayUnreachable({ url: gateway.url, why: "a file with another digest than the run says" })
    yield* Effect.catchIf(named(part, path), isThere, () => thereAlready)
    return bytes
  }).pipe(
    Effect.scoped,
    Effect.catchTag("BadArgument", "SystemError", ({ message }) =>
      Effect.fail(new NotDownloaded({ message: `${path} cannot be written: ${message}` }))
    )
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
        const file = Option.getOrElse(to, () => nameFor(filename, runId))
        const bytes = yield* saved(gateway, file, { downloadPath, sha256 })
        return {
          json: { runId, file, bytes, contentType, sha256 },
          text: `${file}  ${bytes} bytes  ${contentType}`
        }
      })
    )
).pipe(Command.withDescription("Save the file that a run's result is"))
