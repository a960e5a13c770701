/** What the audit trail promises, over both storages: one entry for each change, with it or not at all. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Redacted, TestClock } from "effect"
import { describe } from "vitest"
import { type Actor, type AuditRecord, commandLine, gatewayItself } from "../../src/domain/AuditEntry.js"
import { MemberId, TokenId, type WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { Accounts } from "../../src/services/Accounts.js"
import { AuditTrail, changed, unchanged } from "../../src/services/AuditTrail.js"
import { Wallet } from "../../src/services/Wallet.js"
import type { Storage } from "../support/engine.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const inJune = Date.UTC(2026, 5, 15, 12)
const firstPage = { limit: 100, after: null }

const entriesOf = (workspaceId: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(AuditTrail, (trail) => trail.list({ workspaceId }, firstPage)),
    ({ items }) => items
  )

const actorOf = (workspaceId: WorkspaceId): Actor => ({
  kind: "token",
  tokenId: TokenId.make(`tok_${"1".repeat(26)}`),
  workspaceId,
  from: "192.0.2.7",
  requestId: "req_1"
})

const noted = (workspaceId: WorkspaceId, subjectId: string): AuditRecord => ({
  action: "token.created",
  subjectId,
  workspaceId,
  before: null,
  after: { label: subjectId }
})

export const auditTrailSuite = (name: string, layer: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Storage>) =>
      it.effect(title, () => Effect.provide(Effect.zipRight(TestClock.setTime(inJune), work), layer))

    test(
      "an entry says who, from where, in which request, what, on what, before and after, by the storage's clock",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const by = actorOf(workspaceId)
        yield* accounts.setLimits(workspaceId, { inflightLimit: 3 }, by)
        const [entry] = yield* entriesOf(workspaceId)
        assert.match(entry?.entryId ?? "", /^aud_[0-9a-z]{26}$/)
        assert.deepStrictEqual(
          { ...entry, entryId: "" },
          {
            entryId: "",
            createdAt: inJune,
            actor: by,
            action: "workspace.limits_changed",
            subjectKind: "workspace",
            subjectId: workspaceId,
            workspaceId,
            before: { inflightLimit: null, runCapMicros: null, runsPerMinute: null },
            after: { inflightLimit: 3, runCapMicros: null, runsPerMinute: null }
          }
        )
      })
    )

    test(
      "a credit, a token and its revocation are noted once, also when they are asked for twice",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const wallet = yield* Wallet
        const { name, workspaceId } = yield* newWorkspace
        const credit = {
          workspaceId,
          kind: "adjustment",
          micros: 7,
          reason: "gift",
          topUpId: null,
          key: "gift"
        } as const
        yield* wallet.credit(credit, commandLine)
        yield* wallet.credit(credit, commandLine)
        const { token, tokenId } = yield* accounts.createToken(
          {
            workspaceId,
            label: "server",
            scopes: ["runs:read"],
            monthlyLimitMicros: Micros.make(5),
            expiresAt: inJune + 1000
          },
          commandLine
        )
        yield* accounts.revokeToken(tokenId, commandLine)
        yield* accounts.revokeToken(tokenId, commandLine)
        const entries = yield* entriesOf(workspaceId)
        assert.deepStrictEqual(
          entries.map(({ action, after, before, subjectId }) => ({ action, subjectId, before, after })),
          [
            {
              action: "token.revoked",
              subjectId: tokenId,
              before: { label: "server", revokedAt: null },
              after: { label: "server", revokedAt: inJune }
            },
            {
              action: "token.created",
              subjectId: tokenId,
              before: null,
              after: {
                expiresAt: inJune + 1000,
                label: "server",
                monthlyLimitMicros: 5,
                operator: false,
                scopes: ["runs:read"]
              }
            },
            {
              action: "workspace.credited",
              subjectId: workspaceId,
              before: { availableMicros: 0, reservedMicros: 0 },
              after: {
                availableMicros: 7,
                creditedMicros: 7,
                kind: "adjustment",
                reason: "gift",
                reservedMicros: 0,
                topUpId: null
              }
            },
            { action: "workspace.created", subjectId: workspaceId, before: null, after: { name } }
          ]
        )
        assert.notInclude(JSON.stringify(entries), Redacted.value(token).slice(4))
      })
    )

    test(
      "a change that fails leaves no entry, and one that changes nothing leaves none either",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const trail = yield* AuditTrail
        const wallet = yield* Wallet
        const { workspaceId } = yield* newWorkspace
        const before = yield* entriesOf(workspaceId)
        const refused = { workspaceId, kind: "adjustment", micros: -7, reason: "x", topUpId: null, key: "x" } as const
        assert.isTrue(Exit.isFailure(yield* Effect.exit(wallet.credit(refused, commandLine))))
        yield* accounts.setLimits(workspaceId, {}, commandLine)
        yield* accounts.setPolicy(workspaceId, { reset: true, allow: [], deny: [] }, commandLine)
        yield* trail.change(commandLine, Effect.succeed(unchanged(1)))
        yield* Effect.exit(
          trail.change(
            commandLine,
            Effect.zipRight(trail.write(commandLine, [noted(workspaceId, "a")]), Effect.fail("no"))
          )
        )
        yield* Effect.exit(
          trail.change(
            commandLine,
            Effect.zipRight(
              trail.change(commandLine, Effect.succeed(changed(1, noted(workspaceId, "b")))),
              Effect.dieMessage("no")
            )
          )
        )
        assert.deepStrictEqual(yield* entriesOf(workspaceId), before)
      })
    )

    test(
      "a list is newest first, in pages, and filtered by workspace, action, actor, subject and time",
      Effect.gen(function* () {
        const trail = yield* AuditTrail
        const { workspaceId } = yield* newWorkspace
        const other = yield* newWorkspace
        const member: Actor = {
          kind: "member",
          memberId: MemberId.make(`mem_${"2".repeat(26)}`),
          workspaceId,
          from: null,
          requestId: null
        }
        for (const [at, [actor, subject]] of (
          [
            [gatewayItself, "s1"],
            [member, "s2"],
            [actorOf(workspaceId), "s2"],
            [member, "s3"]
          ] as const
        ).entries()) {
          yield* TestClock.setTime(inJune + 1000 * (at + 1))
          yield* trail.change(actor, Effect.succeed(changed(at, noted(workspaceId, subject))))
        }
        yield* trail.change(member, Effect.succeed(changed(9, noted(other.workspaceId, "s2"))))
        const found = (filter: Parameters<typeof trail.list>[0]) =>
          Effect.map(trail.list(filter, firstPage), ({ items }) => items.map(({ subjectId }) => subjectId))
        assert.deepStrictEqual(yield* found({ workspaceId }), ["s3", "s2", "s2", "s1", workspaceId])
        assert.deepStrictEqual(yield* found({ workspaceId, action: "token.created" }), ["s3", "s2", "s2", "s1"])
        assert.deepStrictEqual(yield* found({ workspaceId, actor: member.memberId }), ["s3", "s2"])
        assert.deepStrictEqual(yield* found({ workspaceId, actor: "gateway" }), ["s1"])
        assert.deepStrictEqual(yield* found({ workspaceId, subjectId: "s2" }), ["s2", "s2"])
        assert.deepStrictEqual(yield* found({ workspaceId, fromMillis: inJune + 2000, toMillis: inJune + 4000 }), [
          "s2",
          "s2"
        ])
        assert.deepStrictEqual(yield* found({ subjectId: workspaceId }), [workspaceId])
        assert.deepStrictEqual(
          yield* found({
            workspaceId,
            action: "token.created",
            actor: member.memberId,
            subjectId: "s2",
            toMillis: inJune + 9000
          }),
          ["s2"]
        )

        const pages: Array<ReadonlyArray<string>> = []
        let after: string | null = null
        do {
          const page: Effect.Effect.Success<ReturnType<typeof trail.list>> = yield* trail.list(
            { workspaceId },
            { limit: 2, after }
          )
          pages.push(page.items.map(({ subjectId }) => subjectId))
          after = page.next
        } while (after !== null)
        assert.deepStrictEqual(pages, [["s3", "s2"], ["s2", "s1"], [workspaceId]])
      })
    )
  })
