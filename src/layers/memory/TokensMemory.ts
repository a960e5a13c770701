/** The tokens of a workspace in the memory storage: the rows of `accounts/tokens/TokenRows`. */
import { Clock, Effect, HashMap, Layer, Option } from "effect"
import type { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { Micros, zero } from "../../domain/Micros.js"
import { least, revokedSince } from "../../domain/TokenLine.js"
import type { Ids } from "../../services/Ids.js"
import { Tokens } from "../../services/Tokens.js"
import type { AboveToken, OwnTokenRow, TokenRows } from "../accounts/tokens/TokenRows.js"
import { tokensOver } from "../accounts/tokens/TokensOver.js"
import { AccountsMemory, firstEnd } from "./AccountsMemory.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import { memberStaysMemory } from "./MembersMemory.js"
import { MemoryStorage, type MemoryState, type StoredToken } from "./MemoryStorage.js"

const firstRevocation = ({ tokens }: MemoryState, tokenIds: ReadonlyArray<TokenId>): number | null =>
  tokenIds.reduce<number | null>(
    (first, tokenId) =>
      revokedSince(Option.getOrNull(Option.map(HashMap.get(tokens, tokenId), ({ revokedAt }) => revokedAt)), first),
    null
  )

const rowOf = (state: MemoryState, token: StoredToken, now: number): OwnTokenRow => ({
  tokenId: token.tokenId,
  label: token.label,
  scopes: token.scopes,
  createdAt: token.createdAt,
  lastUsedAt: token.lastUsedAt ?? null,
  expiresAt: token.expiresAt,
  revokedAt: token.revokedAt,
  aboveRevokedAt: firstRevocation(state, token.ancestors),
  monthlyLimitMicros: token.monthlyLimitMicros,
  ancestors: token.ancestors,
  operator: token.operator,
  spendMonth: token.spend.month,
  spentMicros: token.spend.spentMicros,
  now
})

const above = (state: MemoryState, tokenIds: ReadonlyArray<TokenId>): AboveToken => {
  const limits = tokenIds.flatMap((tokenId) =>
    Option.match(HashMap.get(state.tokens, tokenId), {
      onNone: () => [],
      onSome: ({ monthlyLimitMicros }) => (monthlyLimitMicros === null ? [] : [monthlyLimitMicros])
    })
  )
  return {
    expiresAt: firstEnd(state, tokenIds),
    limitMicros: limits.length === 0 ? null : Micros.make(Math.min(...limits))
  }
}

const isOf = (workspaceId: WorkspaceId) => (token: StoredToken) =>
  token.workspaceId === workspaceId && token.memberId === undefined

const hexOf = (digest: Uint8Array) => Buffer.from(digest).toString("hex")

const make = Effect.map(MemoryStorage, (storage): TokenRows => {
  const { modify, read } = storage
  const withTokens = (change: (tokens: MemoryState["tokens"]) => MemoryState["tokens"]) =>
    modify((state) => [undefined, { ...state, tokens: change(state.tokens) }])
  const get: TokenRows["get"] = (workspaceId, tokenId) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) =>
      Option.getOrNull(
        Option.map(Option.filter(HashMap.get(state.tokens, tokenId), isOf(workspaceId)), (token) =>
          rowOf(state, token, now)
        )
      )
    )
  return {
    newest: (workspaceId, { after, limit }) =>
      Effect.zipWith(read, Clock.currentTimeMillis, (state, now) =>
        Array.from(HashMap.values(state.tokens))
          .filter((token) => isOf(workspaceId)(token) && (after === null || token.tokenId < after))
          .sort((a, b) => (a.tokenId < b.tokenId ? 1 : -1))
          .slice(0, limit + 1)
          .map((token) => rowOf(state, token, now))
      ),
    get,
    lock: get,
    above: (_workspaceId, tokenIds) => Effect.map(read, (state) => above(state, tokenIds)),
    memberStays: memberStaysMemory(storage),
    insert: ({ digest, ...token }) =>
      withTokens((tokens) =>
        HashMap.set(tokens, token.tokenId, {
          ...token,
          digest: hexOf(digest),
          operator: false,
          revokedAt: null,
          spend: { month: "", spentMicros: zero }
        })
      ),
    update: (_workspaceId, tokenId, { expiresAt, label, monthlyLimitMicros }) =>
      withTokens((tokens) =>
        HashMap.map(tokens, (token) =>
          token.tokenId === tokenId
            ? { ...token, label, monthlyLimitMicros, expiresAt }
            : token.ancestors.includes(tokenId)
              ? { ...token, expiresAt: least(token.expiresAt, expiresAt) }
              : token
        )
      ),
    rotate: (_workspaceId, tokenId, digest, overlapSeconds) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const until = now + overlapSeconds * 1000
        return withTokens((tokens) =>
          HashMap.modify(tokens, tokenId, (token) => ({
            ...token,
            digest: hexOf(digest),
            replacedSecrets: [
              { digest: token.digest, worksUntil: until },
              ...(token.replacedSecrets ?? [])
                .filter(({ worksUntil }) => worksUntil > now)
                .map((old) => ({ ...old, worksUntil: Math.min(old.worksUntil, until) }))
            ]
          }))
        )
      })
  }
})

export const TokensMemory: Layer.Layer<Tokens, never, MemoryStorage | Ids> = Layer.effect(
  Tokens,
  Effect.flatMap(make, tokensOver)
).pipe(Layer.provide([AccountsMemory, AuditTrailMemory]))
