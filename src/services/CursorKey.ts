/**
 * The secret that cursors of lists are signed with, so that nobody can make one that the gateway did not give. Every
 * node of one storage has the same, because a list goes on at any node; it may change with the storage, which ends all
 * cursors. A key derived from it signs the addresses that providers call back (`ProviderCallbacks.ts`).
 */
import { Context, type Redacted } from "effect"

export class CursorKey extends Context.Tag("gateway/services/CursorKey")<CursorKey, Redacted.Redacted<Uint8Array>>() {}
