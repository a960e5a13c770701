/**
 * Every method of every service that takes an `Actor` leaves exactly one audit entry, with that actor. The types force
 * the rest: rows that change something require `Changing`, which needs an actor, and a method with an actor that has no
 * case here does not compile.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { parse } from "yaml"
import { type Actor, actorName, type AuditAction, commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { ProviderManifest } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Decider, OperatorActing } from "../../src/domain/Resolution.js"
import { tokenText } from "../../src/domain/Token.js"
import type { People } from "../../src/layers/compose/Engine.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { Accounts } from "../../src/services/Accounts.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { CatalogRevisions } from "../../src/services/CatalogRevisions.js"
import { ConnectionAuthorizations } from "../../src/services/ConnectionAuthorizations.js"
import { Connections } from "../../src/services/Connections.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Members } from "../../src/services/Members.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { ProviderStates } from "../../src/services/ProviderStates.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Runs } from "../../src/services/Runs.js"
import { SecretRotation } from "../../src/services/SecretRotation.js"
import { Sessions } from "../../src/services/Sessions.js"
import type { Settlement } from "../../src/services/Settlement.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Tokens } from "../../src/services/Tokens.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"
import { newWorkspace } from "../support/sharedDatabase.js"
import { signInAsOperator, signInTo } from "../support/signIn.js"

/** The services whose methods take an actor. */
interface Acted {
  readonly Accounts: Accounts["Type"]
  readonly AutomaticTopUps: AutomaticTopUps["Type"]
  readonly CatalogRevisions: CatalogRevisions["Type"]
  readonly ConnectionAuthorizations: ConnectionAuthorizations["Type"]
  readonly Connections: Connections["Type"]
  readonly LoginApprovals: LoginApprovals["Type"]
  readonly Members: Members["Type"]
  readonly PlatformKeys: PlatformKeys["Type"]
  readonly ProviderHealth: ProviderHealth["Type"]
  readonly ProviderStates: ProviderStates["Type"]
  readonly Reconciliation: Reconciliation["Type"]
  readonly SecretRotation: SecretRotation["Type"]
  readonly Sessions: Sessions["Type"]
  readonly TopUps: TopUps["Type"]
  readonly Tokens: Tokens["Type"]
  readonly Wallet: Wallet["Type"]
}

/** The methods of a service that take an actor. */
type Changing<Service> = {
  [Method in keyof Service]: Service[Method] extends (...args: infer Args) => unknown
    ? [Extract<Args[number], OperatorActing>] extends [never]
      ? never
      : Method
    : never
}[keyof Service]

/** Does the change as this actor and names the action that it should leave. */
type Case = (by: OperatorActing) => Effect.Effect<AuditAction, unknown, Needed>
type Cases = { readonly [Service in keyof Acted]: { readonly [Method in Changing<Acted[Service]>]: Case } }

/** The services that differ between the storages; the engine brings its own ones in memory. */
export type Own =
  | CatalogRevisions
  | ConnectionAuthorizations
  | Connections
  | PlatformKeys
  | ProviderHealth
  | ProviderStates
  | SecretRotation
type Needed = Own | Storage | People | Reconciliation | Runs | Settlement

const providers = ProvidersScripted()

/** Every secret that the cases use. None of them may stand in an entry. */
const secrets: Array<string> = []
const used = <Secret extends string>(secret: Secret): Secret => {
  secrets.push(secret)
  return secret
}

const connected = (workspaceId: WorkspaceId, by: Actor) =>
  Effect.flatMap(Connections, (connections) =>
    connections.create(
      {
        workspaceId,
        providerId: "mock-provider",
        label: "own",
        secret: Redacted.make(used("connection-secret-11")),
        expiresAt: null
      },
      by
    )
  )

const login = Effect.gen(function* () {
  const token = used(tokenText("0".repeat(26), randomBytes(24)))
  const digest = used(createHash("sha256").update(token).digest("hex"))
  const approver = yield* funded(0)
  const logins = yield* LoginApprovals
  const { approvalId } = yield* logins.create({ digest, label: "laptop", scopes: ["runs:read"], tokenExpiresAt: null })
  return { logins, approvalId, approver }
})

