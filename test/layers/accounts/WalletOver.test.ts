/** What is read of locked wallets, whatever they are stored in. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TokenId, WorkspaceId } from "../../../src/domain/Ids.js"
import { zero } from "../../../src/domain/Micros.js"
import { WalletDefaults } from "../../../src/layers/accounts/WalletDefaults.js"
import { walletOver } from "../../../src/layers/accounts/wallet/WalletOver.js"
import type { WalletRow, WalletRows } from "../../../src/layers/accounts/wallet/WalletRows.js"
import { AuditTrailMemory } from "../../../src/layers/memory/AuditTrailMemory.js"
import { MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"
import { IdsCounting } from "../../support/idsCounting.js"

const workspaceId = WorkspaceId.make(`ws_${"0".repeat(26)}`)
const tokenId = TokenId.make(`tok_${"0".repeat(26)}`)
const row = (now: number): WalletRow => ({
  workspaceId,
  available: zero,
  reserved: zero,
  inflight: 0,
  inflightLimit: null,
  runCapMicros: null,
  runsPerMinute: null,
  minuteStartedAt: 0,
  minuteCount: 0,
  minuteRefused: 0,
  tokenId,
  ancestors: [],
  spenderId: tokenId,
  limitMicros: null,
  spendMonth: "2026-01",
  spentMicros: zero,
  now
})
const services = Layer.mergeAll(
  IdsCounting,
  Layer.succeed(WalletDefaults, { inflightLimit: 8 }),
  Layer.provide(AuditTrailMemory, Layer.merge(IdsCounting, MemoryStorageLayer))
)

it.effect("the time of locked wallets is that of the row that waited longest for its lock", () =>
  Effect.gen(function* () {
    const timeOf = (...times: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const rows = { spenders: () => Effect.succeed(times.map(row)) } as unknown as WalletRows
        return (yield* (yield* walletOver(rows)).lock([{ workspaceId, tokenId }])).now
      })
    assert.deepStrictEqual([yield* timeOf(10, 30, 20), yield* timeOf(30, 10), yield* timeOf(10)], [30, 30, 10])
  }).pipe(Effect.provide(services))
)
