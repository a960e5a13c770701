/** `workspace`, `token` and `credit`: who may call, and with how much money. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Data, Effect, Either, type Layer, Option, Redacted } from "effect"
import { counted } from "../domain/Counted.js"
import { commandLine } from "../domain/AuditEntry.js"
import { Accounts, type Workspace } from "../services/Accounts.js"
import { Ids } from "../services/Ids.js"
import { Wallet } from "../services/Wallet.js"
import { ValidationError } from "../domain/ApiErrors.js"
import type { TokenId } from "../domain/Ids.js"
import { operatorCreditKey } from "../domain/Ledger.js"
import { dollars, toUsd } from "../domain/Micros.js"
import { shellQuoted } from "../domain/ShellQuoting.js"
import { changedPolicy, type PolicyChange, rulesOf, ruleText } from "../domain/WorkspacePolicy.js"
import { readConfig } from "../layers/node/Config.js"
import { agreed, announced, dryRun } from "./Announced.js"
import { type Answer, answer, isoTime } from "./Answer.js"
import { createOver, listTokens, revokeOver, rotateToken } from "./client/AccountCommands.js"
import { type LoggedIn, loggedIn, NotLoggedIn, urlOption } from "./client/GatewayClient.js"
import * as Inputs from "./Inputs.js"
import { orTell, tokenUnconfirmed } from "./Unconfirmed.js"
import { unknownRules } from "./UnknownRules.js"
import { workspaceOf } from "./Workspaces.js"

const policyText = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>): string =>
  allow.length + deny.length === 0
    ? "every operation is allowed"
    : [
        ...(allow.length === 0 ? [] : [`only ${allow.join(", ")} allowed`]),
        ...(deny.length === 0 ? [] : [`${deny.join(", ")} denied`])
      ].join("; ")

const settingsOf = (
  { inflightLimit, learnsFromUse, policy, runCapMicros, runsPerMinute, workspaceId }: Workspace,
  warnings: ReadonlyArray<string>
): Answer => {
  const rules = rulesOf(policy)
  const [allow, deny] = [rules.allow.map(ruleText), rules.deny.map(ruleText)]
  return {
    json: {
      workspaceId,
      inflightLimit,
      runsPerMinute,
      runCapMicros,
      policy: { allow, deny },
      learnsFromUse,
      ...(warnings.length === 0 ? {} : { warnings })
    },
    text: [
      `${workspaceId}: ${inflightLimit === null ? "the default of runs" : counted(inflightLimit, "run")} in flight, ${runsPerMinute === null ? "no limit of runs" : counted(runsPerMinute, "run")} a minute, ${
        runCapMicros === null ? "no cap for one run" : `at most ${dollars(runCapMicros)} for one run`
      }`,
      `policy: ${policyText(allow, deny)}`,
      ...(learnsFromUse ? ["searches learn from what is run after them"] : []),
      ...warnings.map((warning) => `warning: ${warning}`)
    ].join("\n")
  }
}

const policyAfter = ({ policy }: Workspace, change: PolicyChange) =>
  Either.mapLeft(changedPolicy(policy, change), (problem) => new ValidationError({ details: [problem] }))

const rulesText = ({ policy }: Workspace): string => {
  const { allow, deny } = rulesOf(policy)
  return policyText(allow.map(ruleText), deny.map(ruleText))
}

/** What a change does, a sentence for each thing that is not as it was. */
const changesOf = (before: Workspace, after: Workspace): ReadonlyArray<string> => {
  const limit = (what: string, of: (workspace: Workspace) => string) =>
    of(before) === of(after) ? [] : [`Changes ${what} of ${before.name} from ${of(before)} to ${of(after)}`]
  return [
    ...limit("the runs in flight", ({ inflightLimit }) => String(inflightLimit ?? "the default")),
    ...limit("the runs a minute", ({ runsPerMinute }) => String(runsPerMinute ?? "no limit")),
    ...limit("the cap of one run", ({ runCapMicros }) => (runCapMicros === null ? "none" : dollars(runCapMicros))),
    ...(rulesText(before) === rulesText(after)
      ? []
      : [`Changes the policy of ${before.name} from "${rulesText(before)}" to "${rulesText(after)}"`]),
    ...(before.learnsFromUse === after.learnsFromUse
      ? []
      : [
          after.learnsFromUse
            ? `Lets the searches of ${before.name} learn from its runs`
            : `Forgets what the searches of ${before.name} have learned`
        ])
  ]
}

