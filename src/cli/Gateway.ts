/**
 * The command line as a whole: all commands. A program that ends with 0 has done what was asked, with 1 has not, with 2
 * did not understand the question (`End.ts`). A database is opened (or started) only by the
 * commands that need one.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import { Cause, type Console, Effect, type Layer, Option } from "effect"
import { productVersion } from "../domain/Product.js"
import type { Accounts as AccountsService } from "../services/Accounts.js"
import type { CatalogRevisions } from "../services/CatalogRevisions.js"
import type { Connections } from "../services/Connections.js"
import type { Ids } from "../services/Ids.js"
import type { Members as MembersService } from "../services/Members.js"
import type { PlatformKeys } from "../services/PlatformKeys.js"
import type { ProviderStates } from "../services/ProviderStates.js"
import type { PublicUrl } from "../services/PublicUrl.js"
import type { Reconciliation } from "../services/Reconciliation.js"
import type { Retention } from "../services/Retention.js"
import type { Reports } from "../services/Reports.js"
import type { SecretRotation } from "../services/SecretRotation.js"
import type { Sessions } from "../services/Sessions.js"
import type { Tokens as TokensService } from "../services/Tokens.js"
import type { Wallet } from "../services/Wallet.js"
import * as Accounts from "./Accounts.js"
import { archive } from "./Archive.js"
import { catalog } from "./Catalog.js"
import { audit } from "./client/AccountCommands.js"
import { mcp } from "./client/Agents.js"
import { inspect, search } from "./client/CatalogCommands.js"
import { run as runOne, runsList, runsWatch } from "./client/RunCommands.js"
import { runsDownload } from "./client/RunsDownload.js"
import { runsShow } from "./client/RunsShow.js"
import { login, logout, whoami } from "./client/Sessions.js"
import { endOf, notUnderstood, tellEnd } from "./End.js"
import { examplesFor } from "./Examples.js"
import { keepEmptyValues, markWords } from "./Inputs.js"
import * as Installation from "./Installation.js"
import * as Members from "./Members.js"
import * as Money from "./Money.js"
import { nodes } from "./Nodes.js"
import { Screen } from "./Screen.js"
import * as Secrets from "./Secrets.js"
import * as Tokens from "./Tokens.js"
import { groupAlone, helpAsked, plain, withoutHelpWord } from "./Usage.js"

/** What the commands work with. */
export type Operator =
  | AccountsService
  | CatalogRevisions
  | Connections
  | Ids
  | MembersService
  | PlatformKeys
  | ProviderStates
  | PublicUrl
  | Reconciliation
  | Retention
  | Reports
  | SecretRotation
  | Sessions
  | TokensService
  | Wallet

const scriptOf = {
  bash: Command.getBashCompletions,
  zsh: Command.getZshCompletions,
  fish: Command.getFishCompletions
} as const

/** Those of the operator need the database; the others are a client's. */
const runs = <E, R>(operator: Layer.Layer<Operator, E, R>) =>
  Command.make("runs").pipe(
    Command.withDescription("Your runs, and those whose money an operator has to decide about"),
    Command.withSubcommands([
      runsList,
      runsShow(operator),
      runsWatch,
      runsDownload,
      Command.provide(Money.uncertain, operator),
      Command.provide(Money.resolve, operator)
    ])
  )

const commandsOf = <E, R>(operator: Layer.Layer<Operator, E, R>) =>
  [
    Installation.serve,
    Installation.migrate,
    Installation.doctor,
    Installation.config,
    login,
    logout,
    whoami,
    search,
    inspect,
    runOne,
    mcp,
    audit,
    Command.provide(Accounts.workspace, operator),
    Command.provide(Accounts.credit, operator),
    Tokens.token(operator),
    Command.provide(Members.console, operator),
    Command.provide(Members.member, operator),
    Command.provide(nodes, operator),
    Command.provide(Money.ledger, operator),
    Command.provide(archive, operator),
    runs(operator),
    Command.provide(Secrets.connection, operator),
    Command.provide(Secrets.key, operator),
    Command.provide(Secrets.secrets, operator),
    Command.provide(Secrets.provider, operator),
    catalog(operator)
  ] as const

const root = Command.make("gateway").pipe(
  Command.withDescription("Runs a provider gateway from the command line, beside a server or without one")
)

