/** A cursor key of this process alone, for a storage that is also its alone. */
import { randomBytes } from "node:crypto"
import { Layer, Redacted } from "effect"
import { CursorKey } from "../../services/CursorKey.js"

export const CursorKeyMemory: Layer.Layer<CursorKey> = Layer.sync(CursorKey, () => Redacted.make(randomBytes(32)))
