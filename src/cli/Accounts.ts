/** `workspace` and `credit`: for whom the gateway works, and with how much money. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Option } from "effect"
import { counted } from "../domain/Counted.js"
import { commandLine } from "../domain/AuditEntry.js"
import { Accounts, type Workspace } from "../services/Accounts.js"
import { Ids } from "../services/Ids.js"
import { Wallet } from "../services/Wallet.js"
import { ValidationError } from "../domain/ApiErrors.js"
import { operatorCreditKey } from "../domain/Ledger.js"
import { dollars, toUsd } from "../domain/Micros.js"
import { shellQuoted } from "../domain/ShellQuoting.js"
import { changedPolicy, type PolicyChange, rulesOf, ruleText } from "../domain/WorkspacePolicy.js"
import { readConfig } from "../layers/node/Config.js"
import { agreed, announced, dryRun, warningLines, warningsJson } from "./Announced.js"
import { type Answer, answer, isoTime } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { orTell } from "./Unconfirmed.js"
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
      ...warningsJson(warnings)
    },
    text: [
      `${workspaceId}: ${inflightLimit === null ? "the default of runs" : counted(inflightLimit, "run")} in flight, ${runsPerMinute === null ? "no limit of runs" : counted(runsPerMinute, "run")} a minute, ${
        runCapMicros === null ? "no cap for one run" : `at most ${dollars(runCapMicros)} for one run`
      }`,
      `policy: ${policyText(allow, deny)}`,
      ...(learnsFromUse ? ["searches learn from what is run after them"] : []),
      ...warningLines(warnings)
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
        const warnings = yield* unknownRules([...allow, ...deny])
        return {
          will: changesOf(before, { ...before, ...limits, policy, learnsFromUse }),
          warnings,
          work: Effect.gen(function* () {
            // First, because it may be refused; then the limits stay as they are too.
            if (change !== null) yield* accounts.setPolicy(workspaceId, change, commandLine)
            if (Option.isSome(searchLearning))
              yield* accounts.setSearchLearning(workspaceId, searchLearning.value, commandLine)
            const after = yield* accounts.setLimits(workspaceId, limits, commandLine)
            return settingsOf(after, warnings)
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
