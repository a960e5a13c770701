/**
 * Where the files of one embedded Postgres lie. Normally below the data dir. A root process cannot always have them
 * there: the user that Postgres runs as must be able to enter every directory above, and a clone under a private home
 * shuts it out. Then they lie below `shelter` (/var/lib/provider-gateway: kept by the system, unlike /var/tmp), under a
 * random name that `postgres.json` in the data dir records. The record rules from then on, so the data is found again
 * whatever becomes of the modes of the home; deleting the data dir forgets that cluster and starts anew, as it would
 * had the cluster lain inside.
 */
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type Account, accountFor, canEnter } from "./Account.js"
import { attempt, EmbeddedPostgresError, unless } from "./Failure.js"

export interface Place {
  /** Holds everything below. Appears whole, by rename, once the cluster is initialised. */
  readonly home: string
  /** The cluster itself (PGDATA), owned by the account, mode 0700. */
  readonly cluster: string
  /** The directory of the unix socket, owned by the account, mode 0700. */
  readonly run: string
  /** The superuser's password, mode 0600, owned by the process that started Postgres first. */
  readonly password: string
  readonly log: string
}

export const placeAt = (home: string): Place => ({
  home,
  cluster: join(home, "cluster"),
  run: join(home, "run"),
  password: join(home, "password"),
  log: join(home, "server.log")
})

const recordOf = (dataDir: string) => join(dataDir, "postgres.json")

/** The place that the data dir's record names, if Postgres was ever started for this data dir. */
export const recorded = (dataDir: string): Effect.Effect<Option.Option<Place>, EmbeddedPostgresError> =>
  attempt(`read ${recordOf(dataDir)}`, async () => {
    const text = await unless(readFile(recordOf(dataDir), "utf8"), ["ENOENT"], undefined)
    if (text === undefined) return Option.none()
    const record: unknown = JSON.parse(text)
    // Relative for a cluster inside, so that a data dir can be moved.
    return Option.some(placeAt(resolve(await realpath(dataDir), String(Object(record).home))))
  })

const choose = async (dataDir: string, shelter: string): Promise<string> => {
  const inside = join(dataDir, "postgres")
  return (await canEnter(await accountFor(inside), dataDir))
    ? "postgres"
    : join(shelter, randomBytes(8).toString("hex"))
}

/** Writes the record whole and only once: of two starters at once, both go on with the place of the first. */
const record = async (dataDir: string, home: string): Promise<void> => {
  const draft = `${recordOf(dataDir)}.${randomBytes(8).toString("hex")}`
  await writeFile(draft, `${JSON.stringify({ home }, null, 2)}\n`, { mode: 0o600 })
  await unless(link(draft, recordOf(dataDir)), ["EEXIST"], undefined)
  await rm(draft)
}

/** The place for this data dir and the account to run as, chosen and recorded at the first start. */
export const placeFor = (
  dataDir: string,
  shelter: string
): Effect.Effect<{ readonly place: Place; readonly account: Account | undefined }, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const known = yield* recorded(dataDir)
    if (Option.isNone(known)) {
      yield* attempt(`prepare ${dataDir}`, async () => {
        // 0711 where it is new: root's Postgres must pass through; what is private in the data dir is private by its
        // own mode.
        if ((await mkdir(dataDir, { recursive: true })) !== undefined) await chmod(dataDir, 0o711)
        await record(dataDir, await choose(await realpath(dataDir), shelter))
      })
      return yield* placeFor(dataDir, shelter)
    }
    const place = known.value
    return yield* attempt(`use ${place.home}`, async () => {
      await mkdir(join(place.home, ".."), { recursive: true })
      return { place, account: await accountFor(place.cluster) }
    }).pipe(Effect.tap(({ account }) => assertReachable(place, account)))
  })

const assertReachable = (place: Place, account: Account | undefined) =>
  Effect.gen(function* () {
    const refuse = (problem: string) =>
      new EmbeddedPostgresError({
        reason: "unreachable",
        message: `Embedded Postgres: ${problem}. Start as the user who did before, name another GATEWAY_DATA_DIR, or set DATABASE_URL`
      })
    const parent = yield* attempt(`look at ${place.home}`, () => realpath(join(place.home, "..")))
    if (!(yield* attempt(`look at ${parent}`, () => canEnter(account, parent)))) {
      return yield* refuse(
        `the data in ${place.home} can no longer be reached by the user it runs as (uid ${account?.uid})`
      )
    }
    const owner = yield* attempt(`look at ${place.cluster}`, () =>
      unless(
        stat(place.cluster).then(({ uid }) => uid),
        ["ENOENT"],
        undefined
      )
    )
    const self = account?.uid ?? process.getuid?.()
    if (owner !== undefined && owner !== self)
      return yield* refuse(`the data in ${place.home} belongs to another user (uid ${owner})`)
  })
