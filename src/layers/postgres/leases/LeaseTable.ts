/**
 * The leases that a node renews, in memory that its threads share. This thread adds and removes them; another one reads
 * and renews them, however long this one is blocked. Adding costs about a microsecond and sends nothing, so a run that
 * ends before its first renewal costs no more. Only one thread writes.
 *
 * The words (int32): the pulse of the writer, then one for each slot: 0 while it is free, else a number that changes
 * with every use. A slot's bytes are the length of its text and the text, `workspaceId runId token`. The word is
 * written last and looked at before and after the bytes are read, so nobody reads half of a text.
 */
import type { HeldLease } from "../../../services/RunStore.js"

/** At most 256, because the length of a slot's text is one byte. */
export const slotBytes = 256

/** What the reading thread is given. */
export interface LeaseTableMemory {
  readonly words: SharedArrayBuffer
  readonly bytes: SharedArrayBuffer
}

export interface LeaseTable {
  readonly memory: LeaseTableMemory
  /** Adds the lease. Returns the function that removes it, or null when the table is full. */
  readonly register: (lease: HeldLease) => (() => void) | null
  /** Says that the writing thread is alive. */
  readonly pulse: () => void
}

export const makeLeaseTable = (slots: number): LeaseTable => {
  const memory = { words: new SharedArrayBuffer(4 * (1 + slots)), bytes: new SharedArrayBuffer(slotBytes * slots) }
  const words = new Int32Array(memory.words)
  const bytes = Buffer.from(memory.bytes)
  const free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot)
  let uses = 0
  return {
    memory,
    register: ({ runId, token, workspaceId }) => {
      const text = `${workspaceId} ${runId} ${token}`
      const slot = text.length < slotBytes ? free.pop() : undefined
      if (slot === undefined) return null
      const start = slot * slotBytes
      bytes[start] = text.length
      bytes.write(text, start + 1, "latin1")
      // Never 0, which means free.
      uses = uses >= 0x7fffffff ? 1 : uses + 1
      Atomics.store(words, 1 + slot, uses)
      let isRegistered = true
      return () => {
        if (!isRegistered) return
        isRegistered = false
        Atomics.store(words, 1 + slot, 0)
        free.push(slot)
      }
    },
    pulse: () => void Atomics.add(words, 0, 1)
  }
}
