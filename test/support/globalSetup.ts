/**
 * One Postgres server and one migrated template database for the whole run: the embedded one, in a directory of this
 * run, or the one of DATABASE_URL. Leaves nothing behind; what a killed run left is removed by the next. The embedded
 * server here does not wait for the disk (a test of durability starts its own).
 */
import { Effect, Exit, Redacted, Scope } from "effect"
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import type { TestProject } from "vitest/node"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { migrate } from "../../src/layers/postgres/Migrations.js"
import { migrations } from "../../src/layers/postgres/migrations/index.js"
import { partitionByWorkspace } from "./tablesByWorkspace.js"

declare module "vitest" {
  export interface ProvidedContext {
    /** Superuser's url of the server. */
    readonly databaseUrl: string
    /** Prefix of all databases of this run; the template is named by the prefix alone. */
    readonly databasePrefix: string
    /**
     * A database without rows whose tables are partitioned by workspace, to look at plans of statements; null for files
     * with a process of their own.
     */
    readonly partitionedUrl: string | null
    /** Which statements are looked at. */
    readonly judged: "each text" | "each template"
  }
}

const directoryPrefix = "provider-gateway-test-"

/** Where a run's databases are: in memory, if there is room for them. A run makes and drops 100,000 files. */
const roomNeeded = 2 * 1024 ** 3
const inMemory = "/dev/shm"
const places = [inMemory, tmpdir()]
const placeOfDatabases = (): string => {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize >= roomNeeded ? inMemory : tmpdir()
  } catch {
    return tmpdir()
  }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const removeDirectory = (directory: string) =>
  EmbeddedPostgres.destroy(directory).pipe(
    Effect.ignore,
    Effect.zipRight(Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
  )

const isOfDeadRun = (name: string) =>
  name.startsWith(directoryPrefix) && !isAlive(Number(name.slice(directoryPrefix.length).split("-")[0]))

const removeDirectoriesOfDeadRuns = Effect.suspend(() => {
  const left = places
    .filter((place) => existsSync(place))
    .flatMap((place) =>
      readdirSync(place)
        .filter(isOfDeadRun)
        .map((name) => join(place, name))
    )
  return Effect.forEach(left, removeDirectory, { discard: true })
})

const embedded = Effect.gen(function* () {
  yield* removeDirectoriesOfDeadRuns
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(placeOfDatabases(), `${directoryPrefix}${process.pid}-`))),
    (made) => removeDirectory(made)
  )
  // Root's Postgres runs as another user, who must pass.
  chmodSync(directory, 0o711)
  const { url } = yield* EmbeddedPostgres.start({
    dataDir: directory,
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" }
  })
  return Redacted.value(url)
})

/**
 * On a shared server a run is alive while it holds the lock of its number; databases of runs that do not are dropped.
 */
const claimPrefix = (url: string) =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const connected = new Pg.Client(url)
        connected.on("error", () => undefined)
        await connected.connect()
        return connected
      }),
      (connected) => Effect.promise(() => connected.end())
    )
    const run = Math.floor(Math.random() * 1e9)
    const lock = 46_151
    const tryLock = async (of: number) =>
      (await client.query<{ got: boolean }>("select pg_try_advisory_lock($1::int, $2::int) as got", [lock, of])).rows[0]
        ?.got === true
    const dropAll = async (of: number) => {
      const { rows } = await client.query<{ datname: string }>(
        "select datname from pg_database where datname like $1",
        [`gateway\\_test\\_${of}%`]
      )
      for (const { datname } of rows)
        await client.query(`drop database if exists ${Pg.escapeIdentifier(datname)} with (force)`)
    }
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const { rows } = await client.query<{ run: string }>(
          "select distinct split_part(datname, '_', 3) as run from pg_database where datname like 'gateway\\_test\\_%'"
        )
        for (const dead of rows.map((row) => Number(row.run))) {
          if (!(await tryLock(dead))) continue
          await dropAll(dead)
          await client.query("select pg_advisory_unlock($1::int, $2::int)", [lock, dead])
        }
        await tryLock(run)
      }),
      () => Effect.promise(() => dropAll(run))
    )
    return { client, prefix: `gateway_test_${run}` }
  })

const withDatabase = (url: string, name: string) => {
  const target = new URL(url)
  target.pathname = `/${name}`
  return Redacted.make(target.href)
}

/** `TEST_TABLES=partitioned`: tables that are kept by workspace are hash-partitioned by it (docs/contributing.md). */
const partition = async (url: Redacted.Redacted, months: boolean) => {
  const client = new Pg.Client(Redacted.value(url))
  await client.connect()
  const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows
  await partitionByWorkspace(run, { months }).finally(() => client.end())
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = Effect.runSync(Scope.make())
  const ready = Effect.gen(function* () {
    const url = process.env["DATABASE_URL"] ?? (yield* embedded)
    const { client, prefix } = yield* claimPrefix(url)
    // A database of an operator mostly sorts by a language, unlike the embedded one. What works here works on both.
    yield* Effect.promise(() =>
      client.query(
        `create database ${prefix} template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-US'`
      )
    )
    yield* migrate(migrations).pipe(Effect.provide(DatabasePg({ url: withDatabase(url, prefix), connectionsMax: 2 })))
    const arePartitioned = process.env["TEST_TABLES"] === "partitioned"
    const twin = `${prefix}_partitioned`
    if (project.name === "shared") {
      yield* Effect.promise(() => client.query(`create database ${twin} template ${prefix}`))
      yield* Effect.promise(() => partition(withDatabase(url, twin), true))
    }
    if (arePartitioned) yield* Effect.promise(() => partition(withDatabase(url, prefix), false))
    project.provide("partitionedUrl", project.name === "shared" ? Redacted.value(withDatabase(url, twin)) : null)
    project.provide("judged", arePartitioned ? "each text" : "each template")
    project.provide("databaseUrl", url)
    project.provide("databasePrefix", prefix)
  })
  await Effect.runPromise(
    ready.pipe(
      Scope.extend(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
  )
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
