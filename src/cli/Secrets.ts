/** `key`, `connection`, `secrets` and `provider`: the keys for calls, their sealing, and which providers are called. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Effect, Option, Redacted } from "effect"
import { counted } from "../domain/Counted.js"
import { NotFound, ValidationError } from "../domain/ApiErrors.js"
import { commandLine } from "../domain/AuditEntry.js"
import { variablesText } from "../domain/Manifest.js"
import { Accounts } from "../services/Accounts.js"
import { type Connection, Connections } from "../services/Connections.js"
import { inOneLine, secretProblem } from "../layers/secrets/SecretText.js"
import { PlatformKeys } from "../services/PlatformKeys.js"
import { ProviderState, ProviderStates } from "../services/ProviderStates.js"
import { SecretRotation } from "../services/SecretRotation.js"
import { everyRow } from "../domain/Pages.js"
import { announced, dryRun } from "./Announced.js"
import { answer, isoTime, isoTimeOrNull } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { checkKeyForm, checkProvider, checkVariables } from "./KnownProviders.js"
import { SecretInput } from "./SecretInput.js"
import { orTell } from "./Unconfirmed.js"
import { workspaceOf } from "./Workspaces.js"

const keyOf = (providerId: string) =>
  Effect.map(
    Effect.flatMap(PlatformKeys, ({ list }) => list),
    (keys) => keys.find((key) => key.providerId === providerId) ?? null
  )

/** An empty secret mostly means that nothing was given, so the message says where it is read. */
const secretTyped = Effect.flatMap(SecretInput, ({ read }) =>
  Effect.filterOrFail(
    read,
    (secret) => Redacted.value(secret).trim() !== "",
    () =>
      ValidationError.of("secret", "is read from standard input, which was empty: give it with < key.txt, or type it")
  )
)

const setKey = Command.make(
  "set",
  { providerId: Inputs.providerArgument, variables: Inputs.variables, dryRun, json: Inputs.json },
  ({ providerId, variables, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const keys = yield* PlatformKeys
        yield* checkProvider(providerId, "PROVIDER")
        yield* checkVariables(providerId, variables)
        // Read for a dry run too, so that what has the wrong form is refused by it.
        const secret = yield* secretTyped
        const problem = secretProblem(inOneLine(secret))
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        yield* checkKeyForm(providerId, secret, "platform")
        const before = yield* keyOf(providerId)
        return {
          will: [
            before === null
              ? `Sets the gateway's own key of ${providerId}, which has none`
              : `Replaces the gateway's own key of ${providerId}, set at ${isoTime(before.createdAt)}; the one before is lost`
          ],
          work: Effect.as(keys.set(providerId, secret, commandLine, variables), {
            json: { providerId, set: true },
            text: `The key of ${providerId} is set`
          })
        }
      })
    )
).pipe(Command.withDescription("Set the gateway's own key at a provider; the key is read from standard input"))

const removeKey = Command.make(
  "remove",
  { providerId: Inputs.providerArgument, dryRun, json: Inputs.json },
  ({ providerId, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const keys = yield* PlatformKeys
        const before = yield* keyOf(providerId)
        if (before === null) return yield* new NotFound({ what: "platform key", id: providerId })
        return {
          will: [
            `Destroys the gateway's own key of ${providerId}, set at ${isoTime(before.createdAt)}; runs without a connection to it fail from then on`
          ],
          work: Effect.as(keys.remove(providerId, commandLine), {
            json: { providerId, removed: true },
            text: `The key of ${providerId} is removed`
          })
        }
      })
    )
).pipe(Command.withDescription("Forget the gateway's own key at a provider"))

const listKeys = Command.make("list", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const keys = (yield* (yield* PlatformKeys).list).map((key) => ({ ...key, createdAt: isoTime(key.createdAt) }))
      const lines = keys.map(
        (key) =>
          `${key.providerId}  since ${key.createdAt}  sealed with ${key.sealedWith}${key.variables === undefined ? "" : `  ${variablesText(key.variables)}`}`
      )
      return { json: { keys }, text: lines.length === 0 ? "No key is set" : lines.join("\n") }
    })
  )
).pipe(Command.withDescription("The providers that have a key of the gateway's own; never the keys"))

export const key = Command.make("key").pipe(
  Command.withDescription("The gateway's own keys at providers"),
  Command.withSubcommands([setKey, listKeys, removeKey])
)

const shown = ({ connectionId, createdAt, expiresAt, label, providerId, variables }: Connection) => ({
  connectionId,
  providerId,
  label,
  createdAt: isoTime(createdAt),
  expiresAt: isoTimeOrNull(expiresAt),
  ...(variables === undefined ? {} : { variables })
})

