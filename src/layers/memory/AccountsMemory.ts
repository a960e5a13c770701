/**
 * Workspaces and tokens in the memory storage, for tests and trials. The rules are those of the domain; nothing
 * survives the process.
 */
import { Array as Arr, Clock, Effect, Either, HashMap, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { tightest } from "../../domain/Admission.js"
import { NotFound, TokenRevoked, Unauthorized, ValidationError } from "../../domain/ApiErrors.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { monthOf } from "../../domain/Run.js"
import { nameProblem } from "../../domain/Labels.js"
import { mayBeToken, newTokenProblem, secretBytes, tokenText } from "../../domain/Token.js"
import { lineOf } from "../../domain/TokenLine.js"
import { limitsProblem } from "../../domain/WorkspaceLimits.js"
import { changedPolicy, unrestricted } from "../../domain/WorkspacePolicy.js"
import { Accounts, type Workspace } from "../../services/Accounts.js"
import { Ids } from "../../services/Ids.js"
import { MemoryStorage, type StoredToken, type StoredWallet } from "./MemoryStorage.js"
import { tokenDigest } from "../accounts/TokenDigest.js"

const emptyWallet: StoredWallet = {
  balance: { availableMicros: zero, reservedMicros: zero },
  inflight: 0,
  minuteStartedAt: 0,
  minuteCount: 0,
  minuteRefused: 0,
  entries: [],
  creditKeys: new Set()
}

const make = Effect.gen(function* () {
  const storage = yield* MemoryStorage
  const ids = yield* Ids

  const workspace = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    const state = yield* storage.read
    return yield* Effect.mapError(
      HashMap.get(state.workspaces, workspaceId),
      () => new NotFound({ what: "workspace", id: workspaceId })
    )
  })
  const workspaceByName = (name: string) =>
    Effect.map(storage.read, ({ workspaces }) =>
      Option.getOrNull(
        Option.map(
          HashMap.findFirst(workspaces, (found) => found.name === name),
          ([, found]) => found
        )
      )
    )
  const putWorkspace = (changed: Workspace) =>
    storage.modify((state) => [
      changed,
      { ...state, workspaces: HashMap.set(state.workspaces, changed.workspaceId, changed) }
    ])
  const putToken = (token: StoredToken) =>
    storage.modify((state) => [undefined, { ...state, tokens: HashMap.set(state.tokens, token.tokenId, token) }])

  /** To be called in the transaction that makes or revokes a token of the operator. */
  const countOperators = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    const { tokens } = yield* storage.read
    const operator = HashMap.some(
      tokens,
      (token) => token.workspaceId === workspaceId && token.operator && token.revokedAt === null
    )
    yield* Effect.flatMap(Effect.orDie(workspace(workspaceId)), (before) => putWorkspace({ ...before, operator }))
  })

  return Accounts.of({
    authenticate: Effect.fnUntraced(function* (token) {
      const text = Redacted.value(token)
      if (!mayBeToken(text)) return yield* new Unauthorized()
      const asked = tokenDigest(text).toString("hex")
      const state = yield* storage.read
      const found = HashMap.findFirst(state.tokens, ({ digest }) => digest === asked)
      if (Option.isNone(found)) return yield* new Unauthorized()
      const { digest: _digest, monthlyLimitMicros: _limit, revokedAt, spend: _spend, ...principal } = found.value[1]
      const gone = (tokenId: TokenId) =>
        Option.exists(HashMap.get(state.tokens, tokenId), (ancestor) => ancestor.revokedAt !== null)
      if (revokedAt !== null || principal.ancestors.some(gone)) return yield* new TokenRevoked()
      if (principal.expiresAt !== null && principal.expiresAt <= (yield* Clock.currentTimeMillis))
        return yield* new Unauthorized()
      const { name, operator: operatorWorkspace, policy } = yield* Effect.orDie(workspace(principal.workspaceId))
      return { ...principal, workspaceName: name, operatorWorkspace, policy }
    }),

    monthSpend: Effect.fnUntraced(function* (tokenId) {
      const month = monthOf(yield* Clock.currentTimeMillis)
      const { tokens } = yield* storage.read
      const line = Option.match(HashMap.get(tokens, tokenId), { onNone: () => [], onSome: lineOf })
      const spends = Arr.filterMap(line, (id) =>
        Option.map(HashMap.get(tokens, id), ({ monthlyLimitMicros, spend }) => ({
          ...spend,
          limitMicros: monthlyLimitMicros
        }))
      )
      return Arr.isNonEmptyReadonlyArray(spends) ? tightest(spends, month) : { limitMicros: null, spentMicros: zero }
    }),

    createWorkspace: Effect.fnUntraced(function* (name) {
      const problem = nameProblem("name", name)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const made: Workspace = {
        workspaceId: WorkspaceId.make(`ws_${yield* ids.suffix}`),
        name,
        inflightLimit: null,
        runsPerMinute: null,
        runCapMicros: null,
        operator: false,
        policy: unrestricted,
        createdAt: yield* Clock.currentTimeMillis
      }
      return yield* storage.transact(
        Effect.gen(function* () {
          if ((yield* workspaceByName(name)) !== null)
            return yield* ValidationError.of("name", "is the name of another workspace")
          yield* storage.modify((state) => [
            undefined,
            { ...state, wallets: HashMap.set(state.wallets, made.workspaceId, emptyWallet) }
          ])
          return yield* putWorkspace(made)
        })
      )
    }),

    workspace,
    workspaceByName,

    workspaces: Effect.map(storage.read, ({ workspaces }) =>
      Array.from(HashMap.values(workspaces)).sort(
        (a, b) => a.createdAt - b.createdAt || (a.workspaceId < b.workspaceId ? -1 : 1)
      )
    ),

    setLimits: Effect.fnUntraced(function* (workspaceId, limits) {
      const problem = limitsProblem(limits)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      return yield* storage.transact(
        Effect.flatMap(workspace(workspaceId), (before) => putWorkspace({ ...before, ...limits }))
      )
    }),

    setPolicy: (workspaceId, change) =>
      storage.transact(
        Effect.gen(function* () {
          const before = yield* workspace(workspaceId)
          const policy = yield* Either.mapLeft(
            changedPolicy(before.policy, change),
            (problem) => new ValidationError({ details: [problem] })
          )
          return yield* putWorkspace({ ...before, policy })
        })
      ),

    createToken: Effect.fnUntraced(function* (token) {
      const now = yield* Clock.currentTimeMillis
      const problem = newTokenProblem(token, now)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      yield* workspace(token.workspaceId)
      const suffix = yield* ids.suffix
      const tokenId = TokenId.make(`tok_${suffix}`)
      const text = tokenText(suffix, yield* Effect.sync(() => randomBytes(secretBytes)))
      const operator = token.operator ?? false
      const row: StoredToken = {
        tokenId,
        ...token,
        operator,
        ancestors: [],
        createdAt: now,
        digest: tokenDigest(text).toString("hex"),
        revokedAt: null,
        spend: { month: "", spentMicros: zero }
      }
      yield* storage.transact(
        Effect.zipRight(
          putToken(row),
          Effect.when(countOperators(row.workspaceId), () => operator)
        )
      )
      return { tokenId, token: Redacted.make(text) }
    }),

    revokeToken: (tokenId) =>
      storage.transact(
        Effect.gen(function* () {
          const found = HashMap.get((yield* storage.read).tokens, tokenId)
          if (Option.isNone(found)) return yield* new NotFound({ what: "token", id: tokenId })
          yield* putToken({ ...found.value, revokedAt: found.value.revokedAt ?? (yield* Clock.currentTimeMillis) })
          if (found.value.operator) yield* countOperators(found.value.workspaceId)
        })
      )
  })
})

export const AccountsMemory: Layer.Layer<Accounts, never, MemoryStorage | Ids> = Layer.effect(Accounts, make)
