/**
 * Opaque cursors of lists: where the page before ended, signed together with the list, the workspace and the filters it
 * was made with. A cursor of another list or of other filters is refused, and so is a changed or an invented one.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Option, Redacted } from "effect"
import { canonical, type Json } from "../domain/Json.js"
import { cursorCharsMax } from "../domain/limits/Lists.js"
import type { CursorKey } from "../services/CursorKey.js"

type Key = CursorKey["Type"]

/** What a cursor is bound to: the list's name, its workspace and its filters. */
export interface CursorBinding {
  readonly list: string
  readonly workspaceId: string
  readonly filters: { readonly [name: string]: Json }
}

/** The longest is a place in a search: a revision, a number and an id. */
const sortKey = /^[\x20-\x7e]{1,300}$/

const signature = (key: Key, after: string, { filters, list, workspaceId }: CursorBinding): string =>
  createHmac("sha256", Redacted.value(key))
    .update(canonical([list, workspaceId, filters, after]))
    .digest("base64url")
    .slice(0, 22)

const equal = (given: string, wanted: string): boolean =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(given, "latin1"), Buffer.from(wanted, "latin1"))

export const makeCursor = (key: Key, after: string, binding: CursorBinding): string =>
  `${Buffer.from(after, "utf8").toString("base64url")}.${signature(key, after, binding)}`

/** The sort key to go on after; none when the cursor does not belong here. */
export const readCursor = (key: Key, cursor: string, binding: CursorBinding): Option.Option<string> => {
  if (cursor.length > cursorCharsMax) return Option.none()
  const [encoded = "", signed = "", ...rest] = cursor.split(".")
  const after = Buffer.from(encoded, "base64url").toString("utf8")
  return rest.length === 0 && sortKey.test(after) && equal(signed, signature(key, after, binding))
    ? Option.some(after)
    : Option.none()
}