const createConnection = Command.make(
  "create",
  {
    workspace: Inputs.workspace,
    providerId: Inputs.provider,
    label: Inputs.label,
    expiresAt: Inputs.expiresAt,
    variables: Inputs.variables,
    json: Inputs.json
  },
  ({ expiresAt, json, label, providerId, variables, workspace }) =>
    answer(
      json,
      Effect.gen(function* () {
        const connections = yield* Connections
        // Making a connection does not look for its workspace, and with a wrong id nobody could use it.
        const { workspaceId } = yield* (yield* Accounts).workspace(yield* workspaceOf(workspace))
        yield* checkProvider(providerId, "--provider")
        yield* checkVariables(providerId, variables)
        const secret = yield* secretTyped
        yield* checkKeyForm(providerId, secret, "connection")
        const asked = { workspaceId, providerId, label, secret, expiresAt: Option.getOrNull(expiresAt), variables }
        const made = shown(
          yield* connections
            .create(asked, commandLine)
            .pipe(
              orTell(
                `Whether the connection was made is not known. This shows it if it was: gateway connection list --workspace ${workspaceId}`
              )
            )
        )
        return { json: made, text: made.connectionId }
      })
    )
).pipe(Command.withDescription("Make a connection of a customer's own; its secret is read from standard input"))

const listConnections = Command.make(
  "list",
  { workspace: Inputs.workspace, json: Inputs.json },
  ({ json, workspace }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { workspaceId } = yield* (yield* Accounts).workspace(yield* workspaceOf(workspace))
        const { list } = yield* Connections
        const connections = (yield* everyRow((page) => list(workspaceId, page))).map(shown)
        const lines = connections.map(
          (each) =>
            `${each.connectionId}  ${each.providerId}  ${each.label}${each.variables === undefined ? "" : `  ${variablesText(each.variables)}`}${each.expiresAt === null ? "" : `  until ${each.expiresAt}`}`
        )
        return { json: { connections }, text: lines.length === 0 ? "No connections" : lines.join("\n") }
      })
    )
).pipe(Command.withDescription("The connections of a workspace, newest first; never their secrets"))

const deleteConnection = Command.make(
  "delete",
  { connectionId: Inputs.connectionArgument, workspace: Inputs.workspace, dryRun, json: Inputs.json },
  ({ connectionId, workspace, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const connections = yield* Connections
        const workspaceId = yield* workspaceOf(workspace)
        const { label, oauth, providerId } = yield* connections.get(workspaceId, connectionId)
        return {
          will: [
            `Deletes ${connectionId} (${label}) to ${providerId} and destroys its secret; runs that name it fail from then on`,
            ...(oauth === null ? [] : [`Asks ${providerId} to end the access that the user granted`])
          ],
          work: Effect.as(connections.delete(workspaceId, connectionId, commandLine), {
            json: { connectionId, deleted: true },
            text: `${connectionId} is deleted, and its secret destroyed`
          })
        }
      })
    )
).pipe(Command.withDescription("Delete a connection and destroy its secret"))

export const connection = Command.make("connection").pipe(
  Command.withDescription("The customers' own keys at providers"),
  Command.withSubcommands([createConnection, listConnections, deleteConnection])
)

const leftWords = (secrets: number): string =>
  `${counted(secrets, "secret")} as ${secrets === 1 ? "it is" : "they are"}: sealed under a key that is not in GATEWAY_SEALING_KEYS`

const rotate = Command.make("rotate", { dryRun, json: Inputs.json }, (asked) =>
  announced(
    asked,
    Effect.gen(function* () {
      const rotation = yield* SecretRotation
      const { currentKeyId, refused, secrets: waiting, unreadable: locked } = yield* rotation.waiting
      if (refused !== null) return yield* refused
      return {
        will: [
          `Seals ${counted(waiting, "secret")} anew under the key ${currentKeyId}`,
          ...(locked === 0 ? [] : [`Leaves ${leftWords(locked)}`])
        ],
        ok: locked === 0,
        work: Effect.map(rotation.reseal(commandLine), ({ resealed, unreadable }) => ({
          json: { resealed, unreadable },
          text: `${counted(resealed, "secret")} sealed anew${unreadable === 0 ? "" : `; left ${leftWords(unreadable)}`}`,
          ok: unreadable === 0
        }))
      }
    })
  )
).pipe(
  Command.withDescription(
    "Seal every stored secret under the first key of GATEWAY_SEALING_KEYS; ends with 1 when one cannot be opened"
  )
)

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("How secrets are sealed"),
  Command.withSubcommands([rotate])
)

const stateMeans: Readonly<Record<ProviderState, string>> = {
  enabled: "It is called",
  draining: "It takes no new runs, and those under way end",
  disabled: "It is not called"
}

const setState = Command.make(
  "state",
  {
    providerId: Inputs.providerArgument,
    state: Args.choice(
      ProviderState.literals.map((state): [string, ProviderState] => [state, state]),
      { name: "STATE" }
    ).pipe(Args.withDescription(ProviderState.literals.map((state) => `${state}: ${stateMeans[state]}`).join(". "))),
    dryRun,
    json: Inputs.json
  },
  ({ providerId, state, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const states = yield* ProviderStates
        yield* checkProvider(providerId, "PROVIDER")
        const before = (yield* states.all).get(providerId) ?? "enabled"
        return {
          will: [
            before === state
              ? `Leaves ${providerId} ${state}, as it is`
              : `Makes ${providerId} ${state} on all nodes; it is ${before} now. ${stateMeans[state]}`
          ],
          work: Effect.as(states.set(providerId, state, commandLine), {
            json: { providerId, state },
            text: `${providerId} is ${state}`
          })
        }
      })
    )
).pipe(Command.withDescription("Enable a provider, drain it (no new runs), or disable it"))

export const provider = Command.make("provider").pipe(
  Command.withDescription("Which providers are called"),
  Command.withSubcommands([setState])
)