const create = Command.make(
  "create",
  {
    name: Inputs.text("NAME").pipe(Args.withDescription("What the workspace is called; no other has the name")),
    json: Inputs.json
  },
  ({ json, name }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { workspaceId } = yield* (yield* Accounts).createWorkspace(name, commandLine)
        return { json: { workspaceId }, text: workspaceId }
      })
    )
).pipe(Command.withDescription("Make a workspace"))

const set = Command.make(
  "set",
  {
    workspace: Inputs.workspaceArgument,
    inflightLimit: Inputs.inflightLimit,
    runsPerMinute: Inputs.runsPerMinute,
    runCapMicros: Inputs.runCap,
    allow: Inputs.allow,
    deny: Inputs.deny,
    reset: Inputs.policyReset,
    searchLearning: Inputs.searchLearning,
    dryRun,
    json: Inputs.json
  },
  ({ allow, deny, dryRun, json, reset, searchLearning, workspace, ...given }) =>
    announced(
      { dryRun, json },
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const before = yield* accounts.workspace(yield* workspaceOf(workspace))
        const { workspaceId } = before
        const limits = {
          ...Option.match(given.inflightLimit, { onNone: () => ({}), onSome: (inflightLimit) => ({ inflightLimit }) }),
          ...Option.match(given.runsPerMinute, { onNone: () => ({}), onSome: (runsPerMinute) => ({ runsPerMinute }) }),
          ...Option.match(given.runCapMicros, { onNone: () => ({}), onSome: (runCapMicros) => ({ runCapMicros }) })
        }
        const change = reset || allow.length > 0 || deny.length > 0 ? { reset, allow, deny } : null
        const policy = change === null ? before.policy : yield* policyAfter(before, change)
        const learnsFromUse = Option.getOrElse(searchLearning, () => before.learnsFromUse)
        return {
          will: changesOf(before, { ...before, ...limits, policy, learnsFromUse }),
          work: Effect.gen(function* () {
            // First, because it may be refused; then the limits stay as they are too.
            if (change !== null) yield* accounts.setPolicy(workspaceId, change, commandLine)
            if (Option.isSome(searchLearning))
              yield* accounts.setSearchLearning(workspaceId, searchLearning.value, commandLine)
            const after = yield* accounts.setLimits(workspaceId, limits, commandLine)
            return settingsOf(after, yield* unknownRules([...allow, ...deny]))
          })
        }
      })
    )
).pipe(
  Command.withDescription(
    "Set or clear the limits and the policy of a workspace, and what its searches learn; without options, show them"
  )
)