const newToken = (workspaceId: WorkspaceId, by: Actor) =>
  Effect.gen(function* () {
    const issued = yield* (yield* Accounts).createToken(
      { workspaceId, label: "server", scopes: ["runs:read"], monthlyLimitMicros: null, expiresAt: null },
      by
    )
    used(Redacted.value(issued.token))
    return issued
  })

/** A provider whose accounts people connect in their browser. */
const accounts = () =>
  Schema.decodeUnknownSync(ProviderManifest)(parse(readFileSync("examples/providers/google-drive.yaml", "utf8")))

const done = <E, R>(action: AuditAction, work: Effect.Effect<unknown, E, R>) => Effect.as(work, action)

const newMember = Effect.gen(function* () {
  const { workspaceId } = yield* newWorkspace
  const { member, secret, session } = yield* signInTo(workspaceId, "member")
  used(Redacted.value(secret))
  used(session.csrf)
  return { workspaceId, member, session, memberId: member.memberId }
})

/** Says what became of an uncertain run. */
const decided = (by: Decider) =>
  Effect.gen(function* () {
    providers.script("mock-send-message", drop())
    const { run } = yield* (yield* Runs).create(
      yield* funded(1_000_000),
      requestOf("mock-send-message", { input: { to: "ada@example.com", text: used("a private message 22") } }),
      20
    )
    const reconciliation = yield* Reconciliation
    return yield* reconciliation.resolve(
      { runId: run.runId, verdict: "released", chargeMicros: null, reason: "the provider's invoice" },
      by
    )
  })

/** A proposal of the command line, which waits for an operator. */
const proposed = decided(commandLine).pipe(
  Effect.provide(ReconciliationStored({ twoPersonAboveMicros: Micros.make(0) })),
  Effect.flatMap((done) =>
    done._tag === "Proposed" ? Effect.succeed(done.proposal) : Effect.dieMessage("no proposal")
  )
)

/** A workspace with a rule of automatic top-ups. */
const automatic = (by: Actor) =>
  Effect.gen(function* () {
    const { workspaceId } = yield* newWorkspace
    const [belowMicros, amountMicros] = [Micros.make(5_000_000), Micros.make(10_000_000)]
    yield* (yield* AutomaticTopUps).set(
      workspaceId,
      { belowMicros, amountMicros, monthlyMaximumMicros: amountMicros },
      by
    )
    return workspaceId
  })

