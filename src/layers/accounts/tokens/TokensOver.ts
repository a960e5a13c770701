/** The tokens of a workspace over the rows of any storage. What a token may do at most stands in domain/TokenLine. */
import { Array as Arr, Clock, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { spendInMonth } from "../../../domain/Admission.js"
import { Forbidden, NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import { type Actor, memberActing } from "../../../domain/AuditEntry.js"
import { TokenId, type WorkspaceId } from "../../../domain/Ids.js"
import type { JsonObject } from "../../../domain/Json.js"
import { nameProblem } from "../../../domain/Labels.js"
import { pageOf } from "../../../domain/Pages.js"
import { monthOf } from "../../../domain/Run.js"
import { memberNoMore } from "../../../domain/Member.js"
import { endProblem, newTokenProblem, secretBytes, tokenText } from "../../../domain/Token.js"
import {
  expiredProblem,
  least,
  lineOf,
  lineProblem,
  revokedProblem,
  revokedSince,
  type TokenPowers,
  outlasting,
  tooMuch,
  tooMuchChanged
} from "../../../domain/TokenLine.js"
import { Accounts, type Principal } from "../../../services/Accounts.js"
import { AuditTrail, changed } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { type Token, type TokenKeeper, Tokens } from "../../../services/Tokens.js"
import { tokenDigest } from "../TokenDigest.js"
import type { OwnTokenRow, TokenRows } from "./TokenRows.js"

const tokenOf = ({
  aboveRevokedAt,
  ancestors: _,
  now,
  operator: _operator,
  spendMonth,
  spentMicros,
  ...token
}: OwnTokenRow): Token => ({
  ...token,
  revokedAt: revokedSince(token.revokedAt, aboveRevokedAt),
  monthSpendMicros: spendInMonth({ limitMicros: null, month: spendMonth, spentMicros }, monthOf(now)).spentMicros
})

const auditFields = ({ expiresAt, label, monthlyLimitMicros }: Token): JsonObject => ({
  label,
  monthlyLimitMicros,
  expiresAt
})

/** A person at the console lends their token no limits: what they make has no parent. */
const parentsOf = (caller: Principal, by: Actor) => (by.kind === "token" ? lineOf(caller) : [])

const refuse = (problems: ReadonlyArray<{ readonly field: string; readonly message: string }>) =>
  Arr.isNonEmptyReadonlyArray(problems) ? new Forbidden({ details: problems }) : Effect.void

export const tokensOver = (rows: TokenRows): Effect.Effect<Tokens["Type"], never, Accounts | AuditTrail | Ids> =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const ids = yield* Ids
    const trail = yield* AuditTrail

    const foundOr = (tokenId: TokenId) => (row: OwnTokenRow | null) =>
      row === null ? Effect.fail(new NotFound({ what: "token", id: tokenId })) : Effect.succeed(row)
    const get = (workspaceId: WorkspaceId, tokenId: TokenId) =>
      Effect.map(Effect.flatMap(rows.get(workspaceId, tokenId), foundOr(tokenId)), tokenOf)

    /** What the caller may do at most: all that stands above them counts for them too. */
    const powersOf = (caller: TokenKeeper) =>
      Effect.map(rows.above(caller.workspaceId, lineOf(caller)), ({ expiresAt, limitMicros }): TokenPowers => ({
        scopes: caller.scopes,
        expiresAt,
        limitMicros
      }))

    /**
     * The token of the caller's workspace, locked, to be changed. Only the platform's operator touches the operator's
     * tokens, and nobody one that is revoked.
     */
    const mine = Effect.fnUntraced(function* (caller: TokenKeeper, tokenId: TokenId) {
      const row = yield* Effect.flatMap(rows.lock(caller.workspaceId, tokenId), foundOr(tokenId))
      if (row.operator && !caller.operator)
        yield* refuse([{ field: "tokenId", message: "is a token of the platform's operator" }])
      const problem = revokedProblem(row.revokedAt, row.aboveRevokedAt)
      return problem === null ? row : yield* problem
    })
    const newSecret = (tokenId: TokenId) =>
      Effect.map(
        Effect.sync(() => randomBytes(secretBytes)),
        (random) => tokenText(tokenId.slice("tok_".length), random)
      )

    return Tokens.of({
      list: (workspaceId, page) =>
        Effect.map(rows.newest(workspaceId, page), (found) =>
          pageOf(found.map(tokenOf), page.limit, ({ tokenId }) => tokenId)
        ),
      get,
      create: Effect.fn("Tokens.create")(function* (caller, asked, by) {
        const createdAt = yield* Clock.currentTimeMillis
        const problem = newTokenProblem(asked, createdAt)
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        const tokenId = TokenId.make(`tok_${yield* ids.suffix}`)
        const secret = yield* newSecret(tokenId)
        const madeBy = memberActing(by)
        const token = yield* trail.change(
          by,
          Effect.gen(function* () {
            if (madeBy !== null && !(yield* rows.memberStays(madeBy))) return yield* memberNoMore()
            const powers = yield* powersOf(caller)
            const parents = parentsOf(caller, by)
            const tooLong = lineProblem({ ancestors: caller.ancestors })
            if (parents.length > 0 && tooLong !== null) return yield* tooLong
            // What is left out is no more than the caller has: the child shares it.
            yield* refuse(
              tooMuch(
                {
                  scopes: asked.scopes,
                  ...(asked.expiresAt === undefined ? {} : { expiresAt: asked.expiresAt }),
                  ...(asked.monthlyLimitMicros === undefined ? {} : { limitMicros: asked.monthlyLimitMicros })
                },
                powers
              )
            )
            const expiresAt = least(asked.expiresAt ?? null, powers.expiresAt)
            yield* rows.insert({
              ...asked,
              monthlyLimitMicros: asked.monthlyLimitMicros ?? null,
              tokenId,
              workspaceId: caller.workspaceId,
              expiresAt,
              ancestors: parents,
              digest: tokenDigest(secret),
              createdAt,
              madeBy
            })
            const made = yield* Effect.catchTag(get(caller.workspaceId, tokenId), "not_found", Effect.die)
            return changed(made, {
              action: "token.created",
              subjectId: tokenId,
              workspaceId: caller.workspaceId,
              before: null,
              after: { ...auditFields(made), scopes: made.scopes, parents }
            })
          })
        )
        return { token, secret: Redacted.make(secret) }
      }),
      change: Effect.fn("Tokens.change")((caller, tokenId, changes, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const row = yield* mine(caller, tokenId)
            const problem =
              (changes.label === undefined ? null : nameProblem("label", changes.label)) ??
              endProblem(changes.expiresAt ?? null, row.now)
            if (problem !== null) return yield* new ValidationError({ details: [problem] })
            const above = yield* rows.above(caller.workspaceId, row.ancestors)
            const bounds = {
              ...(changes.expiresAt === undefined ? {} : { expiresAt: changes.expiresAt }),
              ...(changes.monthlyLimitMicros === undefined ? {} : { limitMicros: changes.monthlyLimitMicros })
            }
            yield* refuse(
              tooMuchChanged({ ...row, limitMicros: row.monthlyLimitMicros }, bounds, above, yield* powersOf(caller))
            )
            if (changes.expiresAt !== undefined && least(changes.expiresAt, above.expiresAt) !== changes.expiresAt)
              return yield* ValidationError.of("expiresAt", "is later than the end of the token that it comes from")
            yield* rows.update(caller.workspaceId, tokenId, { ...row, ...changes })
            const [before, after] = [tokenOf(row), tokenOf({ ...row, ...changes })]
            return changed(after, {
              action: "token.changed",
              subjectId: tokenId,
              workspaceId: caller.workspaceId,
              before: auditFields(before),
              after: auditFields(after)
            })
          })
        )
      ),
      revoke: Effect.fn("Tokens.revoke")(function* (caller, tokenId, by) {
        const row = yield* Effect.flatMap(rows.get(caller.workspaceId, tokenId), foundOr(tokenId))
        if (row.operator && !caller.operator)
          yield* refuse([{ field: "tokenId", message: "is a token of the platform's operator" }])
        yield* accounts.revokeToken(tokenId, by)
      }),
      rotate: Effect.fn("Tokens.rotate")(function* (caller, tokenId, overlapSeconds, by) {
        const secret = yield* newSecret(tokenId)
        const token = yield* trail.change(
          by,
          Effect.gen(function* () {
            const row = yield* mine(caller, tokenId)
            const { expiresAt } = yield* rows.above(caller.workspaceId, row.ancestors)
            const expired = expiredProblem(row.expiresAt, expiresAt, row.now)
            if (expired !== null) return yield* expired
            const powers = yield* rows.above(caller.workspaceId, lineOf(row))
            // The new secret is the caller's to keep, with all that the token may do.
            yield* refuse([
              ...outlasting(row, caller),
              ...tooMuch({ ...powers, scopes: row.scopes }, yield* powersOf(caller))
            ])
            yield* rows.rotate(caller.workspaceId, tokenId, tokenDigest(secret), overlapSeconds)
            return changed(tokenOf(row), {
              action: "token.rotated",
              subjectId: tokenId,
              workspaceId: caller.workspaceId,
              before: null,
              after: { label: row.label, overlapSeconds }
            })
          })
        )
        return { token, secret: Redacted.make(secret) }
      })
    })
  })