const list = Command.make("list", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const found = yield* (yield* Accounts).workspaces
      return {
        json: {
          workspaces: found.map(({ createdAt, name, workspaceId }) => ({
            workspaceId,
            name,
            createdAt: isoTime(createdAt)
          }))
        },
        text:
          found.length === 0
            ? "There is no workspace yet"
            : found
                .map(({ createdAt, name, workspaceId }) => `${workspaceId}  ${isoTime(createdAt)}  ${name}`)
                .join("\n")
      }
    })
  )
).pipe(Command.withDescription("All workspaces, oldest first"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces, their limits and policies"),
  Command.withSubcommands([create, list, set])
)

export const credit = Command.make(
  "credit",
  {
    workspace: Inputs.workspace,
    micros: Inputs.credit,
    reason: Inputs.reason,
    key: Inputs.creditKey,
    yes: Options.boolean("yes").pipe(
      Options.withAlias("y"),
      Options.withDescription("Credit it whatever the amount, without asking")
    ),
    dryRun,
    json: Inputs.json
  },
  ({ dryRun, json, key, micros, reason, workspace, yes }) =>
    announced(
      { dryRun, json },
      Effect.gen(function* () {
        const ids = yield* Ids
        const wallet = yield* Wallet
        const { creditAskMicros } = yield* readConfig
        const { name, workspaceId } = yield* (yield* Accounts).workspace(yield* workspaceOf(workspace))
        const typedOrMade = Option.isSome(key) ? key.value : yield* ids.suffix
        const asked = {
          kind: "adjustment",
          key: operatorCreditKey(typedOrMade),
          micros,
          reason,
          topUpId: null,
          workspaceId
        } as const
        const { after, before, used } = yield* wallet.foresee({ ...asked, key: Option.isNone(key) ? null : asked.key })
        const amount = dollars(Math.abs(micros))
        const because = `${amount} is more than ${dollars(creditAskMicros)} (GATEWAY_CREDIT_ASK_USD)`
        const asks = !used && Math.abs(micros) > creditAskMicros
        const balances = `${dollars(before.availableMicros)} available before, ${dollars(after.availableMicros)} after`
        const again = `gateway credit --workspace ${workspaceId} --usd ${toUsd(micros)} --reason ${shellQuoted(reason)} --key ${shellQuoted(typedOrMade)}${yes ? " --yes" : ""}`
        const lookUp = `Whether it was credited is not known. This tells, and without --dry-run it credits once: ${again} --dry-run`
        return {
          will: [
            used
              ? `Changes nothing: the key has ${micros < 0 ? `taken ${amount} back from` : `added ${amount} to`} ${name} (${workspaceId}) before; ${dollars(before.availableMicros)} available`
              : `${micros < 0 ? `Takes ${amount} back from` : `Adds ${amount} to`} ${name} (${workspaceId}): ${balances}`
          ],
          needs:
            asks && !yes ? `${because}: without --dry-run it asks, or needs --yes where nobody can be asked` : null,
          work: Effect.gen(function* () {
            if (asks)
              yield* agreed({
                yes,
                because,
                question: micros < 0 ? "Take it back?" : "Credit it?",
                otherwise: "add --yes to credit it",
                declined: "Nothing was credited"
              })
            const { availableMicros, reservedMicros } = yield* wallet.credit(asked, commandLine).pipe(orTell(lookUp))
            return {
              json: { workspaceId, availableMicros, reservedMicros },
              text: `${workspaceId}: ${dollars(availableMicros)} available, ${dollars(reservedMicros)} reserved`
            }
          })
        }
      })
    )
).pipe(Command.withDescription("Add money to a workspace, or take it back"))

/** Without a workspace it is the one of the login; with one, that of the database of this machine. */
const createToken = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make(
    "create",
    {
      workspace: Inputs.workspaceOr(", in the database of this machine; that of the login when it is left out"),
      label: Inputs.label,
      scopes: Inputs.scope,
      monthlyLimit: Inputs.monthlyLimit,
      expiresAt: Inputs.expiresAt,
      operator: Options.boolean("operator").pipe(
        Options.withDescription(
          "With --workspace: a token of the platform's operator. Its searches also show what cannot be run, and its workspace is the operator's own and takes no top-ups"
        )
      ),
      url: urlOption,
      json: Inputs.json
    },
    ({ expiresAt, json, label, monthlyLimit, operator: ofOperator, scopes, url, workspace }) =>
      answer(
        json,
        Effect.gen(function* () {
          if (Option.isNone(workspace)) {
            if (ofOperator) return yield* ValidationError.of("operator", "needs --workspace")
            const gateway = yield* orNamed(
              loggedIn(url),
              "name a workspace of this machine's database with --workspace"
            )
            return yield* createOver(gateway, {
              label,
              scopes: [...scopes],
              ...(Option.isNone(monthlyLimit) ? {} : { monthlyLimitUsd: toUsd(monthlyLimit.value) }),
              ...(Option.isNone(expiresAt) ? {} : { expiresAt: isoTime(expiresAt.value) })
            })
          }
          const issued = yield* Effect.gen(function* () {
            const workspaceId = yield* workspaceOf(workspace.value)
            const asked = {
              workspaceId,
              label,
              scopes,
              monthlyLimitMicros: Option.getOrNull(monthlyLimit),
              expiresAt: Option.getOrNull(expiresAt),
              operator: ofOperator
            }
            return yield* (yield* Accounts).createToken(asked, commandLine).pipe(orTell(tokenUnconfirmed))
          }).pipe(Effect.provide(operator))
          const token = Redacted.value(issued.token)
          return {
            json: { tokenId: issued.tokenId, token },
            text: `${issued.tokenId}\n${token}\nThe token is shown this once.`
          }
        })
      )
  ).pipe(Command.withDescription("Make a token; it is shown once"))

/** Says the other way where there is no login. */
const orNamed = <A, E, R>(gateway: Effect.Effect<A, E | NotLoggedIn, R>, way: string) =>
  Effect.mapError(gateway, (error) =>
    error instanceof NotLoggedIn ? new NeedsLogin({ message: `${error.message}. Or ${way}` }) : error
  )
class NeedsLogin extends Data.TaggedError("NeedsLogin")<{ readonly message: string }> {}

const revokeHere = (tokenId: TokenId) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { descendants, label, revokedAt, workspaceId } = yield* accounts.tokenById(tokenId)
    const children = descendants === 0 ? "" : `, and ${counted(descendants, "token")} that came from it`
    return {
      will: [
        revokedAt === null
          ? `Revokes ${tokenId} (${label}) of ${workspaceId}${children}: whatever uses it stops working at once`
          : `Leaves ${tokenId} (${label}) of ${workspaceId} revoked, as it is since ${isoTime(revokedAt)}`
      ],
      work: Effect.as(accounts.revokeToken(tokenId, commandLine), {
        json: { tokenId, revoked: true },
        text: `${tokenId} is revoked`
      })
    }
  })

