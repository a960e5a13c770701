/**
 * Makes a cluster where there is none, whole or not at all, and refuses one of another Postgres version.
 * Only a password opens it (scram), also over the socket, whose directory nobody else can enter.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Account } from "./Account.js"
import type { Binaries } from "./Binaries.js"
import { attempt, codeOf, EmbeddedPostgresError, unless } from "./Failure.js"
import { type Place, placeAt } from "./Place.js"
import { makeWhole } from "./AtomicDirectory.js"

/** Nothing of this process's environment reaches Postgres: it has no use for it, and secrets live there. */
export const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

const initdb = (binaries: Binaries, place: Place, passwordFile: string, account: Account | undefined) =>
  Effect.async((resume: (outcome: Effect.Effect<void, EmbeddedPostgresError>) => void) => {
    const program = join(binaries.directory, "bin", "initdb")
    const options = [
      `--pgdata=${place.cluster}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      // Text sorts by code point and folds case by Unicode, the same on every system.
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8"
    ]
    const child = execFile(
      program,
      options,
      { cwd: place.home, env: environment, ...account },
      (error, _stdout, stderr) => {
        if (error === null) return resume(Effect.void)
        const cannotRun =
          ["ENOENT", "EPERM", "EACCES"].includes(codeOf(error) ?? "") || /shared librar|GLIBC/i.test(stderr)
        resume(
          new EmbeddedPostgresError({
            reason: cannotRun ? "unsupported" : "failed",
            message: `Embedded Postgres: ${program} ${cannotRun ? "does not run here" : "failed"}: ${stderr.trim() || error.message}. Setting DATABASE_URL uses another Postgres`,
            cause: error
          })
        )
      }
    )
    return Effect.sync(() => child.kill("SIGTERM"))
  })

const create = (
  binaries: Binaries,
  place: Place,
  account: Account | undefined
): Effect.Effect<void, EmbeddedPostgresError> =>
  makeWhole(place.home, (home) => {
    const draft = placeAt(home)
    const passwordFile = join(draft.run, "password")
    return Effect.gen(function* () {
      yield* attempt(
        `hand ${home} to the user that Postgres runs as (uid ${account?.uid ?? process.getuid?.()})`,
        async () => {
          await mkdir(draft.cluster, { mode: 0o700 })
          await mkdir(draft.run, { mode: 0o700 })
          const password = randomBytes(32).toString("base64url")
          await writeFile(draft.password, password, { mode: 0o600 })
          await writeFile(passwordFile, password, { mode: 0o600 })
          if (account === undefined) return
          await chmod(home, 0o711)
          for (const path of [draft.cluster, passwordFile, draft.run]) await chown(path, account.uid, account.gid)
        }
      )
      yield* initdb(binaries, draft, passwordFile, account)
      yield* attempt(`remove ${passwordFile}`, () => rm(passwordFile))
    })
  })

/** The cluster is there afterwards, and of the version that `binaries` can serve. */
export const ensureCluster = (
  binaries: Binaries,
  place: Place,
  account: Account | undefined
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const version = attempt(`read ${place.cluster}`, () =>
      unless(readFile(join(place.cluster, "PG_VERSION"), "utf8"), ["ENOENT"], undefined)
    )
    if ((yield* version) === undefined) yield* create(binaries, place, account)
    const found = (yield* version)?.trim()
    if (found !== binaries.major) {
      return yield* new EmbeddedPostgresError({
        reason: "failed",
        message: `Embedded Postgres: ${place.cluster} holds data of Postgres ${found ?? "of no version"}, the installed binaries are version ${binaries.major}. Dump it with the old version and load it with the new, or set DATABASE_URL`
      })
    }
  })