const cases: Cases = {
  Accounts: {
    createWorkspace: (by) =>
      done(
        "workspace.created",
        Effect.flatMap(Accounts, (accounts) => accounts.createWorkspace(`audited ${by.kind} ${Math.random()}`, by))
      ),
    setLimits: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        yield* (yield* Accounts).setLimits(workspaceId, { runsPerMinute: 4 }, by)
        return "workspace.limits_changed" as const
      }),
    setPolicy: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const deny = [{ kind: "provider", id: "p" }] as const
        yield* (yield* Accounts).setPolicy(workspaceId, { reset: false, allow: [], deny }, by)
        return "workspace.policy_changed" as const
      }),
    setSearchLearning: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        yield* (yield* Accounts).setSearchLearning(workspaceId, true, by)
        return "workspace.search_learning_changed" as const
      }),
    createToken: (by) =>
      done(
        "token.created",
        Effect.flatMap(newWorkspace, ({ workspaceId }) => newToken(workspaceId, by))
      ),
    revokeToken: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const { tokenId } = yield* newToken(workspaceId, commandLine)
        yield* (yield* Accounts).revokeToken(tokenId, by)
        return "token.revoked" as const
      })
  },
  AutomaticTopUps: {
    set: (by) => done("automatic_top_up.set", automatic(by)),
    remove: (by) =>
      Effect.gen(function* () {
        const workspaceId = yield* automatic(commandLine)
        yield* (yield* AutomaticTopUps).remove(workspaceId, by)
        return "automatic_top_up.removed" as const
      })
  },
  CatalogRevisions: {
    publish: (by) =>
      done(
        "catalog.published",
        Effect.flatMap(CatalogRevisions, (revisions) =>
          revisions.publish({ jobs: [], endpoints: [] }, { mode: "replace", builtIn: { jobs: [], endpoints: [] } }, by)
        )
      )
  },
  Connections: {
    create: (by) =>
      done(
        "connection.created",
        Effect.flatMap(newWorkspace, ({ workspaceId }) => connected(workspaceId, by))
      ),
    delete: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const { connectionId } = yield* connected(workspaceId, commandLine)
        yield* (yield* Connections).delete(workspaceId, connectionId, by)
        return "connection.deleted" as const
      })
  },
  ConnectionAuthorizations: {
    begin: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        const provider = accounts()
        yield* (yield* PlatformKeys).set(provider.id, Redacted.make(`client:${used("client-secret-77")}`), commandLine)
        const begun = yield* (yield* ConnectionAuthorizations).begin(
          { workspaceId, provider, label: "own", expiresAt: null },
          by
        )
        used(Redacted.value(begun.link))
        return "connection.authorization_begun" as const
      })
  },
  LoginApprovals: {
    approve: (by) =>
      done(
        "login.approved",
        Effect.flatMap(login, ({ approvalId, approver, logins }) => logins.approve(approvalId, approver, by))
      ),
    deny: (by) =>
      done(
        "login.denied",
        Effect.flatMap(login, ({ approvalId, approver, logins }) => logins.deny(approvalId, approver, by))
      )
  },
  Members: {
    add: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        yield* (yield* Members).add({ workspaceId, role: "owner", name: "Ada", email: null }, by)
        return "member.added" as const
      }),
    rename: (by) =>
      Effect.gen(function* () {
        const { memberId, workspaceId } = yield* newMember
        yield* (yield* Members).rename(workspaceId, memberId, "Grace", by)
        return "member.renamed" as const
      }),
    setRole: (by) =>
      Effect.gen(function* () {
        const { memberId, workspaceId } = yield* newMember
        yield* (yield* Members).setRole(workspaceId, memberId, "owner", by)
        return "member.role_changed" as const
      }),
    remove: (by) =>
      Effect.gen(function* () {
        const { memberId, workspaceId } = yield* newMember
        yield* (yield* Members).remove(workspaceId, memberId, { revokeTokens: false }, by)
        return "member.removed" as const
      })
  },
  PlatformKeys: {
    set: (by) =>
      done(
        "platform_key.set",
        Effect.flatMap(PlatformKeys, (keys) => keys.set("audited", Redacted.make(used("platform-secret-33")), by))
      ),
    remove: (by) =>
      Effect.gen(function* () {
        const keys = yield* PlatformKeys
        yield* keys.set("audited-2", Redacted.make(used("platform-secret-44")), commandLine)
        yield* keys.remove("audited-2", by)
        return "platform_key.removed" as const
      })
  },
  ProviderHealth: {
    setState: (by) =>
      done(
        "provider.state_changed",
        Effect.flatMap(ProviderHealth, (health) => health.setState("audited", "draining", by))
      )
  },
  ProviderStates: {
    set: (by) =>
      done(
        "provider.state_changed",
        Effect.flatMap(ProviderStates, (states) => states.set("audited-2", "draining", by))
      )
  },
  Reconciliation: {
    resolve: (by) => done("run.resolved", decided(by)),
    confirm: (by) =>
      Effect.gen(function* () {
        yield* (yield* Reconciliation).confirm(yield* proposed, by)
        return "run.resolved" as const
      }),
    reject: (by) =>
      Effect.gen(function* () {
        yield* (yield* Reconciliation).reject({ ...(yield* proposed), reason: "their log shows it" }, by)
        return "run.resolution_rejected" as const
      })
  },
  // Nothing is sealed under another key here: `test/layers/secrets/Secrets.test.ts` looks at those entries.
  SecretRotation: {
    reseal: (by) =>
      done(
        "platform_key.set",
        Effect.zipRight(
          Effect.flatMap(SecretRotation, (rotation) => rotation.reseal(by)),
          Effect.flatMap(PlatformKeys, (keys) => keys.set("audited-3", Redacted.make(used("platform-secret-55")), by))
        )
      )
  },
  Sessions: {
    makeLink: (by) =>
      Effect.gen(function* () {
        const { memberId, workspaceId } = yield* newMember
        const { secret } = yield* (yield* Sessions).makeLink(workspaceId, memberId, by)
        used(Redacted.value(secret))
        return "member.link_made" as const
      }),
    signOut: (by) =>
      Effect.gen(function* () {
        const { session } = yield* newMember
        yield* (yield* Sessions).signOut(session, by)
        return "member.signed_out" as const
      }),
    signOutEverywhere: (by) =>
      Effect.gen(function* () {
        const { memberId, workspaceId } = yield* newMember
        yield* (yield* Sessions).signOutEverywhere(workspaceId, memberId, by)
        return "member.signed_out" as const
      })
  },
  TopUps: {
    request: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        yield* (yield* TopUps).request(
          { workspaceId, operatorWorkspace: false, amountMicros: null, idempotencyKey: null, saveMethod: false },
          by
        )
        return "top_up.requested" as const
      })
  },
  Tokens: {
    create: (by) =>
      Effect.gen(function* () {
        const asked = { label: "x", scopes: ["runs:read"], monthlyLimitMicros: null, expiresAt: null } as const
        const { secret } = yield* (yield* Tokens).create(yield* funded(0), asked, by)
        used(Redacted.value(secret))
        return "token.created" as const
      }),
    change: (by) =>
      Effect.gen(function* () {
        const caller = yield* funded(0)
        yield* (yield* Tokens).change(caller, caller.tokenId, { label: "renamed" }, by)
        return "token.changed" as const
      }),
    revoke: (by) =>
      Effect.gen(function* () {
        const caller = yield* funded(0)
        yield* (yield* Tokens).revoke(caller, caller.tokenId, by)
        return "token.revoked" as const
      }),
    rotate: (by) =>
      Effect.gen(function* () {
        const caller = yield* funded(0)
        const { secret } = yield* (yield* Tokens).rotate(caller, caller.tokenId, 60, by)
        used(Redacted.value(secret))
        return "token.rotated" as const
      })
  },
  Wallet: {
    credit: (by) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* newWorkspace
        yield* (yield* Wallet).credit(
          { workspaceId, kind: "adjustment", micros: Micros.make(5), reason: "gift", topUpId: null, key: "k" },
          by
        )
        return "workspace.credited" as const
      })
  }
}