/** At the gateway of the login where there is one; else, or with --database, in the database of this machine. */
const revokeToken = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make(
    "revoke",
    {
      tokenId: Inputs.tokenArgument,
      database: Options.boolean("database").pipe(
        Options.withDescription("In the database of this machine, although there is a login")
      ),
      url: urlOption,
      dryRun,
      json: Inputs.json
    },
    ({ database, tokenId, url, ...asked }) =>
      Effect.gen(function* () {
        const gateway = database ? Option.none() : yield* loginIfAny(url)
        return yield* Option.match(gateway, {
          onSome: (it) => announced(asked, revokeOver(it, tokenId)),
          onNone: () => Effect.provide(announced(asked, revokeHere(tokenId)), operator)
        })
      })
  ).pipe(Command.withDescription("Revoke a token, from the next request on"))

/** None where no gateway was asked for and there is no login; asking for one needs a login there. */
const loginIfAny = (url: Option.Option<string>) =>
  Option.isSome(url)
    ? Effect.map(loggedIn(url), Option.some)
    : Effect.map(loggedIn(url), Option.some).pipe(
        Effect.catchTag("NotLoggedIn", () => Effect.succeed(Option.none<LoggedIn>()))
      )

export const token = <E, R>(operator: Layer.Layer<Accounts, E, R>) =>
  Command.make("token").pipe(
    Command.withDescription("Access tokens"),
    Command.withSubcommands([listTokens, createToken(operator), revokeToken(operator), rotateToken])
  )
