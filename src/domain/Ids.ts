/**
 * Identifiers. The prefix says what kind of thing the id names. The suffix is ordered by time (48 bits of milliseconds,
 * 80 random bits, in Crockford base 32). So ids sort by creation and reveal nothing else.
 */
import { Schema } from "effect"
import { madeQuickly } from "./Brands.js"
import { runAfterRequestMillisMax } from "./limits/Requests.js"

const id = <const Prefix extends string, const Brand extends string>(prefix: Prefix, brand: Brand) => {
  const pattern = new RegExp(`^${prefix}_[0-9a-z]{26}$`)
  const schema = Schema.String.pipe(
    Schema.pattern(pattern),
    Schema.brand(brand),
    Schema.annotations({ identifier: brand, description: `An id that begins with ${prefix}_` })
  )
  return madeQuickly(schema, (text: string) => pattern.test(text))
}

export const RunId = id("run", "RunId")
export type RunId = typeof RunId.Type
/** Of a request to which the client gave no id of its own. */
export const RequestId = id("req", "RequestId")
export type RequestId = typeof RequestId.Type
export const AttemptId = id("att", "AttemptId")
export type AttemptId = typeof AttemptId.Type
export const ReceiptId = id("rcp", "ReceiptId")
export type ReceiptId = typeof ReceiptId.Type
export const LedgerEntryId = id("led", "LedgerEntryId")
export type LedgerEntryId = typeof LedgerEntryId.Type
export const TopUpId = id("top", "TopUpId")
export type TopUpId = typeof TopUpId.Type
export const CapabilityRequestId = id("cap", "CapabilityRequestId")
export type CapabilityRequestId = typeof CapabilityRequestId.Type
export const TokenId = id("tok", "TokenId")
export type TokenId = typeof TokenId.Type
export const WorkspaceId = id("ws", "WorkspaceId")
export type WorkspaceId = typeof WorkspaceId.Type
export const ConnectionId = id("con", "ConnectionId")
export type ConnectionId = typeof ConnectionId.Type
export const ApprovalId = id("apr", "ApprovalId")
export type ApprovalId = typeof ApprovalId.Type
export const ProposalId = id("prp", "ProposalId")
export type ProposalId = typeof ProposalId.Type
export const AuditEntryId = id("aud", "AuditEntryId")
export type AuditEntryId = typeof AuditEntryId.Type
export const MemberId = id("mem", "MemberId")
export type MemberId = typeof MemberId.Type
export const SessionId = id("ses", "SessionId")
export type SessionId = typeof SessionId.Type
export const MediaId = id("med", "MediaId")
export type MediaId = typeof MediaId.Type

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const codes = Array.from(alphabet, (letter) => letter.charCodeAt(0))
const timeLetters = 10
/** Of the suffix that is being made: it becomes a string at once, and a new list for each would be garbage. */
const letters = Array.from({ length: 26 }, () => 0)

/** The suffix of an id: 10 characters of time, then 16 of randomness from 10 bytes. */
export const suffix = (millis: number, random: Uint8Array): string => {
  // Made a string at the end: one that grows letter by letter is a chain of 26 strings in memory.
  for (let rest = Math.max(0, Math.floor(millis)), i = timeLetters - 1; i >= 0; i--, rest = Math.floor(rest / 32))
    letters[i] = codes[rest % 32] ?? 0
  let at = timeLetters
  let bits = 0
  let held = 0
  for (let i = 0; i < 10; i++) {
    held = ((held << 8) | (random[i] ?? 0)) & 0x1fff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      letters[at++] = codes[(held >> bits) & 31] ?? 0
    }
  }
  return String.fromCharCode(...letters)
}

/** The least run id that a clock makes at this time. */
export const firstRunIdAt = (millis: number): RunId => RunId.make(`run_${suffix(millis, new Uint8Array(10))}`)

/** The time of the clock that made the id. */
const millisOf = (id: RunId | RequestId): number =>
  Array.from(id.slice(4, 4 + timeLetters)).reduce((millis, digit) => millis * 32 + alphabet.indexOf(digit), 0)

export const millisOfRunId: (runId: RunId) => number = millisOf

/** The ids that a run of this request can have: one node makes both, and the run's soon after the request's. */
export const runIdsOfRequest = (requestId: RequestId): { readonly from: RunId; readonly before: RunId } => {
  const millis = millisOf(requestId)
  return { from: firstRunIdAt(millis), before: firstRunIdAt(millis + runAfterRequestMillisMax) }
}
