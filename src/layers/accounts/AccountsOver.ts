/**
 * Workspaces and tokens over the rows of any storage. Only the digest of a token is stored. Limits are read where money
 * is decided (Wallet), not here.
 */
import { Array as Arr, Clock, Effect, Either, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { tightest } from "../../domain/Admission.js"
import { NotFound, TokenRevoked, Unauthorized, ValidationError } from "../../domain/ApiErrors.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { monthOf } from "../../domain/Run.js"
import { nameProblem } from "../../domain/Labels.js"
import { mayBeToken, newTokenProblem, secretBytes, tokenText } from "../../domain/Token.js"
import { limitsProblem } from "../../domain/WorkspaceLimits.js"
import { changedPolicy, unrestricted } from "../../domain/WorkspacePolicy.js"
import { Accounts, type Workspace } from "../../services/Accounts.js"
import { Ids } from "../../services/Ids.js"
import type { AccountRows } from "./AccountRows.js"
import { sameDigest, tokenDigest } from "./TokenDigest.js"

const foundOr = (workspaceId: WorkspaceId) => (found: Workspace | null) =>
  found === null ? Effect.fail(new NotFound({ what: "workspace", id: workspaceId })) : Effect.succeed(found)

const authenticate = (rows: AccountRows): Accounts["Type"]["authenticate"] =>
  Effect.fnUntraced(function* (token) {
    const text = Redacted.value(token)
    if (!mayBeToken(text)) return yield* new Unauthorized()
    const asked = tokenDigest(text)
    const found = yield* rows.tokenByDigest(asked)
    if (found === null || !sameDigest(found.digest, asked)) return yield* new Unauthorized()
    const { digest: _digest, revoked, ...principal } = found
    if (revoked) return yield* new TokenRevoked()
    if (principal.expiresAt !== null && principal.expiresAt <= (yield* Clock.currentTimeMillis))
      return yield* new Unauthorized()
    return principal
  })

const createWorkspace = (rows: AccountRows, ids: Ids["Type"]): Accounts["Type"]["createWorkspace"] =>
  Effect.fn("Accounts.createWorkspace")(function* (name) {
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
    return (yield* rows.insertWorkspace(made))
      ? made
      : yield* ValidationError.of("name", "is the name of another workspace")
  })

const createToken = (rows: AccountRows, ids: Ids["Type"]): Accounts["Type"]["createToken"] =>
  Effect.fn("Accounts.createToken")(function* (token) {
    const now = yield* Clock.currentTimeMillis
    const problem = newTokenProblem(token, now)
    if (problem !== null) return yield* new ValidationError({ details: [problem] })
    const suffix = yield* ids.suffix
    const tokenId = TokenId.make(`tok_${suffix}`)
    const text = tokenText(suffix, yield* Effect.sync(() => randomBytes(secretBytes)))
    const made = yield* rows.insertToken({
      ...token,
      operator: token.operator ?? false,
      tokenId,
      digest: tokenDigest(text),
      createdAt: now
    })
    if (!made) return yield* new NotFound({ what: "workspace", id: token.workspaceId })
    return { tokenId, token: Redacted.make(text) }
  })

export const accountsOver = (rows: AccountRows): Effect.Effect<Accounts["Type"], never, Ids> =>
  Effect.map(Ids, (ids) =>
    Accounts.of({
      authenticate: authenticate(rows),
      monthSpend: Effect.fn("Accounts.monthSpend")(function* (tokenId) {
        const { now, spends } = yield* rows.spends(tokenId)
        return Arr.isNonEmptyReadonlyArray(spends)
          ? tightest(spends, monthOf(now))
          : { limitMicros: null, spentMicros: zero }
      }),
      createWorkspace: createWorkspace(rows, ids),
      workspace: Effect.fn("Accounts.workspace")((workspaceId) =>
        Effect.flatMap(rows.workspace(workspaceId), foundOr(workspaceId))
      ),
      workspaceByName: Effect.fn("Accounts.workspaceByName")(rows.workspaceByName),
      workspaces: rows.workspaces,
      setLimits: Effect.fn("Accounts.setLimits")(function* (workspaceId, limits) {
        const problem = limitsProblem(limits)
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        const changed = yield* rows.changeWorkspace(workspaceId, (before) => Effect.succeed({ ...before, ...limits }))
        return yield* foundOr(workspaceId)(changed)
      }),
      setPolicy: Effect.fn("Accounts.setPolicy")((workspaceId, change) =>
        rows
          .changeWorkspace(workspaceId, (before) =>
            Either.mapBoth(changedPolicy(before.policy, change), {
              onLeft: (problem) => new ValidationError({ details: [problem] }),
              onRight: (policy) => ({ ...before, policy })
            })
          )
          .pipe(Effect.flatMap(foundOr(workspaceId)))
      ),
      createToken: createToken(rows, ids),
      revokeToken: Effect.fn("Accounts.revokeToken")(function* (tokenId) {
        const revoked = yield* rows.revokeToken(tokenId, yield* Clock.currentTimeMillis)
        if (!revoked) return yield* new NotFound({ what: "token", id: tokenId })
      })
    })
  )
