/** Sign-in links and sessions in the memory storage: the rows of `accounts/members/SessionRows`. */
import { Effect, HashMap, Layer, Option } from "effect"
import type { MemberId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import type { Ids } from "../../services/Ids.js"
import { Sessions } from "../../services/Sessions.js"
import type { SessionRows } from "../accounts/members/SessionRows.js"
import { sessionsOver } from "../accounts/members/SessionsOver.js"
import { sameDigest } from "../accounts/TokenDigest.js"
import { principalOf, withToken } from "./AccountsMemory.js"
import { memberRowsMemory } from "./MembersMemory.js"
import { MemoryStorage, type MemoryState } from "./MemoryStorage.js"

const memberOf = ({ members }: MemoryState, row: { readonly memberId: MemberId } | undefined) =>
  members.find(({ memberId }) => memberId === row?.memberId) ?? null

const linkOf = ({ links }: MemoryState, digest: Uint8Array, now: number) =>
  links.find((link) => sameDigest(link.digest, digest) && link.expiresAt > now)

const rowsMemory = ({ modify, read }: MemoryStorage["Type"]): SessionRows => ({
  insertLink: (link) =>
    modify((state) => [
      undefined,
      { ...state, links: [...state.links.filter(({ expiresAt }) => expiresAt > link.createdAt), link] }
    ]),
  linkedMember: (digest, now) => Effect.map(read, (state) => memberOf(state, linkOf(state, digest, now))),
  takeLink: (digest, now) =>
    modify((state) => {
      const link = linkOf(state, digest, now)
      return [memberOf(state, link), { ...state, links: state.links.filter((other) => other !== link) }]
    }),
  insert: (session) =>
    modify((state) => [
      undefined,
      { ...state, sessions: [...state.sessions.filter(({ expiresAt }) => expiresAt > session.createdAt), session] }
    ]),
  byDigest: (digest, now) =>
    Effect.map(read, (state) => {
      const session = state.sessions.find((row) => sameDigest(row.digest, digest) && row.expiresAt > now)
      const member = memberOf(state, session)
      return session === undefined || member === null ? null : { session, member }
    }),
  extend: (sessionId, expiresAt) =>
    modify((state) => [
      undefined,
      {
        ...state,
        sessions: state.sessions.map((row) => (row.sessionId === sessionId ? { ...row, expiresAt } : row))
      }
    ]),
  endByDigest: (digest) =>
    modify((state) => [
      undefined,
      { ...state, sessions: state.sessions.filter((row) => !sameDigest(row.digest, digest)) }
    ]),
  end: (sessionId) =>
    modify((state) => {
      const sessions = state.sessions.filter((row) => row.sessionId !== sessionId)
      return [sessions.length < state.sessions.length, { ...state, sessions }]
    }),
  endAll: (memberId) =>
    modify((state) => {
      const sessions = state.sessions.filter((row) => row.memberId !== memberId)
      const links = state.links.filter((row) => row.memberId !== memberId)
      return [state.sessions.length - sessions.length, { ...state, links, sessions }]
    }),
  acting: ({ digest, ...token }) =>
    modify((state) => {
      const found = HashMap.findFirst(
        state.tokens,
        ({ memberId, workspaceId }) => memberId === token.memberId && workspaceId === token.workspaceId
      )
      if (Option.isSome(found)) {
        const [, stored] = found.value
        return [stored.revokedAt === null ? principalOf(state, stored) : null, state]
      }
      if (!HashMap.has(state.workspaces, token.workspaceId) || memberOf(state, token) === null) return [null, state]
      const stored = {
        ...token,
        digest: Buffer.from(digest).toString("hex"),
        ancestors: [],
        expiresAt: null,
        monthlyLimitMicros: null,
        operator: false,
        revokedAt: null,
        spend: { month: "", spentMicros: zero }
      }
      const after = withToken(state, stored)
      return [principalOf(after, stored), after]
    })
})

export const SessionsMemory: Layer.Layer<Sessions, never, Ids | MemoryStorage> = Layer.effect(
  Sessions,
  Effect.flatMap(MemoryStorage, (storage) => sessionsOver(rowsMemory(storage), memberRowsMemory(storage)))
).pipe(Layer.provide(AuditTrailMemory))