const allCommands = <E, R>(operator: Layer.Layer<Operator, E, R>) => {
  const commands = commandsOf(operator)
  // What is completed must hold a command of this name, not this one with its own script.
  const completed = root.pipe(
    Command.withSubcommands([...commands, Installation.completions(() => Effect.succeed([]))])
  )
  const completions = Installation.completions((shell) => scriptOf[shell](completed, "gateway"))
  return root.pipe(Command.withSubcommands([...commands, completions]))
}

/** The end of the help of one command or group. */
const footerFor = (args: ReadonlyArray<string>): HelpDoc.HelpDoc => {
  const found = examplesFor(args)
  return found.length === 0
    ? HelpDoc.empty
    : HelpDoc.sequence(
        HelpDoc.h1(found.length === 1 ? "EXAMPLE" : "EXAMPLES"),
        HelpDoc.blocks(found.map((line) => HelpDoc.p(line)))
      )
}

/** What the parser says of every option of a kind, in front of its description. */
const ofItsKind = /^ +(?:A user-defined piece of text|A true or false value)\.\n\n/gm

/** The parser shows the last word of a command only; a person types all of them. */
const withWholeCommand = (help: string, args: ReadonlyArray<string>): string =>
  help.replace(/^\$ (\S+)/m, (usage, last: string) => {
    const words = args.slice(0, args.indexOf(last) + 1).filter((word) => !word.startsWith("-"))
    return words.length === 0 ? usage : `$ gateway ${words.join(" ")}`
  })

/**
 * The parser writes `--only ID...`, as if several values stood behind one `--only`, and as if one were needed. Of those
 * that are repeated, only the scopes of `token create` are.
 */
const withRepeats = (help: string, args: ReadonlyArray<string>): string =>
  help.replace(/(--[\w-]+) ([\w:=]+)\.\.\./g, (_, name: string, value: string, at: number) => {
    if (name !== "--scope") return `[${name} ${value}]...`
    const before = help.slice(help.lastIndexOf("\n", at) + 1, at)
    const words = `${name} ${value}[,${value}]...`
    return args[0] === "login" || /\blogin /.test(before) ? `[${words}]` : words
  })

/** The parser writes a command and its description side by side, which takes a screen of two hundred columns. */
const withTwoLines = (help: string): string => help.replace(/^ {2}- (\S.*?) {2,}(\S.*)$/gm, "  - $1\n      $2")

/** Help is printed without that, and without colours where the output is no terminal. */
const printing = (
  console: Console.Console,
  asked: { readonly colours: boolean; readonly help: boolean; readonly args: ReadonlyArray<string> }
) => {
  const shown = (word: unknown) => {
    if (typeof word !== "string") return word
    const described = asked.help
      ? withTwoLines(
          withRepeats(withWholeCommand(asked.colours ? word : plain(word), asked.args), asked.args).replace(
            ofItsKind,
            ""
          )
        )
      : word
    return asked.colours ? described : plain(described)
  }
  return { ...console, log: (...words: ReadonlyArray<unknown>) => console.log(...words.map(shown)) }
}

/** Runs one command line, without the program's own name, and answers the exit code. */
export const run = <E, R>(line: ReadonlyArray<string>, operator: Layer.Layer<Operator, E, R>) => {
  const typed = withoutHelpWord(line)
  const args = helpAsked(typed) ?? typed
  const alone = helpAsked(typed) === null ? groupAlone(args) : null
  if (alone !== null) return tellEnd(notUnderstood(alone), args)
  return Effect.flatMap(Effect.all([Effect.console, Screen]), ([console, { colours }]) =>
    Command.run(allCommands(operator), { name: "gateway", version: productVersion, footer: footerFor(args) })([
      "node",
      "gateway",
      ...markWords(keepEmptyValues(args))
    ]).pipe(
      // The parser prints what it did not understand by itself, in several lines: it is said once, below.
      Effect.withConsole({
        ...printing(console, { colours, help: helpAsked(typed) !== null, args }),
        error: () => Effect.void
      }),
      // Otherwise it takes --DENY for --deny, and then loses its value. The options of the program itself stand in its
      // own help, not once more in that of each command.
      Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: args[0]?.startsWith("-") ?? true })),
      Effect.as(0),
      Effect.catchAllCause((cause) => {
        const isMistake = Option.isNone(Cause.failureOption(cause)) && !Cause.isInterruptedOnly(cause)
        const where = isMistake ? Effect.logDebug("Where it happened", cause) : Effect.void
        return Effect.zipRight(where, tellEnd(endOf(cause, args), args))
      })
    )
  )
}
