/**
 * The logins of this person on this machine: one file in the system's configuration folder that only its owner can
 * read. A token is kept with the address that it is for, and is sent to no other.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { Config, Data, Effect, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { member, setMember } from "../../domain/Members.js"

const Stored = Schema.parseJson(
  Schema.Struct({
    /** The address of the last login; null after its logout. */
    current: Schema.NullOr(Schema.String),
    tokens: Schema.Record({ key: Schema.String, value: Schema.String })
  })
)
type Stored = typeof Stored.Type

/** The file of the logins cannot be read, written or understood. */
export class LoginsUnusable extends Data.TaggedError("LoginsUnusable")<{ readonly message: string }> {}

const text = (name: string) =>
  Effect.map(Effect.option(Config.nonEmptyString(name)), (found) => Option.getOrNull(found))

/** Null where the environment names neither a folder for configuration nor a home. */
const folder = Effect.gen(function* () {
  const [xdg, home, appData] = yield* Effect.all([text("XDG_CONFIG_HOME"), text("HOME"), text("APPDATA")])
  const base =
    xdg ??
    (process.platform === "win32"
      ? appData
      : home === null
        ? null
        : process.platform === "darwin"
          ? join(home, "Library", "Application Support")
          : join(home, ".config"))
  return base === null ? null : join(base, "provider-gateway")
})

const fileIn = (place: string): string => join(place, "logins.json")
const nothing: Stored = { current: null, tokens: {} }

const read = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const place = yield* folder
  if (place === null) return nothing
  const file = fileIn(place)
  const unusable = () => new LoginsUnusable({ message: `${file} cannot be read; remove it and log in again` })
  if (!(yield* Effect.mapError(files.exists(file), unusable))) return nothing
  return yield* Effect.mapError(Effect.flatMap(files.readFileString(file), Schema.decode(Stored)), unusable)
})

const write = (stored: Stored) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const place = yield* folder
    if (place === null)
      return yield* new LoginsUnusable({
        message: "There is no folder to keep a login in: set XDG_CONFIG_HOME or HOME"
      })
    const file = fileIn(place)
    const own = `${file}.${randomBytes(6).toString("hex")}`
    yield* Effect.gen(function* () {
      yield* files.makeDirectory(place, { recursive: true, mode: 0o700 })
      yield* files.chmod(place, 0o700)
      // A new file has the mode from its first byte on, whatever the old one had.
      yield* files.writeFileString(own, `${yield* Schema.encode(Stored)(stored)}\n`, { mode: 0o600, flag: "wx" })
      yield* files.rename(own, file)
    }).pipe(
      Effect.ensuring(Effect.ignore(files.remove(own, { force: true }))),
      Effect.mapError(() => new LoginsUnusable({ message: `${file} cannot be written` }))
    )
  })

/** The address of the last login, or null. */
export const currentUrl = Effect.map(read, ({ current }) => current)

/** The token for an address, or null. */
export const tokenFor = (url: string) =>
  Effect.map(read, ({ tokens }) => {
    const token = member(tokens, url)
    return token === undefined ? null : Redacted.make(token)
  })

export const keepLogin = (url: string, token: Redacted.Redacted) =>
  Effect.flatMap(read, ({ tokens }) => {
    const kept = { ...tokens }
    setMember(kept, url, Redacted.value(token))
    return write({ current: url, tokens: kept })
  })

export const forgetLogin = (url: string) =>
  Effect.flatMap(read, ({ current, tokens }) =>
    write({
      current: current === url ? null : current,
      tokens: Object.fromEntries(Object.entries(tokens).filter(([kept]) => kept !== url))
    })
  )
