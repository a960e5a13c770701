/** Login approvals in memory, for tests and trials. The tokens that they lead to are in the memory storage. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { zero } from "../../domain/Micros.js"
import type { Ids } from "../../services/Ids.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { loginApprovalsOver } from "../accounts/logins/LoginApprovalsOver.js"
import type { LoginRow, LoginRows } from "../accounts/logins/LoginRows.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import { memberStaysMemory } from "./MembersMemory.js"
import { MemoryStorage } from "./MemoryStorage.js"

const rows = Effect.gen(function* () {
  const storage = yield* MemoryStorage
  const table = yield* Ref.make<ReadonlyMap<string, LoginRow>>(new Map())
  const put = (row: LoginRow) =>
    Effect.as(
      Ref.update(table, (all) => new Map(all).set(row.approvalId, row)),
      row
    )

  const found: LoginRows = {
    insert: (row, droppedBefore) =>
      storage.transact(
        Effect.gen(function* () {
          const kept = [...(yield* Ref.get(table)).values()].filter(({ expiresAt }) => expiresAt >= droppedBefore)
          yield* Ref.set(table, new Map(kept.map((other) => [other.approvalId, other])))
          const { tokens } = yield* storage.read
          const used =
            kept.some(
              ({ device, digest, userCode }) =>
                digest === row.digest || (device !== null && row.device !== null && userCode === row.userCode)
            ) || HashMap.some(tokens, ({ digest }) => digest === row.digest)
          if (!used) yield* put(row)
          return !used
        })
      ),
    get: (approvalId) => Effect.map(Ref.get(table), (all) => all.get(approvalId) ?? null),
    byUserCode: (userCode) =>
      Effect.map(
        Ref.get(table),
        (all) => [...all.values()].find((row) => row.device !== null && row.userCode === userCode) ?? null
      ),
    poll: (deviceDigest, decide) =>
      storage.transact(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          for (const row of (yield* Ref.get(table)).values()) {
            const { device } = row
            if (device?.digest !== deviceDigest) continue
            const { answer, polling } = decide(row, device, now)
            yield* put({ ...row, device: { ...device, ...polling } })
            return answer
          }
          return null
        })
      ),
    memberStays: memberStaysMemory(storage),
    decide: (approvalId, decide) =>
      Effect.gen(function* () {
        const row = (yield* Ref.get(table)).get(approvalId)
        if (row === undefined) return null
        const decided = yield* decide(row)
        if (decided === null) return { row, token: null }
        const { decision, token } = decided
        yield* storage.modify((state) => [
          undefined,
          {
            ...state,
            tokens: HashMap.set(state.tokens, token.tokenId, {
              ...token,
              operator: false,
              spend: { month: "", spentMicros: zero }
            })
          }
        ])
        return { row: yield* put({ ...row, status: decision, tokenExpiresAt: token.expiresAt }), token }
      })
  }
  return found
})

export const LoginApprovalsMemory: Layer.Layer<LoginApprovals, never, MemoryStorage | Ids> = Layer.effect(
  LoginApprovals,
  Effect.flatMap(rows, loginApprovalsOver)
).pipe(Layer.provide(AuditTrailMemory))
