/**
 * Gateway processes under attack. Everything that a node logs as an error is a finding, and so is an end that nobody
 * asked for: storage and providers may fail as they like, the process neither dies of it nor calls it a defect.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Deferred, Effect, Option, type Scope } from "effect"
import type { Findings } from "./Findings.js"
import type { Cost } from "./Measure.js"

export interface Node {
  readonly origin: string
  readonly ended: Effect.Effect<NodeJS.Signals | null>
  readonly isAlive: () => boolean
  readonly kill: Effect.Effect<void>
  /** Does the work, and says what it cost the node. */
  readonly costOf: <E>(work: Effect.Effect<unknown, E>) => Effect.Effect<Cost, E>
  /** Stands still as a whole, every thread of it, and goes on. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** Lets nothing else run on its main thread for so long. */
  readonly block: (millis: number) => Effect.Effect<void>
  /** Asked to stop, as an operator does; answers when it has. */
  readonly stop: Effect.Effect<void>
}

export interface NodeOptions {
  readonly program: string
  readonly databaseUrl: string
  readonly fixtureOrigin: string
  readonly catalog: string
  readonly dataDir: string
  readonly findings: Findings
  readonly environment?: { readonly [name: string]: string }
}

const readyWithin = "60 seconds"

const environmentOf = (options: NodeOptions): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOST: "127.0.0.1",
  PORT: "0",
  DATABASE_URL: options.databaseUrl,
  GATEWAY_FIXTURE_ORIGIN: options.fixtureOrigin,
  GATEWAY_CATALOG: options.catalog,
  GATEWAY_DATA_DIR: options.dataDir,
  GATEWAY_DATABASE_CONNECTIONS: "8",
  GATEWAY_RATE_BURST: "1000000",
  GATEWAY_PUBLIC_RATE_BURST: "1000000",
  GATEWAY_PUBLIC_TOTAL_RATE_BURST: "1000000",
  GATEWAY_RATE_PER_SECOND: "1000000",
  GATEWAY_INFLIGHT_LIMIT: "10000",
  GATEWAY_DRAIN_MILLIS: "2000",
  ...options.environment
})

interface Line {
  readonly port?: number
  readonly logLevel?: string
}

/** Sends one message and answers the next that comes back. */
const told = (child: ChildProcess, message: "begin" | "end"): Effect.Effect<unknown> =>
  Effect.async((resume) => {
    child.once("message", (answer) => resume(Effect.succeed(answer)))
    child.send(message)
  })

const parse = (line: string): Line | null => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? value : null
  } catch {
    return null
  }
}

/** Starts a node and answers once it serves, or with none when it ended before. It is killed with its scope. */
export const startNode = (options: NodeOptions): Effect.Effect<Option.Option<Node>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* Deferred.make<number>()
    const ended = yield* Deferred.make<NodeJS.Signals | null>()
    const state: { alive: boolean; asked: boolean; stopping?: boolean } = {
      alive: true,
      asked: options.environment?.["GATEWAY_FAULT_POINT"] !== undefined
    }
    const child: ChildProcess = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--expose-gc", options.program], {
          env: environmentOf(options),
          stdio: ["pipe", "pipe", "pipe", "ipc"]
        })
      ),
      (made) =>
        Effect.suspend(() => {
          state.asked = true
          made.kill("SIGKILL")
          return Deferred.await(ended)
        })
    )
    child.once("exit", (code, signal) => {
      state.alive = false
      if (state.stopping !== true && (!state.asked || signal !== "SIGKILL"))
        options.findings.note(`a node ended with ${signal ?? code}`)
      Deferred.unsafeDone(ended, Effect.succeed(signal))
    })
    const read = (line: string): void => {
      const said = parse(line)
      if (said?.port !== undefined) Deferred.unsafeDone(port, Effect.succeed(said.port))
      else if (said === null || said.logLevel === "ERROR" || said.logLevel === "FATAL")
        options.findings.note(`a node said: ${line.slice(0, 1500)}`)
    }
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) createInterface({ input: stream }).on("line", read)

    const serves = yield* Effect.raceFirst(
      Effect.asSome(Deferred.await(port)),
      Effect.as(Deferred.await(ended), Option.none<number>())
    ).pipe(
      Effect.timeoutTo({
        duration: readyWithin,
        onSuccess: (found) => found,
        onTimeout: () => {
          options.findings.note(`a node did not serve within ${readyWithin}`)
          return Option.none<number>()
        }
      })
    )
    return Option.map(serves, (number): Node => ({
      origin: `http://127.0.0.1:${number}`,
      ended: Deferred.await(ended),
      isAlive: () => state.alive,
      freeze: Effect.sync(() => void child.kill("SIGSTOP")),
      thaw: Effect.sync(() => void child.kill("SIGCONT")),
      block: (millis) => Effect.sync(() => void child.stdin?.write(`block ${millis}\n`)),
      stop: Effect.suspend(() => {
        state.stopping = true
        child.kill("SIGTERM")
        return Effect.asVoid(Deferred.await(ended))
      }),
      kill: Effect.suspend(() => {
        state.asked = true
        child.kill("SIGKILL")
        return Effect.asVoid(Deferred.await(ended))
      }),
      costOf: (work) =>
        Effect.zipRight(
          Effect.zipRight(told(child, "begin"), work),
          Effect.map(told(child, "end"), (cost) => cost as Cost)
        )
    }))
  })
