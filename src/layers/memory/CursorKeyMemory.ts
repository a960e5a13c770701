/**
 * The cursor key of this process. The memory storage belongs to this process alone, so no other process needs the key.
 */
import { randomBytes } from "node:crypto"
import { Layer, Redacted } from "effect"
import { CursorKey } from "../../services/CursorKey.js"

export const CursorKeyMemory: Layer.Layer<CursorKey> = Layer.sync(CursorKey, () => Redacted.make(randomBytes(32)))
