/**
 * Opaque cursors of lists: where the page before ended, bound by a digest to the list, the workspace and the filters it was made
 * with. A cursor of another list, of other filters, or one that was touched is not a cursor of this list.
 */
import { createHash } from "node:crypto"
import { Option } from "effect"
import { canonical, type Json } from "../domain/Json.js"

/** What a cursor is bound to: the list's name, its workspace and its filters. */
export interface CursorBinding {
  readonly list: string
  readonly workspaceId: string
  readonly filters: { readonly [name: string]: Json }
}

const sortKey = /^[\x20-\x7e]{1,200}$/

const digest = (after: string, { filters, list, workspaceId }: CursorBinding): string =>
  createHash("sha256").update(canonical([list, workspaceId, filters, after])).digest("base64url").slice(0, 16)

export const makeCursor = (after: string, binding: CursorBinding): string =>
  `${Buffer.from(after, "utf8").toString("base64url")}.${digest(after, binding)}`

/** The sort key to go on after; none when the cursor does not belong here. */
export const readCursor = (cursor: string, binding: CursorBinding): Option.Option<string> => {
  const [encoded = "", signature, ...rest] = cursor.split(".")
  const after = Buffer.from(encoded, "base64url").toString("utf8")
  return rest.length === 0 && sortKey.test(after) && signature === digest(after, binding) ? Option.some(after) : Option.none()
}
