/**
 * The logins of this person on this machine: one file in the system's configuration folder that only its owner can
 * read. A token is kept with the address that it is for, and is sent to no other. One program at a time changes the
 * file: a token that another one overwrote would work on at its gateway, and nobody would have it.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Config, Data, Effect, Option, Redacted, Schedule, Schema } from "effect"
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

const unwritable = (file: string) => new LoginsUnusable({ message: `${file} cannot be written` })
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

/** A change takes some milliseconds, so a lock that is older is that of a program which was killed. */
const lockMillisMax = 10_000
const lockPauseMillis = 50

const isLocked = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "AlreadyExists"

/** Runs `work` while no other program on this machine changes the file. */
const alone = <A, R>(file: string, work: Effect.Effect<A, LoginsUnusable, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const lock = `${file}.lock`
    const removed = Effect.ignore(files.remove(lock, { force: true }))
    const isLeft = Effect.zipWith(files.stat(lock), Clock.currentTimeMillis, ({ mtime }, now) =>
      // One of the future was made before a clock was set back.
      Option.exists(mtime, (since) => Math.abs(now - since.getTime()) > lockMillisMax)
    )
    const taken = files.writeFileString(lock, "", { mode: 0o600, flag: "wx" }).pipe(
      Effect.tapErrorCause(() => Effect.ignore(Effect.whenEffect(removed, isLeft))),
      Effect.retry({ schedule: Schedule.spaced(lockPauseMillis), while: isLocked }),
      Effect.mapError(() => unwritable(file))
    )
    return yield* Effect.acquireUseRelease(
      Effect.interruptible(taken),
      () => work,
      () => removed
    )
  })

const write = (file: string, stored: Stored) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const own = `${file}.${randomBytes(6).toString("hex")}`
    yield* Effect.gen(function* () {
      // A new file has the mode from its first byte on, whatever the old one had.
      yield* files.writeFileString(own, `${yield* Schema.encode(Stored)(stored)}\n`, { mode: 0o600, flag: "wx" })
      yield* files.rename(own, file)
    }).pipe(
      Effect.ensuring(Effect.ignore(files.remove(own, { force: true }))),
      Effect.mapError(() => unwritable(file))
    )
  })

const change = (changed: (stored: Stored) => Stored) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const place = yield* folder
    if (place === null)
      return yield* new LoginsUnusable({
        message: "There is no folder to keep a login in: set XDG_CONFIG_HOME or HOME"
      })
    const file = fileIn(place)
    yield* Effect.mapError(
      Effect.zipRight(files.makeDirectory(place, { recursive: true, mode: 0o700 }), files.chmod(place, 0o700)),
      () => unwritable(file)
    )
    yield* alone(
      file,
      Effect.flatMap(read, (stored) => write(file, changed(stored)))
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
  change(({ tokens }) => {
    const kept = { ...tokens }
    setMember(kept, url, Redacted.value(token))
    return { current: url, tokens: kept }
  })

export const forgetLogin = (url: string) =>
  change(({ current, tokens }) => ({
    current: current === url ? null : current,
    tokens: Object.fromEntries(Object.entries(tokens).filter(([kept]) => kept !== url))
  }))
