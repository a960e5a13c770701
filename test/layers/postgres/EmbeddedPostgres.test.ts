// The embedded Postgres with real processes: what a start promises must hold after kills, with several starters, and
// behind a private home.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger, Option, Redacted, Schedule, Scope } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import Pg from "pg"
import { afterAll, beforeAll } from "vitest"
import * as EmbeddedPostgres from "../../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { binariesFor } from "../../../src/layers/postgres/embedded/Binaries.js"
import { findRunning } from "../../support/runningPostgres.js"

const isRoot = process.getuid?.() === 0
const root = mkdtempSync(join(tmpdir(), "embedded-postgres-"))
// Root's Postgres runs as another user, who must pass.
chmodSync(root, 0o711)
const shelter = join(root, "shelter")

let made = 0
/** A name for a data dir; its server is stopped and its files are gone afterwards. */
const newDataDir = Effect.acquireRelease(
  Effect.sync(() => join(root, `data-${++made}`)),
  (directory) => Effect.orDie(EmbeddedPostgres.destroy(directory))
)
/** A data dir that was started once: a copy, which saves the making of a cluster. */
const dataDir = Effect.tap(newDataDir, (directory) =>
  Effect.sync(() => execFileSync("cp", ["-a", initialised, directory]))
)
const initialised = join(root, "initialised")
beforeAll(() => Effect.runPromise(Effect.scoped(start(initialised))))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const start = (directory: string) => EmbeddedPostgres.start({ dataDir: directory, shelter })

const query = (url: Redacted.Redacted | string, text: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(typeof url === "string" ? url : Redacted.value(url))
    await client.connect()
    return (await client.query(text).finally(() => client.end())).rows
  })
const count = (url: Redacted.Redacted | string) =>
  Effect.map(query(url, "select count(*)::int as n from kept"), (rows) => rows[0].n)
const insert = (url: Redacted.Redacted | string) =>
  query(url, "create table if not exists kept (n int); insert into kept values (1)")

const pidFile = (directory: string) => join(directory, "postgres", "cluster", "postmaster.pid")
const serverPid = (directory: string) => Number(readFileSync(pidFile(directory), "utf8").split("\n")[0])

