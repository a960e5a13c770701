/**
 * Lets a newcomer run something at once on a development machine: a workspace `demo` with 100 dollars, a token with
 * every scope in a file that only its owner can read, and the text with a command to paste. Production never uses it. A
 * second start finds all of it there and changes nothing.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Either, Redacted } from "effect"
import { gatewayItself } from "../../domain/AuditEntry.js"
import { Micros, microsPerUsd } from "../../domain/Micros.js"
import { shellKey } from "../../domain/ContractMaking.js"
import { scopes } from "../../domain/Scope.js"
import { shellQuoted } from "../../domain/ShellQuoting.js"
import { Accounts } from "../../services/Accounts.js"
import { Wallet } from "../../services/Wallet.js"

export const demoWorkspaceName = "demo"
const demoTokenLabel = "development"
export const demoCreditKey = "demo"

/** The file of the demo token. An absolute path, because the command that reads it may be pasted into any terminal. */
export const tokenFile = (dataDir: string) => Effect.map(Path.Path, (path) => path.resolve(dataDir, "dev-token"))

/** Makes what is missing of it. A token in the file that no longer works is replaced. */
export const ensureDemoWorkspace = Effect.fn("Demo.workspace")(function* (dataDir: string) {
  const accounts = yield* Accounts
  const wallet = yield* Wallet
  const files = yield* FileSystem.FileSystem
  const file = yield* tokenFile(dataDir)

  const found = accounts.workspaceByName(demoWorkspaceName)
  // Another node that starts now may make it first.
  const made = accounts
    .createWorkspace(demoWorkspaceName, gatewayItself)
    .pipe(
      Effect.catchTag("validation_error", (error) =>
        Effect.flatMap(found, (other) => (other === null ? Effect.fail(error) : Effect.succeed(other)))
      )
    )
  const workspace = (yield* found) ?? (yield* made)
  yield* wallet.credit(
    {
      workspaceId: workspace.workspaceId,
      kind: "adjustment",
      micros: Micros.make(100 * microsPerUsd),
      reason: "development credit",
      topUpId: null,
      key: demoCreditKey
    },
    gatewayItself
  )

  const kept = yield* files.readFileString(file).pipe(Effect.orElseSucceed(() => ""))
  const works = yield* Effect.either(accounts.authenticate(Redacted.make(kept.trim())))
  if (Either.isRight(works)) return
  const { token } = yield* accounts.createToken(
    {
      workspaceId: workspace.workspaceId,
      label: demoTokenLabel,
      scopes: [...scopes],
      monthlyLimitMicros: null,
      expiresAt: null
    },
    gatewayItself
  )
  yield* files.makeDirectory(dataDir, { recursive: true })
  yield* files.remove(file, { force: true })
  yield* files.writeFileString(file, `${Redacted.value(token)}\n`, { mode: 0o600 })
})

/** Quoted only where it has to be: a person reads it. */
const shellWord = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : shellQuoted(text))

/**
 * The start of a command that finds this gateway from another terminal: the settings of this start that say where it
 * is, then `commandPrefix`.
 */
export const commandFrom = (
  settings: ReadonlyArray<readonly [name: string, value: string]>,
  commandPrefix: string
): string => [...settings.map(([name, value]) => `${name}=${shellWord(value)}`), commandPrefix].join(" ")

/** The text that the start prints once the gateway listens. `commandPrefix` starts every command of the gateway. */
export const welcome = (url: string, file: string, commandPrefix: string): string => `
provider-gateway is ready.

  Address   ${url}
  Docs      ${url}/docs
  Token     ${file}   (workspace demo, made with 100 dollars; every scope)
  Console   ${commandPrefix} console   prints a link that signs you in

Run a job:

  curl -s '${url}/v1/runs?wait=true' \\
    -H "Authorization: Bearer $(cat ${shellWord(file)})" \\
    -H "Idempotency-Key: ${shellKey}" \\
    -H 'Content-Type: application/json' \\
    -d '{"endpointId":"job:people.email.find","input":{"name":"Ada Example","domain":"example.com"}}'
`
