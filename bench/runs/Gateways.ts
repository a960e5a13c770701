// The gateways that a benchmark starts, each with a Postgres of its own in a new folder, and workspaces that can pay.
import { type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { scopes } from "../../src/domain/Scope.js"
import { OperatorServices } from "../../src/layers/compose/StorageOnPostgres.js"
import { readConfig } from "../../src/layers/node/Config.js"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Wallet } from "../../src/services/Wallet.js"
import { environmentWith } from "./Environment.js"
import { freePort } from "../../chaos/stage/PostgresPrograms.js"
import { nodeFlags, ready, start } from "./Processes.js"

export type Settings = Readonly<Record<string, string>>

/** What a program that is started with these settings finds around it. */
export const configured = (settings: Settings) =>
  Layer.merge(
    NodeContext.layer,
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environmentWith(settings)))))
  )

/** Work of an operator on the storage that these settings name. */
export const asOperator =
  (settings: Settings) =>
  <A, E>(
    work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof OperatorServices>> | NodeContext.NodeContext>
  ): Promise<A> =>
    Effect.runPromise(
      Effect.flatMap(readConfig, (config) => Effect.provide(work, OperatorServices(config))).pipe(
        Effect.provide(configured(settings))
      )
    )

/** A new token of a workspace that may do everything. */
export const tokenOf = (workspaceId: WorkspaceId) =>
  Effect.gen(function* () {
    const { token } = yield* (yield* Accounts).createToken(
      { workspaceId, label: "bench", scopes: [...scopes], monthlyLimitMicros: null, expiresAt: null },
      commandLine
    )
    return Redacted.value(token)
  })

/** A token for each of so many new workspaces, which have more money than a benchmark can spend. */
export const payingTokens = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    (_, index) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* (yield* Accounts).createWorkspace(`bench-${process.pid}-${index}`, commandLine)
        yield* (yield* Wallet).credit(
          {
            workspaceId,
            kind: "adjustment",
            micros: 1_000_000_000_000,
            reason: "benchmark",
            topUpId: null,
            key: "bench"
          },
          commandLine
        )
        return yield* tokenOf(workspaceId)
      }),
    { concurrency: 8 }
  )

export interface Gateway {
  readonly url: string
  readonly settings: Settings
  readonly process: ChildProcess
  /** Ends the process. Its Postgres stays as long as another gateway uses it. */
  readonly stop: () => Promise<void>
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "gateway-bench-"))

/** A gateway that is ready, on the Postgres of a folder, or of the `DATABASE_URL` among the settings. */
export const gatewayIn = async (folder: string, more: Settings): Promise<Gateway> => {
  const port = await freePort()
  const settings = { PORT: String(port), HOST: "127.0.0.1", GATEWAY_DATA_DIR: folder, ...more }
  const process = start([...nodeFlags, "dist/main.js"], settings)
  const url = `http://127.0.0.1:${port}`
  await ready(`${url}/readyz`)
  const stop = async () => {
    if (process.exitCode !== null) return
    process.kill("SIGINT")
    await once(process, "exit")
  }
  return { url, settings, process, stop }
}

/** Ends the Postgres of a folder, if it has one, and deletes all of it. */
export const remove = async (folder: string): Promise<void> => {
  await Effect.runPromise(EmbeddedPostgres.destroy(folder))
  rmSync(folder, { recursive: true, force: true })
}
