/**
 * The command line in this process, on a database of the test's own: the real services, with what it prints and reads
 * in hand.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Context, Effect, identity, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Operator, run } from "../../src/cli/Gateway.js"
import { Screen } from "../../src/cli/Screen.js"
import { SecretInput } from "../../src/cli/SecretInput.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { OperatorServices } from "../../src/layers/compose/StorageOnPostgres.js"
import { acquireTestDatabase } from "../support/postgres.js"

export interface Ended {
  readonly code: number
  /** Lines of standard output and of standard error. */
  readonly out: ReadonlyArray<string>
  readonly err: ReadonlyArray<string>
}

export interface Typed {
  /** What the command finds on standard input. */
  readonly input?: string
  /** Whether standard output is a terminal that shows colours. */
  readonly colours?: boolean
  /** What a person answers when they are asked; nobody can be asked where this is left out. */
  readonly answers?: boolean
  /** Hears each line that a waiting person sees, as it comes. */
  readonly hears?: (words: string) => void
  /** Gets each line of standard output as it comes, also of a command that is interrupted. */
  readonly prints?: (line: string) => void
  /** Stands between the command and the services, to let one of them fail or wait. */
  readonly between?: (services: Context.Context<Operator>) => Context.Context<Operator>
  /** Environment variables beside those of the test's database and folder. */
  readonly settings?: Readonly<Record<string, string>>
}

export class CommandLine extends Context.Tag("test/cli/CommandLine")<
  CommandLine,
  {
    readonly run: (line: ReadonlyArray<string>, typed?: Typed) => Effect.Effect<Ended>
    /** The services that the commands use, for setting up and looking behind them. */
    readonly services: ReturnType<typeof OperatorServices>
    readonly url: Redacted.Redacted
  }
>() {}

/** Splits at blanks; an argument with blanks is given as one element of the list. */
export const cli = (line: string | ReadonlyArray<string>, typed: Typed = {}) =>
  Effect.flatMap(CommandLine, (it) => it.run(typeof line === "string" ? line.split(" ") : line, typed))

/** The one JSON document of a command that went well. */
export const json = (line: string | ReadonlyArray<string>, typed: Typed = {}) =>
  Effect.map(cli([...(typeof line === "string" ? line.split(" ") : line), "--json"], typed), ({ code, err, out }) => {
    if (code !== 0 || out.length !== 1) throw new Error(`ended with ${code}: ${[...out, ...err].join("\n")}`)
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return JSON.parse(out[0]!) as { readonly [name: string]: any }
  })

/** What becomes of a program of the command line, with what it prints and reads in hand. */
export const ended = <E, R>(program: Effect.Effect<number, E, R>, typed: Typed) =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    const console = yield* Effect.console
    const code = yield* program.pipe(
      Effect.withConsole({
        ...console,
        log: (...words) => Effect.sync(() => (out.push(words.join(" ")), typed.prints?.(words.join(" ")))),
        error: (...words) => Effect.sync(() => void err.push(words.join(" ")))
      }),
      Effect.provideService(SecretInput, { read: Effect.sync(() => Redacted.make(typed.input ?? "")) }),
      Effect.provideService(Screen, {
        colours: typed.colours ?? false,
        interactive: typed.answers !== undefined,
        note: (words) => Effect.sync(() => (err.push(words), typed.hears?.(words))),
        progress: () => Effect.void,
        ask: (question) => Effect.sync(() => (err.push(question), typed.answers ?? false))
      })
    )
    return { code, out, err }
  })

export const CommandLineTest: Layer.Layer<CommandLine | NodeContext.NodeContext> = Layer.scoped(
  CommandLine,
  Effect.gen(function* () {
    const url = yield* acquireTestDatabase()
    const dataDir = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const settings = { GATEWAY_DATA_DIR: dataDir, DATABASE_URL: Redacted.value(url) }
    const provider = ConfigProvider.fromMap(new Map(Object.entries(settings)))
    const config = yield* Effect.orDie(Effect.withConfigProvider(readConfig, provider))
    const servicesOf = (found: typeof config) => OperatorServices({ ...found, databaseConnections: 5 })
    const services = servicesOf(config)
    const context = yield* Effect.context<NodeContext.NodeContext>()
    return {
      services,
      url,
      run: (line: ReadonlyArray<string>, typed: Typed = {}) =>
        ended(
          run(
            line,
            Layer.map(
              typed.settings === undefined ? services : Layer.unwrapEffect(Effect.map(readConfig, servicesOf)),
              typed.between ?? identity
            )
          ),
          typed
        ).pipe(
          Effect.withConfigProvider(
            typed.settings === undefined
              ? provider
              : ConfigProvider.fromMap(new Map(Object.entries({ ...settings, ...typed.settings })))
          ),
          Effect.provide(context)
        )
    }
  })
).pipe(Layer.provideMerge(NodeContext.layer))
