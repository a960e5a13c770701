/**
 * Sealing with AES-256-GCM. The bytes are a random 12-byte nonce, the 16-byte tag, and the ciphertext; what the secret
 * belongs to is authenticated with it. Keys come from `GATEWAY_SEALING_KEYS`, or in development from a file that only
 * its owner can read. A key made for such a file has an id of its own, so that the keys of two machines are never taken
 * for one.
 */
// Not from the package's index: the command line starts with this module, and the index loads all of HTTP.
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { PlatformError } from "@effect/platform/Error"
import { Config, ConfigError, Data, Effect, Either, Encoding, Layer, Option, Redacted } from "effect"
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { Sealing, SealUnreadable } from "../../services/Sealing.js"
import { secret } from "../node/ConfigValues.js"
import { inPlainLines, type SettingsWrong } from "../node/SettingsWrong.js"

const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

/** The keys by id. `current` seals; all of them open. */
export interface SealingKeys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Redacted.Redacted<Uint8Array>>
}

/**
 * `id:base64,id:base64`, the first being the current one; in words what is wrong with it, without showing any of it.
 */
export const parseSealingKeys = (text: string): Either.Either<SealingKeys, string> => {
  const byId = new Map<string, Redacted.Redacted<Uint8Array>>()
  for (const [index, entry] of text.split(",").entries()) {
    const [id, encoded] = entry.trim().split(/:(.*)/s)
    const key = Encoding.decodeBase64(encoded ?? "")
    if (id === undefined || !/^[A-Za-z0-9_-]{1,32}$/.test(id))
      return Either.left(`key ${index + 1} has no id of letters, digits, - and _`)
    if (byId.has(id)) return Either.left(`the id of key ${index + 1} is there twice`)
    if (Either.isLeft(key) || key.right.length !== keyBytes)
      return Either.left(`key ${index + 1} is not the base64 of ${keyBytes} bytes`)
    byId.set(id, Redacted.make(key.right))
  }
  const [current] = byId.keys()
  return current === undefined ? Either.left("there is no key") : Either.right({ current, byId })
}

export const SealingAesGcm = ({ byId, current }: SealingKeys): Layer.Layer<Sealing> =>
  Layer.succeed(
    Sealing,
    Sealing.of({
      currentKeyId: current,
      keyIds: new Set(byId.keys()),
      seal: (secret, about) =>
        Effect.suspend(() => {
          const key = byId.get(current)
          if (key === undefined) return Effect.dieMessage("the current sealing key is not among the keys")
          const nonce = randomBytes(nonceBytes)
          const cipher = createCipheriv("aes-256-gcm", Redacted.value(key), nonce).setAAD(Buffer.from(about))
          const text = Buffer.concat([cipher.update(Redacted.value(secret), "utf8"), cipher.final()])
          return Effect.succeed({ keyId: current, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) })
        }),
      open: ({ bytes, keyId }, about) =>
        Effect.suspend(() => {
          const key = byId.get(keyId)
          if (key === undefined) return Effect.fail(new SealUnreadable({ keyId }))
          return Effect.try({
            try: () => {
              const cipher = createDecipheriv("aes-256-gcm", Redacted.value(key), bytes.subarray(0, nonceBytes), {
                authTagLength: tagBytes
              })
                .setAAD(Buffer.from(about))
                .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
              return Redacted.make(
                Buffer.concat([cipher.update(bytes.subarray(nonceBytes + tagBytes)), cipher.final()]).toString("utf8")
              )
            },
            catch: () => new SealUnreadable({ keyId })
          })
        })
    })
  )

const keysConfig = secret("GATEWAY_SEALING_KEYS").pipe(
  Config.mapOrFail(
    Option.match({
      onNone: () => Either.right(Option.none<SealingKeys>()),
      onSome: (text) =>
        Either.mapBoth(parseSealingKeys(Redacted.value(text)), {
          onLeft: (problem) => ConfigError.InvalidData(["GATEWAY_SEALING_KEYS"], `is wrong: ${problem}`),
          onRight: Option.some
        })
    })
  )
)

/** The file of the sealing keys holds something else. */
export class SealingKeyFileBroken extends Data.TaggedError("SealingKeyFileBroken")<{
  readonly path: string
  readonly message: string
}> {}

/**
 * The keys in a file, which is made with a first key where there is none. Two programs that start at once find the same
 * key.
 */
const keysInFile = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (!(yield* fs.exists(path))) {
      const { dirname } = yield* Path.Path
      const own = `${path}.${randomBytes(6).toString("hex")}`
      yield* fs.makeDirectory(dirname(path), { recursive: true })
      yield* fs.writeFileString(
        own,
        `local-${randomBytes(4).toString("hex")}:${randomBytes(keyBytes).toString("base64")}\n`,
        { mode: 0o600, flag: "wx" }
      )
      // A link appears with all its content and never replaces a file, so that nobody reads half a key.
      yield* fs.link(own, path).pipe(
        Effect.catchIf(
          (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
          () => Effect.void
        ),
        Effect.ensuring(Effect.ignore(fs.remove(own)))
      )
    }
    const keys = parseSealingKeys((yield* fs.readFileString(path)).trim())
    return Either.isRight(keys)
      ? keys.right
      : yield* new SealingKeyFileBroken({ path, message: `${path}: ${keys.left}` })
  })

/** `GATEWAY_SEALING_KEYS` where it is given; where it is needed and missing, that is what is wrong. */
export const givenSealingKeys = (options: {
  readonly needed: boolean
}): Effect.Effect<Option.Option<SealingKeys>, SettingsWrong> =>
  inPlainLines(
    Effect.filterOrFail(
      keysConfig,
      (found) => Option.isSome(found) || !options.needed,
      () =>
        ConfigError.MissingData(
          ["GATEWAY_SEALING_KEYS"],
          "is needed with NODE_ENV=production: keys as id:base64 with commas between them, the current one first"
        )
    )
  )

/** The keys that a node is to use. `keyFile` is for development: without it `GATEWAY_SEALING_KEYS` must be set. */
export const sealingKeys = (options: {
  readonly keyFile: string | null
}): Effect.Effect<
  SealingKeys,
  PlatformError | SealingKeyFileBroken | SettingsWrong,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function* () {
    const { keyFile } = options
    const given = yield* givenSealingKeys({ needed: keyFile === null })
    if (Option.isSome(given)) return given.value
    return keyFile === null
      ? yield* Effect.dieMessage("keys that are needed were not asked for")
      : yield* keysInFile(keyFile)
  })

/**
 * What a database remembers of a key, to tell it from another one with the same id: keyed with the key itself, so that
 * nothing can be learned about its 256 random bits.
 */
export const checkValueOf = (keyId: string, key: Redacted.Redacted<Uint8Array>): string =>
  createHmac("sha256", Redacted.value(key)).update(`provider-gateway sealing key ${keyId}`).digest("hex")
