/**
 * The server process of one cluster: is one running, start one, stop one. The truth is the `postmaster.pid` that
 * Postgres itself keeps, believed only while the process it names really serves this cluster: a killed machine or
 * container leaves the file, and its number may since belong to anything. Postgres refuses by itself (shared memory
 * keyed by the directory) to start twice on one cluster.
 */
import { Effect, Option, Schedule } from "effect"
import { execFile, spawn, type SpawnOptions } from "node:child_process"
import { randomBytes } from "node:crypto"
import { link, open, readFile, rename, rm, stat, truncate } from "node:fs/promises"
import { join } from "node:path"
import type { Account } from "./Account.js"
import type { Binaries } from "./Binaries.js"
import { environment } from "./Cluster.js"
import { attempt, codeOf, type EmbeddedPostgresError, unless } from "./Failure.js"
import type { Place } from "./Place.js"

export interface Postmaster {
  readonly pid: number
  /** The socket's directory or the loopback address, and the port, as `pg` takes them. */
  readonly host: string
  readonly port: number
  readonly ready: boolean
}

const pidFile = (place: Place) => join(place.cluster, "postmaster.pid")
const logLimitBytes = 5_000_000

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** The command line of a process; empty when there is none. Linux keeps it in a file, elsewhere `ps` tells. */
const commandLine = (pid: number): Promise<string> =>
  process.platform === "linux"
    ? unless(readFile(`/proc/${pid}/cmdline`, "utf8"), ["ENOENT", "ESRCH"], "")
    : new Promise((resolve) =>
        execFile("ps", ["-ww", "-o", "args=", "-p", String(pid)], (_error, stdout) => resolve(stdout))
      )

const serves = async (pid: number, place: Place): Promise<boolean> =>
  isAlive(pid) && (await commandLine(pid)).includes(place.cluster)

// Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
const parse = (text: string): Postmaster => {
  const [pid, , , port, socket, address, , status] = text.split("\n")
  return {
    pid: Number(pid),
    host: socket || address || "127.0.0.1",
    port: Number(port),
    ready: status?.trim() === "ready"
  }
}

/** The server of this cluster, if one runs: starting up, ready or shutting down. */
export const running = (place: Place): Effect.Effect<Option.Option<Postmaster>, EmbeddedPostgresError> =>
  attempt(`read ${pidFile(place)}`, async () => {
    const text = await unless(readFile(pidFile(place), "utf8"), ["ENOENT"], undefined)
    if (text === undefined) return Option.none()
    const found = parse(text)
    return (await serves(found.pid, place)) ? Option.some(found) : Option.none()
  })

/**
 * Takes away a lock file whose number now belongs to some other living process (or to a dead one that nobody buried),
 * for which Postgres would give way. What was taken is looked at again: should a server have started in between, its
 * file goes back.
 */
const discardStale = async (file: string, place: Place): Promise<void> => {
  const taken = `${file}.stale-${randomBytes(8).toString("hex")}`
  const text = await unless(readFile(file, "utf8"), ["ENOENT"], undefined)
  if (text === undefined || !isAlive(parse(text).pid) || (await serves(parse(text).pid, place))) return
  await unless(rename(file, taken), ["ENOENT"], undefined)
  const moved = await unless(readFile(taken, "utf8"), ["ENOENT"], undefined)
  if (moved === undefined) return
  if (moved !== text) await unless(link(taken, file), ["EEXIST"], undefined)
  await rm(taken)
}

/** The port of the socket is only a part of its name. */
export const socketPort = 5432
export const socketFile = (place: Place) => join(place.run, `.s.PGSQL.${socketPort}`)

const settings = (
  place: Place,
  endpoint: { readonly socket: boolean; readonly port: number }
): Readonly<Record<string, string>> => ({
  ...(endpoint.socket
    ? { unix_socket_directories: place.run, listen_addresses: "" }
    : { unix_socket_directories: "", listen_addresses: "127.0.0.1" }),
  port: String(endpoint.port),
  unix_socket_permissions: "0700",
  // A commit that was answered is on the disk: money depends on it.
  fsync: "on",
  synchronous_commit: "on",
  // Nothing replicates from here, so the log need not carry what replication wants.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_wal_size: "1GB",
  wal_buffers: "16MB",
  max_connections: "60",
  shared_buffers: "128MB",
  // Short statements on few cores: compiling or parallelising one costs more than it gives.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  random_page_cost: "1.1",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_checkpoints: "off",
  // Errors of statements reach the caller; here they would only repeat what a client sent.
  log_min_error_statement: "panic"
})

/**
 * Starts the server in a process group of its own, so that Ctrl-C in a terminal reaches this process only and the order
 * of stopping is ours. Answers the exit code once it ends; the server outlives the interruption of this effect.
 */
export const launch = (
  binaries: Binaries,
  place: Place,
  account: Account | undefined,
  endpoint: { readonly socket: boolean; readonly port: number },
  overrides: Readonly<Record<string, string>>
): Effect.Effect<{ readonly exited: () => boolean }, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    yield* attempt(`clean ${place.home}`, async () => {
      for (const file of [pidFile(place), `${socketFile(place)}.lock`]) await discardStale(file, place)
    })
    return yield* attempt(`start ${join(binaries.directory, "bin", "postgres")}`, async () => {
      if ((await unless(stat(place.log), ["ENOENT"], { size: 0 })).size > logLimitBytes) await truncate(place.log)
      const log = await open(place.log, "a", 0o600)
      const given = Object.entries({ ...settings(place, endpoint), ...overrides }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`
      ])
      const options: SpawnOptions = {
        cwd: place.home,
        env: environment,
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        ...account
      }
      const child = spawn(join(binaries.directory, "bin", "postgres"), ["-D", place.cluster, ...given], options)
      let exited = false
      child.once("exit", () => {
        exited = true
      })
      child.unref()
      await new Promise<void>((resolve, reject) => {
        child.once("spawn", resolve)
        child.once("error", reject)
      }).finally(() => log.close())
      return { exited: () => exited }
    })
  })

/** The end of what the server wrote, for a message about why it would not start. */
export const lastWords = (place: Place): Effect.Effect<string> =>
  Effect.promise(() => readFile(place.log, "utf8").catch(() => "")).pipe(
    Effect.map((text) => text.trim().split("\n").slice(-5).join("\n"))
  )

const signal = (pid: number, name: "SIGINT" | "SIGQUIT") =>
  Effect.sync(() => {
    try {
      process.kill(pid, name)
    } catch {
      // It ended in this moment, which is what was wanted.
    }
  })

/**
 * Ends the server: a fast shutdown (running statements are cut, everything committed is kept), after ten seconds a
 * harsher one.
 */
export const stop = (place: Place): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const found = yield* running(place)
    if (Option.isNone(found)) return
    const { pid } = found.value
    const gone = attempt(`watch process ${pid}`, () => serves(pid, place)).pipe(
      Effect.repeat({ while: (alive) => alive, schedule: Schedule.spaced("10 millis") })
    )
    yield* signal(pid, "SIGINT")
    yield* gone.pipe(
      Effect.timeout("10 seconds"),
      Effect.catchTag("TimeoutException", () =>
        Effect.zipRight(signal(pid, "SIGQUIT"), Effect.timeoutOption(gone, "5 seconds"))
      )
    )
  })
