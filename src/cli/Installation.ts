/**
 * `serve`, `migrate`, `doctor`, `config` and `completions`: a gateway on this machine, and what it needs. What they
 * work with is loaded when it is asked for, so that the other commands need not wait for it.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Layer } from "effect"
import { readConfig } from "../layers/node/Config.js"
import { shownConfig } from "../layers/node/ConfigShown.js"
import { answer } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { Screen } from "./Screen.js"

export const serve = Command.make(
  "serve",
  {
    json: Options.boolean("json").pipe(
      Options.withDescription("Only JSON lines on standard output: no welcome in development")
    )
  },
  ({ json }) =>
    Effect.flatMap(
      Effect.promise(() => import("../layers/compose/Starting.js")),
      (starting) => starting.serve({ welcomes: !json, terminal: !json && process.stdout.isTTY })
    ).pipe(
      // A server that is told to stop has done what was asked.
      Effect.onInterrupt(() => Effect.sync(() => void (process.exitCode = 0)))
    )
).pipe(Command.withDescription("Run the gateway until it is stopped, as npm start does"))

const indented = (names: ReadonlyArray<string>) => names.map((name) => `  ${name}`)

export const migrate = Command.make(
  "migrate",
  {
    dryRun: Options.boolean("dry-run").pipe(Options.withDescription("Only say which migrations would run")),
    json: Inputs.json
  },
  ({ dryRun, json }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { DatabaseFound, DatabaseFoundOrMade } = yield* Effect.promise(
          () => import("../layers/compose/StorageOnPostgres.js")
        )
        const pg = yield* Effect.promise(() => import("../layers/postgres/Migrations.js"))
        const { migrations } = yield* Effect.promise(() => import("../layers/postgres/migrations/index.js"))
        const { enterDeployment } = yield* Effect.promise(() => import("../layers/postgres/Deployment.js"))
        const { AuditTrailPg } = yield* Effect.promise(() => import("../layers/postgres/AuditTrailPg.js"))
        const { IdsCrypto } = yield* Effect.promise(() => import("../layers/node/IdsCrypto.js"))
        const { note } = yield* Screen
        const config = yield* readConfig
        const mark = config.production
          ? Effect.provide(enterDeployment(true), Layer.provide(AuditTrailPg, IdsCrypto))
          : Effect.void
        return yield* Effect.gen(function* () {
          const missing = yield* pg.missingMigrations(migrations)
          const [one, many] =
            missing.length === 1 ? ["migration is", "1 migration"] : ["migrations are", `${missing.length} migrations`]
          if (missing.length === 0) {
            if (!dryRun) yield* mark
            return { json: { missing, ran: [] }, text: "The database is up to date; there is nothing to do" }
          }
          const list = [`${missing.length} ${one} missing:`, ...indented(missing)].join("\n")
          if (dryRun) return { json: { missing, ran: [] }, text: `${list}\nNothing was changed (--dry-run)` }
          yield* note(list)
          const ran = yield* pg.migrate(migrations)
          yield* mark
          return { json: { missing, ran }, text: `${many} ran; the database is up to date` }
        }).pipe(Effect.provide(dryRun ? DatabaseFound(config) : DatabaseFoundOrMade(config, "command")))
      })
    )
).pipe(Command.withDescription("Bring the database to the schema of this version, and say what that takes"))

export const doctor = Command.make("doctor", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const { examine } = yield* Effect.promise(() => import("../layers/compose/Doctor.js"))
      const findings = yield* examine
      const ok = findings.every((finding) => finding.ok)
      return {
        ok,
        json: { ok, findings: findings.map((finding) => ({ ...finding })) },
        text: findings
          .flatMap(({ advice, check, found, ok }) => [
            `${ok ? (advice === null ? "ok   " : "look ") : "WRONG"}  ${check.padEnd(14)}  ${found}`,
            ...(advice === null ? [] : [`       what to do: ${advice}`])
          ])
          .join("\n")
      }
    })
  )
).pipe(
  Command.withDescription(
    "Check settings, database, schema, clock, nodes, sealing keys, name resolution, disk and public address; ends with 1 when something is wrong"
  )
)

const print = Command.make("print", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.map(shownConfig, (settings) => ({
      json: { settings: settings.map((setting) => ({ ...setting })) },
      text: settings
        .map(({ file, from, name, value }) => `${name}=${value ?? ""}  (${file === null ? from : `file ${file}`})`)
        .join("\n")
    }))
  )
).pipe(
  Command.withDescription("Every setting with its value and where that comes from; of a secret, only that it is set")
)

export const config = Command.make("config").pipe(
  Command.withDescription("The settings of this gateway"),
  Command.withSubcommands([print])
)

export const shells = ["bash", "zsh", "fish"] as const
type Shell = (typeof shells)[number]

/** `scriptOf`: the script of all commands, which this one cannot know by itself. */
export const completions = (scriptOf: (shell: Shell) => Effect.Effect<ReadonlyArray<string>>) =>
  Command.make(
    "completions",
    {
      shell: Args.choice(
        shells.map((shell): [string, Shell] => [shell, shell]),
        { name: "SHELL" }
      ).pipe(Args.withDescription("The shell that reads the script")),
      json: Inputs.json
    },
    ({ json, shell }) =>
      answer(
        json,
        Effect.map(scriptOf(shell), (lines) => {
          const script = lines.join("\n")
          return { json: { shell, script }, text: script }
        })
      )
  ).pipe(Command.withDescription("Print a script that completes commands and options as you type: bash, zsh or fish"))
