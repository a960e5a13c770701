/** The HTTP layer over real accounts, connections and login approvals, in memory; the rest as in `httpGateway`. */
import { Context, Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { scopes as allScopes, type Scope } from "../../src/domain/Scope.js"
import { secretBytes, tokenText } from "../../src/domain/Token.js"
import { AccountsMemory } from "../../src/layers/memory/AccountsMemory.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import type { WorkspaceRole } from "../../src/domain/Member.js"
import { AuditTrailMemory } from "../../src/layers/memory/AuditTrailMemory.js"
import { MembersMemory } from "../../src/layers/memory/MembersMemory.js"
import { TokensMemory } from "../../src/layers/memory/TokensMemory.js"
import { SessionsMemory } from "../../src/layers/memory/SessionsMemory.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { LoginApprovalsMemory } from "../../src/layers/memory/LoginApprovalsMemory.js"
import { MemoryStorageLayer } from "../../src/layers/memory/MemoryStorage.js"
import { SealingForTests } from "../../src/layers/compose/MemoryGateway.js"
import { SecretsBetween } from "../../src/layers/compose/Secrets.js"
import { SecretRowsMemory } from "../../src/layers/memory/SecretRowsMemory.js"
import { AuthorizationServersHttp } from "../../src/layers/providers/AuthorizationServersHttp.js"
import { Accounts } from "../../src/services/Accounts.js"
import { ConnectionAuthorizations } from "../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../src/services/Connections.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Members } from "../../src/services/Members.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Tokens } from "../../src/services/Tokens.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { Sessions } from "../../src/services/Sessions.js"
import { signInAsOperator, signInTo } from "./signIn.js"
import { newWorkspace } from "./sharedDatabase.js"
import { startGateway, type Services } from "./httpGateway.js"

/** `egressAllow` opens these hosts to the requests for tokens of users' accounts. */
const stored = (egressAllow: ReadonlyArray<string>) =>
  Layer.mergeAll(
    AccountsMemory,
    LoginApprovalsMemory,
    MembersMemory,
    SessionsMemory,
    TokensMemory,
    SecretsBetween.pipe(
      Layer.provideMerge(AuthorizationServersHttp({ egressAllow })),
      Layer.provide([SealingForTests, SecretRowsMemory])
    )
  ).pipe(Layer.provideMerge(AuditTrailMemory), Layer.provide([IdsCrypto, MemoryStorageLayer]))

/** A token as a client makes one for itself, known to nobody yet. */
export const clientToken = Effect.sync(() => {
  const token = tokenText("0".repeat(26), randomBytes(secretBytes))
  return { token, digest: createHash("sha256").update(token).digest("hex"), bearer: `Bearer ${token}` }
})

export const startAccounts = (services: Services = {}, egressAllow: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const publicUrl = services.settings?.publicUrl ?? "https://gateway.test"
    const context = yield* Layer.build(stored(egressAllow))
    const accounts = Context.get(context, Accounts)
    const connections = Context.get(context, Connections)
    const gateway = yield* startGateway({
      ...services,
      accounts,
      connections,
      authorizations: Context.get(context, ConnectionAuthorizations),
      logins: Context.get(context, LoginApprovals),
      members: Context.get(context, Members),
      platformKeys: Context.get(context, PlatformKeys),
      sessions: Context.get(context, Sessions),
      tokens: Context.get(context, Tokens),
      auditTrail: Context.get(context, AuditTrail)
    })
    /** A token in a workspace of its own. */
    const person = (scopes: ReadonlyArray<Scope> = allScopes) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const { token, tokenId } = yield* accounts.createToken(
          {
            workspaceId,
            label: "browser",
            scopes,
            monthlyLimitMicros: null,
            expiresAt: null
          },
          commandLine
        )
        return { workspaceId, tokenId, token: Redacted.value(token), authorization: `Bearer ${Redacted.value(token)}` }
      }).pipe(Effect.provideService(Accounts, accounts), Effect.orDie)
    /** An owner or member of a workspace of their own, signed in; or of this one. */
    const signedIn = (role: WorkspaceRole = "owner", workspace: WorkspaceId | null = null) =>
      Effect.gen(function* () {
        const workspaceId = workspace ?? (yield* newWorkspace).workspaceId
        return { workspaceId, ...(yield* signInTo(workspaceId, role, publicUrl)) }
      }).pipe(Effect.provide(context), Effect.orDie)
    const operator = Effect.provide(signInAsOperator(publicUrl), context)
    return { ...gateway, accounts, connections, context, operator, person, signedIn }
  })
