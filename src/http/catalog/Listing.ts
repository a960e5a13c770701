/**
 * ETags and cursors of the endpoints listing: both carry the catalog's revision and are bound to the filters. An ETag
 * also covers the answer itself.
 */
import { createHash } from "node:crypto"
import type { Option } from "effect"
import { canonical, type JsonObject } from "../../domain/Json.js"
import type { CursorKey } from "../../services/CursorKey.js"
import { makeCursor, readCursor } from "../Cursor.js"

/**
 * The tag of one answer to one question. Rows change with provider states, keys, connections and statistics, and differ
 * from caller to caller, while the revision stays: so the tag is made of the very bytes of the answer.
 */
export const etagOf = (revision: string, question: JsonObject, body: Uint8Array): string =>
  `"${revision}.${createHash("sha256").update(canonical(question)).update(body).digest("base64url").slice(0, 22)}"`

const binding = (revision: string, workspaceId: string, filters: JsonObject) => ({
  list: "endpoints",
  workspaceId,
  filters: { ...filters, revision }
})

export const makeListingCursor = (
  key: CursorKey["Type"],
  after: string,
  revision: string,
  workspaceId: string,
  filters: JsonObject
): string => `${revision}~${makeCursor(key, after, binding(revision, workspaceId, filters))}`

/** The endpoint id to go on after. A cursor of an older revision goes on in the present one: the order is the ids'. */
export const readListingCursor = (
  key: CursorKey["Type"],
  cursor: string,
  workspaceId: string,
  filters: JsonObject
): Option.Option<string> => {
  const [revision = "", rest = ""] = cursor.split("~", 2)
  return readCursor(key, rest, binding(revision, workspaceId, filters))
}