const someone = Effect.map(signInAsOperator(), ({ member }): OperatorActing => ({
  kind: "operator",
  memberId: member.memberId,
  from: "192.0.2.1",
  requestId: "req_1"
}))

/** `without` names the services that a storage does not have. */
export const auditedChangesSuite = (
  name: string,
  storage: Layer.Layer<Storage | People>,
  own: Layer.Layer<Own, never, Storage>,
  without: ReadonlyArray<keyof Acted> = []
) =>
  describe(name, () => {
    const services = Layer.merge(own, ReconciliationStored({ twoPersonAboveMicros: null })).pipe(
      Layer.provideMerge(engine(providers.layer)),
      Layer.provideMerge(storage)
    )
    const changes = Object.entries(cases)
      .filter(([service]) => !without.some((left) => left === service))
      .flatMap(([service, methods]) =>
        Object.entries<Case>(methods).map(([method, run]) => ({ title: `${service}.${method}`, run }))
      )

    it.live("each method with an actor leaves one entry of that actor, and no entry holds a secret that was used", () =>
      Effect.gen(function* () {
        const trail = yield* AuditTrail
        for (const { run, title } of changes) {
          const by = yield* someone
          const action = yield* run(by)
          const { items } = yield* trail.list({ actor: actorName(by) }, { limit: 10, after: null })
          // The first thing that the operator did was to sign in.
          const done = items.filter((entry) => entry.action !== "member.signed_in")
          assert.deepStrictEqual(
            done.map((entry) => ({ title, action: entry.action, actor: entry.actor })),
            [{ title, action, actor: by }]
          )
        }
        const all = JSON.stringify(yield* trail.list({}, { limit: 10_000, after: null }))
        assert.isAbove(secrets.length, 8)
        for (const secret of secrets) assert.notInclude(all, secret)
      }).pipe(Effect.provide(services))
    )

    it("every service with such a method stands in the table", () => {
      const folder = join(import.meta.dirname, "../../src/services")
      const acted = readdirSync(folder)
        .filter((file) => /\bby: (Actor|Decider|OperatorActing)\b/.test(readFileSync(join(folder, file), "utf8")))
        .map((file) => file.replace(".ts", ""))
      assert.sameMembers(
        acted.filter((file) => file !== "AuditTrail"),
        Object.keys(cases)
      )
    })
  })
