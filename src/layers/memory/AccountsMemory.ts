/** Workspaces and tokens in the memory storage: the rows of `accounts/AccountRows`. Nothing survives the process. */
import { Clock, Effect, HashMap, Layer, Option, Struct } from "effect"
import type { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { least, lineOf } from "../../domain/TokenLine.js"
import { Accounts, type Principal, type Workspace } from "../../services/Accounts.js"
import type { Ids } from "../../services/Ids.js"
import type { AccountRows } from "../accounts/AccountRows.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import { accountsOver } from "../accounts/AccountsOver.js"
import { MemoryStorage, type MemoryState, type StoredToken, type StoredWallet } from "./MemoryStorage.js"

const emptyWallet: StoredWallet = {
  balance: { availableMicros: zero, reservedMicros: zero },
  inflight: 0,
  minuteStartedAt: 0,
  minuteCount: 0,
  minuteRefused: 0,
  entries: [],
  creditKeys: new Map()
}

const withoutUses = (state: MemoryState, workspaceId: WorkspaceId): MemoryState => ({
  ...state,
  searchUses: HashMap.remove(state.searchUses, workspaceId)
})

const named = ({ workspaces }: MemoryState, name: string): Workspace | null =>
  Option.getOrNull(
    Option.map(
      HashMap.findFirst(workspaces, (found) => found.name === name),
      ([, found]) => found
    )
  )

const withWorkspace = (state: MemoryState, workspace: Workspace): MemoryState => ({
  ...state,
  workspaces: HashMap.set(state.workspaces, workspace.workspaceId, workspace)
})

/** Stores a new or changed token, and then sets again whether its workspace is the operator's. */
export const withToken = (state: MemoryState, token: StoredToken): MemoryState => {
  const tokens = HashMap.set(state.tokens, token.tokenId, token)
  const operator = HashMap.some(
    tokens,
    (other) => other.workspaceId === token.workspaceId && other.operator && other.revokedAt === null
  )
  return {
    ...state,
    tokens,
    workspaces: HashMap.modify(state.workspaces, token.workspaceId, (before) => ({ ...before, operator }))
  }
}

/** When the first of these tokens ends; null where none does. */
export const firstEnd = ({ tokens }: Pick<MemoryState, "tokens">, tokenIds: ReadonlyArray<TokenId>): number | null =>
  tokenIds.reduce<number | null>(
    (end, tokenId) =>
      Option.match(HashMap.get(tokens, tokenId), {
        onNone: () => end,
        onSome: ({ expiresAt }) => least(expiresAt, end)
      }),
    null
  )

/** A token as a caller; null without its workspace. */
export const principalOf = (state: MemoryState, token: StoredToken): Principal | null =>
  Option.getOrNull(
    Option.map(HashMap.get(state.workspaces, token.workspaceId), ({ learnsFromUse, name, operator, policy }) => {
      const own = Struct.omit(
        token,
        "digest",
        "lastUsedAt",
        "replacedSecrets",
        "madeBy",
        "memberId",
        "monthlyLimitMicros",
        "revokedAt",
        "spend"
      )
      return {
        ...own,
        expiresAt: firstEnd(state, lineOf(token)),
        workspaceName: name,
        operatorWorkspace: operator,
        policy,
        learnsFromUse
      }
    })
  )

const tokenByDigest = (state: MemoryState, digest: Uint8Array, now: number) => {
  const asked = Buffer.from(digest).toString("hex")
  const isGone = (tokenId: TokenId) =>
    Option.exists(HashMap.get(state.tokens, tokenId), ({ revokedAt }) => revokedAt !== null)
  return Option.gen(function* () {
    const [, token] = yield* HashMap.findFirst(
      state.tokens,
      ({ digest, replacedSecrets = [] }) =>
        digest === asked || replacedSecrets.some((old) => old.digest === asked && old.worksUntil > now)
    )
    const principal = yield* Option.fromNullable(principalOf(state, token))
    return { principal, digest, revoked: lineOf(token).some(isGone) }
  })
}

const makeRows = Effect.map(MemoryStorage, ({ modify, read, transact }): AccountRows => ({
  insertWorkspace: (workspace) =>
    modify((state) =>
      named(state, workspace.name) !== null
        ? [false, state]
        : [
            true,
            {
              ...withWorkspace(state, workspace),
              wallets: HashMap.set(state.wallets, workspace.workspaceId, emptyWallet)
            }
          ]
    ),
  workspace: (workspaceId) =>
    Effect.map(read, ({ workspaces }) => Option.getOrNull(HashMap.get(workspaces, workspaceId))),
  workspaceByName: (name) => Effect.map(read, (state) => named(state, name)),
  workspaces: Effect.map(read, ({ workspaces }) =>
    Array.from(HashMap.values(workspaces)).sort(
      (a, b) => a.createdAt - b.createdAt || (a.workspaceId < b.workspaceId ? -1 : 1)
    )
  ),
  changeWorkspace: (workspaceId, change) =>
    transact(
      Effect.flatMap(read, ({ workspaces }) =>
        Option.match(HashMap.get(workspaces, workspaceId), {
          onNone: () => Effect.succeed(null),
          onSome: (before) =>
            Effect.flatMap(change(before), (after) =>
              modify((state) => [
                { before, after },
                withWorkspace(after.learnsFromUse ? state : withoutUses(state, workspaceId), after)
              ])
            )
        })
      )
    ),
  insertToken: ({ digest, ...token }) =>
    modify((state) =>
      HashMap.has(state.workspaces, token.workspaceId)
        ? [
            true,
            withToken(state, {
              ...token,
              ancestors: [],
              digest: Buffer.from(digest).toString("hex"),
              revokedAt: null,
              spend: { month: "", spentMicros: zero }
            })
          ]
        : [false, state]
    ),
  revokeToken: (tokenId, now) =>
    modify((state) =>
      Option.match(HashMap.get(state.tokens, tokenId), {
        onNone: () => [null, state],
        onSome: (token) => [
          { workspaceId: token.workspaceId, label: token.label, revokedBefore: token.revokedAt },
          withToken(state, { ...token, revokedAt: token.revokedAt ?? now })
        ]
      })
    ),
  tokenById: (tokenId) =>
    Effect.map(read, ({ tokens }) =>
      Option.match(HashMap.get(tokens, tokenId), {
        onNone: () => null,
        onSome: ({ label, revokedAt, workspaceId }) => ({
          workspaceId,
          label,
          revokedAt,
          descendants: Array.from(HashMap.values(tokens)).filter(
            (each) => each.revokedAt === null && each.ancestors.includes(tokenId)
          ).length
        })
      })
    ),
  tokenByDigest: (digest) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) => Option.getOrNull(tokenByDigest(state, digest, now))),
  // One process has one clock: no use is earlier than the one before it, or to come.
  noteUses: (uses) =>
    modify((state) => [
      undefined,
      {
        ...state,
        tokens: uses.reduce(
          (tokens, { tokenId, usedAt }) =>
            HashMap.modify(tokens, tokenId, (token) => ({ ...token, lastUsedAt: usedAt })),
          state.tokens
        )
      }
    ]),
  spend: ({ tokenId }) =>
    Effect.zipWith(read, Clock.currentTimeMillis, ({ tokens }, now) =>
      Option.match(HashMap.get(tokens, tokenId), {
        onNone: () => null,
        onSome: ({ monthlyLimitMicros, spend }) => ({ ...spend, limitMicros: monthlyLimitMicros, now })
      })
    )
}))

export const AccountsMemory: Layer.Layer<Accounts, never, MemoryStorage | Ids> = Layer.scoped(
  Accounts,
  Effect.flatMap(makeRows, accountsOver)
).pipe(Layer.provide(AuditTrailMemory))
