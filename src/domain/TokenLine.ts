/**
 * Where a token comes from. A token that a person made, or that a person let in by approving a login, has no parent. A
 * token that another token made, or let in by approving a login, is the child of that token. A child can never do more
 * than its parent: it shares the limits of all tokens above it, ends no later than they do, and is revoked when one of
 * them is.
 */
import { Array as Arr, Option } from "effect"
import type { Spends, TokenSpend } from "./Admission.js"
import { type FieldProblem, ValidationError } from "./ApiErrors.js"
import type { TokenId } from "./Ids.js"
import { tokenLineMax } from "./limits/Access.js"
import type { Micros } from "./Micros.js"
import type { Scope } from "./Scope.js"

/** A token, the token that approved it, and so on to the first token. */
export type TokenLine = Arr.NonEmptyReadonlyArray<TokenId>

export const lineOf = (token: { readonly tokenId: TokenId; readonly ancestors: ReadonlyArray<TokenId> }): TokenLine => [
  token.tokenId,
  ...token.ancestors
]

/** The spends of a line, in its order; null when one of them is not there. */
export const spendsOf = (line: TokenLine | undefined, spends: ReadonlyMap<TokenId, TokenSpend>): Spends | null => {
  const found = Arr.filterMap(line ?? [], (tokenId) => Option.fromNullable(spends.get(tokenId)))
  return found.length === line?.length && Arr.isNonEmptyReadonlyArray(found) ? found : null
}

/** Why a token may not have children: its line is too long already. Null when it may. */
export const lineProblem = ({ ancestors }: { readonly ancestors: ReadonlyArray<TokenId> }): ValidationError | null =>
  ancestors.length < tokenLineMax
    ? null
    : ValidationError.of(
        "token",
        `comes from a chain of ${tokenLineMax} tokens; use one that is nearer to the first of them`
      )

/** What a token may do at most, when another one makes or changes it. */
export interface TokenPowers {
  readonly scopes: ReadonlyArray<Scope>
  /** In milliseconds; null is never. */
  readonly expiresAt: number | null
  /** Dollars a month, in micros; null is no limit. */
  readonly limitMicros: Micros | null
}

/** What of `asked` is more than the caller may do. Members that are left out ask for nothing. */
export const tooMuch = (asked: Partial<TokenPowers>, caller: TokenPowers): ReadonlyArray<FieldProblem> => {
  const lacking = (asked.scopes ?? []).filter((scope) => !caller.scopes.includes(scope))
  const later = asked.expiresAt !== undefined && isMore(asked.expiresAt, caller.expiresAt)
  const higher = asked.limitMicros !== undefined && isMore(asked.limitMicros, caller.limitMicros)
  return [
    ...(lacking.length === 0 ? [] : [{ field: "scopes", message: `this token itself lacks ${lacking.join(", ")}` }]),
    ...(later ? [{ field: "expiresAt", message: "is later than the expiry of this token itself" }] : []),
    ...(higher ? [{ field: "monthlyLimitUsd", message: "is higher than the monthly limit of this token itself" }] : [])
  ]
}

/** What a token says of itself, beside its scopes: the limits of those above it come on top. */
type OwnBounds = Pick<TokenPowers, "expiresAt" | "limitMicros">

/**
 * What of a change is more than the caller may do. Whoever manages tokens may shorten and narrow each of them. A token
 * that would live longer or spend more is renewed with all that it may do, so the caller must be able to do all of it.
 * `above` holds the bounds of those that the token comes from.
 */
export const tooMuchChanged = (
  token: TokenPowers,
  changes: Partial<OwnBounds>,
  above: OwnBounds,
  caller: TokenPowers
): ReadonlyArray<FieldProblem> => {
  const after = { ...token, ...changes }
  const widens = isMore(after.expiresAt, token.expiresAt) || isMore(after.limitMicros, token.limitMicros)
  if (!widens) return tooMuch(changes, caller)
  const renewed = {
    scopes: token.scopes,
    expiresAt: least(after.expiresAt, above.expiresAt),
    limitMicros: least(after.limitMicros, above.limitMicros)
  }
  return tooMuch({ ...renewed, ...changes }, caller)
}

/**
 * Why the caller is not handed the secret of another token: that one would go on where a token above the caller is
 * revoked, and the caller with it. So a token gets the secrets of itself, its siblings and all that come from it.
 */
export const outlasting = (
  token: { readonly ancestors: ReadonlyArray<TokenId> },
  caller: { readonly ancestors: ReadonlyArray<TokenId> }
): ReadonlyArray<FieldProblem> =>
  caller.ancestors.every((tokenId) => token.ancestors.includes(tokenId))
    ? []
    : [{ field: "tokenId", message: "would not be revoked with the tokens that this token itself comes from" }]

/** Since when a token is revoked: itself, or with the first of its ancestors that is. */
export const revokedSince = (own: number | null, above: number | null): number | null => least(own, above)

/** Why a token can never work again. `own` and `above` say when it was revoked, and when one that it comes from was. */
export const revokedProblem = (own: number | null, above: number | null): ValidationError | null => {
  if (own !== null) return ValidationError.of("tokenId", "is revoked; make a new token")
  return above === null ? null : ValidationError.of("tokenId", "comes from a token that is revoked; make a new token")
}

/** Why a token does not work until its end is moved. `above` is the first end of those that it comes from. */
export const expiredProblem = (own: number | null, above: number | null, now: number): ValidationError | null => {
  const isOver = (end: number | null) => end !== null && end <= now
  if (isOver(above))
    return ValidationError.of(
      "tokenId",
      "comes from a token that has expired; set a later expiresAt with PATCH, of that one first and then of this one"
    )
  return isOver(own) ? ValidationError.of("tokenId", "has expired; set a later expiresAt with PATCH first") : null
}

const isMore = (asked: number | null, most: number | null): boolean => most !== null && (asked === null || asked > most)

/** The smaller of two bounds, such as a child's end and its parent's. Null is none, and larger than any. */
export const least = <Bound extends number>(one: Bound | null, other: Bound | null): Bound | null =>
  one === null ? other : other === null || one <= other ? one : other
