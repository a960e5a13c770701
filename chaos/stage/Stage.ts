/**
 * Where an attack takes place: a migrated database, a fixture provider that outlives every node and counts each call,
 * funded workspaces, and nodes on demand. `audit` recomputes after an attack that every micro and every call is
 * accounted for.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Redacted, Schedule, type Scope } from "effect"
import Pg from "pg"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import type { Micros } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import { AccountsPg } from "../../src/layers/postgres/AccountsPg.js"
import { Database, DatabasePg } from "../../src/layers/postgres/Database.js"
import { FixtureProvider, type Fixture } from "../../src/layers/providers/fixture/FixtureProvider.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { migrate } from "../../src/layers/postgres/Migrations.js"
import { migrations } from "../../src/layers/postgres/migrations/index.js"
import { WalletDefaults } from "../../src/layers/accounts/WalletDefaults.js"
import { WalletPg } from "../../src/layers/postgres/WalletPg.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Wallet } from "../../src/services/Wallet.js"
import type { Findings } from "./Findings.js"
import { type Node, type NodeOptions, startNode } from "./Nodes.js"
import { projectFolder } from "./Program.js"

export interface Spender {
  readonly workspaceId: WorkspaceId
  readonly token: string
}

export interface Stage {
  readonly databaseUrl: string
  readonly fixture: Fixture
  readonly wallet: Wallet["Type"]
  /** A workspace with this balance and a token with every scope. */
  readonly fund: (micros: number, options?: { readonly monthlyLimitMicros?: Micros }) => Effect.Effect<Spender>
  /** Rows of a statement, over a connection of its own. */
  readonly rows: <Row extends object>(
    statement: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
  /** A node that serves. */
  readonly node: (
    findings: Findings,
    environment?: NodeOptions["environment"],
    databaseUrl?: string
  ) => Effect.Effect<Node, never, Scope.Scope>
  /** A node of another program, such as that of the version before. */
  readonly nodeOf: (
    program: string,
    findings: Findings,
    environment?: NodeOptions["environment"]
  ) => Effect.Effect<Node, never, Scope.Scope>
  /** A node that may end before it serves. */
  readonly mortalNode: (
    findings: Findings,
    environment: NodeOptions["environment"]
  ) => Effect.Effect<Option.Option<Node>, never, Scope.Scope>
}

/** A catalog folder with the fixtures and their jobs alone, so that a node starts fast. */
const fixtureCatalog = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "provider-gateway-catalog-"))
    const take = (kind: "providers" | "jobs", wanted: (name: string) => boolean) => {
      mkdirSync(join(folder, kind))
      const from = join(projectFolder, "catalog", kind)
      const names = readdirSync(from).filter(wanted)
      for (const name of names) copyFileSync(join(from, name), join(folder, kind, name))
      return names.map((name) => readFileSync(join(from, name), "utf8")).join("\n")
    }
    const fixtures = take("providers", (name) => name.startsWith("fixture"))
    take("jobs", (name) => fixtures.includes(`job: ${name.replace(/\.yaml$/, "")}\n`))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const storage = (url: string, migrates: boolean) =>
  Layer.mergeAll(AccountsPg, WalletPg).pipe(
    Layer.provide(Layer.succeed(WalletDefaults, { inflightLimit: 8 })),
    Layer.provideMerge(IdsCrypto),
    Layer.provideMerge(
      Layer.tap(DatabasePg({ url: Redacted.make(url), connectionsMax: 10 }), (context) =>
        migrates ? Effect.asVoid(Effect.provide(migrate(migrations), context)) : Effect.void
      )
    )
  )

let workspaces = 0

const started = (options: NodeOptions) =>
  Effect.flatMap(
    startNode(options),
    Option.match({
      onNone: () => Effect.dieMessage(`a node did not start: ${options.findings.list().join("\n")}`),
      onSome: Effect.succeed
    })
  )

/** Attacks take the database away from their own pool too. */
export const whileStorageReturns = { times: 40, schedule: Schedule.spaced("250 millis") } as const

/** Where it does not migrate, the first node does; nothing of the storage may be used before. */
export const acquireStage = (
  databaseUrl: string,
  program: string,
  { migrates = true }: { readonly migrates?: boolean } = {}
): Effect.Effect<Stage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Layer.build(storage(databaseUrl, migrates))
    const accounts = Context.get(context, Accounts)
    const wallet = Context.get(context, Wallet)
    const database = Context.get(context, Database)
    const fixture = yield* FixtureProvider.start()
    const catalog = yield* fixtureCatalog
    const options = (findings: Findings, environment: NodeOptions["environment"], url = databaseUrl): NodeOptions => ({
      program,
      databaseUrl: url,
      fixtureOrigin: fixture.origin,
      catalog,
      dataDir: catalog,
      findings,
      ...(environment === undefined ? {} : { environment })
    })
    return {
      databaseUrl,
      fixture,
      wallet,
      fund: (micros, { monthlyLimitMicros } = {}) =>
        Effect.gen(function* () {
          const { workspaceId } = yield* accounts.createWorkspace(
            `attacked ${process.pid} ${++workspaces}`,
            commandLine
          )
          if (micros > 0)
            yield* wallet.credit(
              {
                workspaceId,
                kind: "adjustment",
                micros,
                reason: "funds of an attack",
                topUpId: null,
                key: "funds"
              },
              commandLine
            )
          const { token } = yield* accounts.createToken(
            {
              workspaceId,
              label: "attack",
              scopes: [...scopes],
              monthlyLimitMicros: monthlyLimitMicros ?? null,
              expiresAt: null
            },
            commandLine
          )
          return { workspaceId, token: Redacted.value(token) }
        }).pipe(Effect.orDie),
      rows: (statement, values = []) =>
        database.query(database.sql.unsafe(statement, [...values])).pipe(
          Effect.retry(whileStorageReturns),
          Effect.orDie,
          Effect.map((found) => found as never)
        ),
      node: (findings, environment, url) => started(options(findings, environment, url)),
      nodeOf: (other, findings, environment) => started({ ...options(findings, environment), program: other }),
      mortalNode: (findings, environment) => startNode(options(findings, environment))
    } satisfies Stage
  }).pipe(Effect.orDie)

/** Runs a statement even when no gateway has a connection left, and is not counted among theirs. */
export const apart = <A>(url: string, use: (client: Pg.Client) => Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const client = new Pg.Client({ connectionString: url, application_name: "attacker" })
    client.on("error", () => undefined)
    await client.connect()
    return use(client).finally(() => client.end().catch(() => undefined))
  })
