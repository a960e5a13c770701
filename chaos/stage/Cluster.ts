/**
 * Clusters of a whole Postgres, with its programs for backups and standbys, which the embedded one lacks: Debian's
 * newest, or those of the folder `PGBIN`. Each has a directory and a port of its own and trusts whoever
 * reaches it, which is this machine. Root's clusters run as the user `postgres`.
 */
import { execFile, execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import Pg from "pg"
import * as PostgresPrograms from "./PostgresPrograms.js"

const programs = PostgresPrograms.postgresPrograms()
export const user = "gateway"
export const database = "gateway"

type Settings = Readonly<Record<string, string>>

/** Root must not run Postgres. */
export const owner = (() => {
  if (process.getuid?.() !== 0) return null
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
})()

/** Runs a program as the owner of the clusters; dies with what it said when it fails. */
export const runProgram = (name: string, args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.async<string, Error>((resume) => {
    const own = join(programs ?? "", name)
    const file = existsSync(own) ? own : name
    execFile(file, [...args], { ...owner, cwd: "/", maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(new Error(`${name}: ${stderr || error.message}`)))
    )
  }).pipe(Effect.orDie)

/** A folder for clusters and backups, which is removed with its scope. */
export const clusterFolder = Effect.acquireRelease(
  Effect.sync(() => {
    if (programs === null || !existsSync(join(programs, "initdb")))
      throw new Error("there is no initdb: install postgresql, or name the folder of its programs in PGBIN")
    const made = mkdtempSync(join(tmpdir(), "provider-gateway-cluster-"))
    chmodSync(made, 0o711)
    if (owner !== null) chownSync(made, owner.uid, owner.gid)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
)

/** A folder in it, for the owner of the clusters. */
export const subFolder = (parent: string, name: string) =>
  Effect.sync(() => {
    const made = join(parent, name)
    mkdirSync(made)
    if (owner !== null) chownSync(made, owner.uid, owner.gid)
    return made
  })

export const freePort = Effect.promise(PostgresPrograms.freePort)

export interface Cluster {
  readonly directory: string
  readonly port: number
  readonly url: string
  readonly start: Effect.Effect<void>
  /** A fast shutdown. */
  readonly stop: Effect.Effect<void>
  /** `kill -9` of its server; what it wrote stays as it is. */
  readonly kill: Effect.Effect<void>
  /** Ends its time as a standby. */
  readonly promote: Effect.Effect<void>
  readonly configure: (settings: Settings) => Effect.Effect<void>
  readonly rows: <Row extends object>(statement: string) => Effect.Effect<ReadonlyArray<Row>>
  readonly set: (name: string, value: string) => Effect.Effect<void>
  /** Removes its files, for a new beginning. */
  readonly clear: Effect.Effect<void>
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * A place for a cluster, with or without files. Its server is killed with the scope. It gets the port of one that it
 * takes the place of, or a free one.
 */
export const makeCluster = (
  parent: string,
  name: string,
  replacedPort?: number
): Effect.Effect<Cluster, never, Scope.Scope> =>
  Effect.gen(function* () {
    const directory = join(parent, name)
    const port = replacedPort ?? (yield* freePort)
    const server = `postgres://${user}@127.0.0.1:${port}`
    const pid = (): number | null => {
      const file = join(directory, "postmaster.pid")
      return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : null
    }
    const ended = (of: number) =>
      Effect.repeat(
        Effect.delay(
          Effect.sync(() => isAlive(of)),
          "20 millis"
        ),
        { while: (alive) => alive }
      )
    const kill = Effect.suspend(() => {
      const running = pid()
      if (running === null || !isAlive(running)) return Effect.void
      process.kill(running, "SIGKILL")
      return Effect.asVoid(ended(running))
    })
    // The children of a server that was killed notice it, and only then another one may take its place.
    const start = runProgram("pg_ctl", ["-D", directory, "-l", join(parent, `${name}.log`), "-w", "-t", "60", "start"])
    const rows: Cluster["rows"] = (statement) =>
      Effect.promise(async () => {
        const client = new Pg.Client({ connectionString: `${server}/${database}`, application_name: "cluster" })
        client.on("error", () => undefined)
        await client.connect()
        return (await client.query(statement).finally(() => client.end().catch(() => undefined))).rows
      })
    yield* Effect.addFinalizer(() => kill)
    return {
      directory,
      port,
      url: `${server}/${database}`,
      start: start.pipe(
        Effect.sandbox,
        Effect.retry({ times: 20, schedule: Schedule.spaced("250 millis") }),
        Effect.orDie,
        Effect.asVoid
      ),
      stop: Effect.asVoid(runProgram("pg_ctl", ["-D", directory, "-m", "fast", "-w", "stop"])),
      kill,
      promote: Effect.asVoid(runProgram("pg_ctl", ["-D", directory, "-w", "promote"])),
      configure: (settings) =>
        Effect.sync(() =>
          appendFileSync(
            join(directory, "postgresql.conf"),
            Object.entries({ port: String(port), ...settings })
              .map(([key, value]) => `\n${key} = '${value.replaceAll("'", "''")}'`)
              .join("")
          )
        ),
      rows,
      // Not in a transaction block, so one by one.
      set: (key, value) =>
        Effect.zipRight(rows(`alter system set ${key} = '${value}'`), Effect.asVoid(rows("select pg_reload_conf()"))),
      clear: Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    } satisfies Cluster
  })

const always = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  wal_keep_size: "256MB"
}

/** A new cluster that runs, with an empty database for a gateway. */
export const createCluster = (cluster: Cluster, settings: Settings = {}): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* runProgram("initdb", ["-D", cluster.directory, "-U", user, "--auth=trust", "--no-sync"])
    yield* cluster.configure({ ...always, ...settings })
    yield* cluster.start
    yield* runProgram("createdb", ["-h", "127.0.0.1", "-p", String(cluster.port), "-U", user, database])
  })

/** Copies the files of a cluster that runs to the place of another one. */
export const baseBackup = (
  from: Cluster,
  to: string,
  options: ReadonlyArray<string> = [],
  name = "backup"
): Effect.Effect<void> =>
  Effect.asVoid(
    runProgram("pg_basebackup", [
      ...["--pgdata", to, "--checkpoint=fast", "--no-sync", ...options],
      ...["--dbname", `host=127.0.0.1 port=${from.port} user=${user} application_name=${name}`]
    ])
  )
