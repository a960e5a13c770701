/** Members in the memory storage: the rows of `accounts/members/MemberRows`. Nothing survives the process. */
import { Array as Arr, Effect, HashMap, Layer } from "effect"
import type { MemberId } from "../../domain/Ids.js"
import { type Member, roleScopes } from "../../domain/Member.js"
import { AccountsMemory } from "./AccountsMemory.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import type { Ids } from "../../services/Ids.js"
import { Members } from "../../services/Members.js"
import type { MemberRows } from "../accounts/members/MemberRows.js"
import { membersOver } from "../accounts/members/MembersOver.js"
import { MemoryStorage, type StoredToken } from "./MemoryStorage.js"

const ofMember =
  (memberId: MemberId) =>
  (row: { readonly memberId: MemberId }): boolean =>
    row.memberId === memberId

/** One transaction runs at a time, so whoever is a member stays one until it ends. */
export const memberStaysMemory =
  ({ read }: MemoryStorage["Type"]): MemberRows["stays"] =>
  (memberId) =>
    Effect.map(read, ({ members }) => members.some(ofMember(memberId)))

export const memberRowsMemory = (storage: MemoryStorage["Type"]): MemberRows => {
  const { modify, read } = storage
  /** Members are stored in the order in which they were added. */
  const found = (wanted: (member: Member) => boolean) => Effect.map(read, ({ members }) => members.filter(wanted))
  const list: MemberRows["list"] = (workspaceId) => found((member) => member.workspaceId === workspaceId)
  const acting =
    (memberId: MemberId, change: (token: StoredToken) => StoredToken) =>
    (tokens: HashMap.HashMap<StoredToken["tokenId"], StoredToken>) =>
      HashMap.map(tokens, (token) => (token.memberId === memberId ? change(token) : token))

  return {
    // One transaction runs at a time.
    lock: (workspaceId) =>
      Effect.flatMap(read, ({ workspaces }) =>
        workspaceId === null || HashMap.has(workspaces, workspaceId) ? list(workspaceId) : Effect.succeed(null)
      ),
    insert: (member) => modify((state) => [undefined, { ...state, members: [...state.members, member] }]),
    update: (member) =>
      modify((state) => [
        undefined,
        {
          ...state,
          members: state.members.map((other) => (other.memberId === member.memberId ? member : other)),
          tokens: acting(member.memberId, (token) => ({
            ...token,
            label: member.name,
            scopes: roleScopes[member.role]
          }))(state.tokens)
        }
      ]),
    remove: (memberId, now) =>
      modify((state) => {
        const others = <Row extends { readonly memberId: MemberId }>(rows: ReadonlyArray<Row>) =>
          Arr.filter(rows, (row) => !ofMember(memberId)(row))
        return [
          undefined,
          {
            ...state,
            members: others(state.members),
            links: others(state.links),
            sessions: others(state.sessions),
            tokens: acting(memberId, (token) => ({ ...token, revokedAt: token.revokedAt ?? now }))(state.tokens)
          }
        ]
      }),
    stays: memberStaysMemory(storage),
    tokensMade: (memberId) =>
      Effect.map(read, ({ tokens }) =>
        Array.from(HashMap.values(tokens))
          .filter(({ madeBy, revokedAt }) => madeBy === memberId && revokedAt === null)
          .map(({ tokenId }) => tokenId)
          .sort()
      ),
    list,
    get: (memberId) => Effect.map(found(ofMember(memberId)), ([member]) => member ?? null),
    ofIdentity: (identity, email) =>
      found(
        (member) =>
          member.identity === identity || (member.identity === null && email !== null && member.email === email)
      )
  }
}

export const MembersMemory: Layer.Layer<Members, never, Ids | MemoryStorage> = Layer.effect(
  Members,
  Effect.flatMap(MemoryStorage, (storage) => membersOver(memberRowsMemory(storage)))
).pipe(Layer.provide([AccountsMemory, AuditTrailMemory]))
