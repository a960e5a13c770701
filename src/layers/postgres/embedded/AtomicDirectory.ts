/**
 * A directory that appears whole or not at all: it is built beside its place and put there by one rename. Of two
 * builders at once the first rename wins and both go on with its directory. What a killed builder left is never looked
 * at, and removed by a later one.
 */
import { Clock, Effect } from "effect"
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { attempt, type EmbeddedPostgresError, unless } from "./Failure.js"

/** Longer than any build takes; what is older was left by a killed one. */
const unfinishedForMillis = 10 * 60_000

const removeLeft = async (target: string, nowMillis: number) => {
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.unfinished-`)) continue
    const path = join(dirname(target), name)
    const entry = await unless(stat(path), ["ENOENT"], undefined)
    if (entry !== undefined && nowMillis - entry.mtimeMs > unfinishedForMillis)
      await rm(path, { recursive: true, force: true })
  }
}

/**
 * `build` fills the (empty, mode 0700) directory it is given; afterwards `target` is there, by this builder or by
 * another.
 */
export const makeWhole = (
  target: string,
  build: (draft: string) => Effect.Effect<void, EmbeddedPostgresError>
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    yield* Effect.acquireUseRelease(
      attempt(`create ${target}`, async () => {
        await mkdir(dirname(target), { recursive: true })
        await removeLeft(target, nowMillis)
        return mkdtemp(`${target}.unfinished-`)
      }),
      (draft) =>
        Effect.zipRight(
          build(draft),
          attempt(`put ${target} in its place`, () => unless(rename(draft, target), ["ENOTEMPTY", "EEXIST"], undefined))
        ),
      (draft) => Effect.promise(() => rm(draft, { recursive: true, force: true }).catch(() => undefined))
    )
  })