/** Starts the embedded Postgres in a process of its own and answers once it is ready. */
const startElsewhere = (directory: string) =>
  Effect.acquireRelease(
    Effect.async<{ readonly child: ChildProcess; readonly url: string; readonly ended: Promise<unknown> }>((resume) => {
      const vite = createRequire(createRequire(import.meta.url).resolve("vitest/package.json")).resolve("vite-node")
      const program = join(import.meta.dirname, "..", "..", "support", "startPostgres.ts")
      const child = spawn(process.execPath, [join(dirname(vite), "..", "vite-node.mjs"), program, directory, shelter], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.stdout.once("data", (line) => resume(Effect.succeed({ child, url: String(line).trim(), ended })))
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const killed = ({ child, ended }: { readonly child: ChildProcess; readonly ended: Promise<unknown> }) =>
  Effect.promise(() => {
    child.kill("SIGKILL")
    return ended
  })

describe("EmbeddedPostgres.start", () => {
  it.live("gives a durable server, keeps the data over a restart, and stops the server with its scope", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* newDataDir
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { url } = yield* start(directory)
            yield* insert(url)
            assert.deepStrictEqual(
              yield* query(
                url,
                "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'jit') order by name"
              ),
              [
                { name: "fsync", setting: "on" },
                { name: "full_page_writes", setting: "on" },
                { name: "jit", setting: "off" },
                { name: "synchronous_commit", setting: "on" }
              ]
            )
          })
        )
        assert.isFalse(existsSync(pidFile(directory)))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { url } = yield* start(directory)
            assert.strictEqual(yield* count(url), 1)
          })
        )
      })
    )
  )

  it.live("opens to its password only, which lies in a private file", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        const { url } = yield* start(directory)
        const wrong = new URL(Redacted.value(url))
        wrong.password = "wrong"
        const refused = yield* Effect.promise(() =>
          new Pg.Client(wrong.href).connect().then(
            () => undefined,
            (error: unknown) => error
          )
        )
        assert(refused instanceof Pg.DatabaseError)
        assert.strictEqual(refused.code, "28P01")
        const mode = (...path: ReadonlyArray<string>) => statSync(join(directory, ...path)).mode & 0o777
        assert.deepStrictEqual(
          [mode("postgres", "password"), mode("postgres", "cluster"), mode("postgres", "run"), mode("postgres.json")],
          [0o600, 0o700, 0o700, 0o600]
        )
        if (isRoot) assert.strictEqual(statSync(join(directory, "postgres", "cluster")).uid, 65534)
      })
    )
  )

  it.live("lets starters at once share one server, which the last of them stops", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* newDataDir
        const scopes = yield* Effect.all([Scope.make(), Scope.make(), Scope.make()])
        const urls = yield* Effect.forEach(scopes, (scope) => Scope.extend(start(directory), scope), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(urls.map(({ url }) => Redacted.value(url))).size, 1)
        const [first, second, third] = scopes
        yield* Scope.close(first!, Exit.void)
        yield* Scope.close(second!, Exit.void)
        yield* insert(urls[2]!.url)
        yield* Scope.close(third!, Exit.void)
        assert.isFalse(existsSync(pidFile(directory)))
      })
    )
  )

  it.live("takes over the server of a killed process, with its data, and stops it at the end", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        const elsewhere = yield* startElsewhere(directory)
        yield* insert(elsewhere.url)
        const pid = serverPid(directory)
        yield* killed(elsewhere)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { url } = yield* start(directory)
            assert.strictEqual(serverPid(directory), pid)
            assert.strictEqual(yield* count(url), 1)
          })
        )
        assert.isFalse(existsSync(pidFile(directory)))
      })
    )
  )

  it.live("recovers when process and server were both killed, also when another process has the server's old pid", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        const elsewhere = yield* startElsewhere(directory)
        yield* insert(elsewhere.url)
        const pid = serverPid(directory)
        yield* killed(elsewhere)
        process.kill(pid, "SIGKILL")
        const stale = readFileSync(pidFile(directory), "utf8")
        yield* Effect.scoped(
          Effect.flatMap(start(directory), ({ url }) => Effect.map(count(url), (n) => assert.strictEqual(n, 1)))
        )
        // This test's own process stands for the one that got the number.
        writeFileSync(pidFile(directory), stale.replace(String(pid), String(process.pid)))
        yield* Effect.scoped(
          Effect.flatMap(start(directory), ({ url }) => Effect.map(count(url), (n) => assert.strictEqual(n, 1)))
        )
      })
    )
  )

  it.live(
    "starts a server again that was killed while it is used, with the same address, and says so once",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const near = yield* dataDir
          // Its path is too long for a unix socket.
          const far = yield* Effect.acquireRelease(
            Effect.map(dataDir, (directory) => `${directory}-${"far".repeat(25)}`),
            (path) => Effect.orDie(EmbeddedPostgres.destroy(path))
          )
          execFileSync("cp", ["-a", initialised, far])
          for (const directory of [near, far]) {
            const said: Array<string> = []
            const listening = Logger.replace(
              Logger.defaultLogger,
              Logger.make(({ message }) => void said.push(String(message)))
            )
            const runsAgain = Effect.sync(() => said.some((line) => line.includes("runs again"))).pipe(
              Effect.repeat({ until: (again) => again, schedule: Schedule.spaced("20 millis") }),
              Effect.timeout("60 seconds")
            )
            yield* Effect.scoped(
              Effect.gen(function* () {
                const { url } = yield* Effect.provide(start(directory), listening)
                yield* insert(url)
                const pid = serverPid(directory)
                process.kill(pid, "SIGKILL")
                yield* runsAgain
                assert.strictEqual(yield* count(url), 1)
                assert.notStrictEqual(serverPid(directory), pid)
                assert.deepStrictEqual(
                  said.map((line) => line.slice(0, 40)),
                  ["The embedded Postgres ended while it was", "The embedded Postgres runs again"]
                )
              })
            )
            assert.isFalse(existsSync(pidFile(directory)), "and stops it at the end all the same")
          }
        })
      ),
    120_000
  )

  it.live("waits for a server that is just stopping and then starts its own", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        const elsewhere = yield* startElsewhere(directory)
        elsewhere.child.kill("SIGTERM")
        const { url } = yield* start(directory)
        yield* Effect.promise(() => elsewhere.ended)
        yield* insert(url)
        assert.strictEqual(yield* count(url), 1)
      })
    )
  )

  it.live("is found by its data dir while it runs, and not after", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        assert.isTrue(Option.isNone(yield* findRunning(directory)))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { url } = yield* start(directory)
            assert.deepStrictEqual(
              Option.map(yield* findRunning(directory), Redacted.value),
              Option.some(Redacted.value(url))
            )
          })
        )
        assert.isTrue(Option.isNone(yield* findRunning(directory)))
      })
    )
  )

  it.live("uses loopback where the path is too long for a unix socket, and moves with its data dir", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        yield* Effect.scoped(Effect.flatMap(start(directory), ({ url }) => insert(url)))
        const far = yield* Effect.acquireRelease(
          Effect.sync(() => `${directory}-${"far".repeat(25)}`),
          (path) => Effect.orDie(EmbeddedPostgres.destroy(path))
        )
        renameSync(directory, far)
        const { url } = yield* start(far)
        assert.strictEqual(new URL(Redacted.value(url)).hostname, "127.0.0.1")
        assert.strictEqual(yield* count(url), 1)
      })
    )
  )

  it.live("refuses data of another Postgres version and says what to do", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        yield* Effect.scoped(start(directory))
        writeFileSync(join(directory, "postgres", "cluster", "PG_VERSION"), "12\n")
        const failure = yield* Effect.flip(Effect.scoped(start(directory)))
        assert.strictEqual(failure._tag, "EmbeddedPostgresError")
        assert.include(failure.message, "Postgres 12")
      })
    )
  )

  it.live("tells the last words of a server that does not start", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* dataDir
        const failure = yield* Effect.flip(
          Effect.scoped(EmbeddedPostgres.start({ dataDir: directory, shelter, settings: { max_connections: "none" } }))
        )
        assert.include(failure.message, "max_connections")
      })
    )
  )
})

