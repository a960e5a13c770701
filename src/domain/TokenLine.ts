/**
 * Where a token comes from. A token that a person made has no parent. A token from a login approval is a child of the
 * token that approved it. A child can never do more than its parent: it shares the limits of all tokens above it, ends
 * no later than they do, and is revoked when one of them is.
 */
import { Array as Arr, Option } from "effect"
import type { Spends, TokenSpend } from "./Admission.js"
import type { TokenId } from "./Ids.js"

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

/** When a child ends: when it was asked to, and never after its parent. Null is never. */
export const childEnd = (asked: number | null, parent: number | null): number | null =>
  asked === null ? parent : parent === null ? asked : Math.min(asked, parent)