describe.runIf(isRoot)("EmbeddedPostgres.start as root", () => {
  it.live(
    "keeps the cluster in the shelter when the data dir is private, and finds it again whatever the modes become",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const home = join(root, "private-home")
          const directory = join(home, "clone", ".data")
          yield* Effect.addFinalizer(() => Effect.orDie(EmbeddedPostgres.destroy(directory)))
          mkdirSync(home, { mode: 0o700 })
          yield* Effect.scoped(Effect.flatMap(start(directory), ({ url }) => insert(url)))
          assert.isFalse(existsSync(join(directory, "postgres")))
          const recorded = JSON.parse(readFileSync(join(directory, "postgres.json"), "utf8"))
          assert.isTrue(recorded.home.startsWith(shelter))
          chmodSync(home, 0o755)
          yield* Effect.scoped(
            Effect.flatMap(start(directory), ({ url }) => Effect.map(count(url), (n) => assert.strictEqual(n, 1)))
          )
        })
      )
  )
})

describe("the binaries", () => {
  const pack = (name: string, mode: number) => {
    const native = join(root, name, "native")
    for (const path of ["bin", "lib/postgresql", "share/postgresql"]) mkdirSync(join(native, path), { recursive: true })
    for (const program of ["initdb", "postgres"])
      writeFileSync(join(native, "bin", program), "a program", { mode: 0o700 })
    writeFileSync(join(native, "lib", "libpq.so.5.17"), "a library", { mode: 0o600 })
    writeFileSync(
      join(native, "pg-symlinks.json"),
      JSON.stringify([{ source: "native/lib/libpq.so.5.17", target: "native/lib/libpq.so.5" }])
    )
    for (const path of [native, join(native, "bin/initdb"), join(native, "bin/postgres")]) chmodSync(path, mode)
    return { native, version: "17.10.0" }
  }
  const stranger = { uid: 65533, gid: 65533 }

  it.effect("are used where they are installed, with the links that a blocked install script did not make", () =>
    Effect.gen(function* () {
      const found = yield* binariesFor(pack("open", 0o755), stranger, join(root, "unused"))
      assert.deepStrictEqual(found, { directory: join(root, "open", "native"), major: "17" })
      assert.strictEqual(readFileSync(join(found.directory, "lib", "libpq.so.5"), "utf8"), "a library")
    })
  )

  it.effect("are copied once, whole and readable, for a user who cannot reach them, by several starters at once", () =>
    Effect.gen(function* () {
      const from = pack("private", 0o700)
      const copies = yield* Effect.all(
        Array.from({ length: 3 }, () => binariesFor(from, stranger, join(root, "copies"))),
        { concurrency: "unbounded" }
      )
      const [directory, ...others] = new Set(copies.map((each) => each.directory))
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(readdirSync(join(root, "copies")), [basename(directory!)])
      assert.strictEqual(readFileSync(join(directory!, "lib", "libpq.so.5"), "utf8"), "a library")
      const mode = (path: string) => statSync(join(directory!, path)).mode & 0o777
      assert.deepStrictEqual([mode("."), mode("bin/postgres"), mode("lib/libpq.so.5.17")], [0o755, 0o755, 0o644])
    })
  )
})
