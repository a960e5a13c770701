/**
 * Login approvals over any rows. A decision and the token that comes of it are written together. A token that a person
 * approved has no parent. One that a token approved is its child (domain/TokenLine). A denied one is the same but born
 * revoked, so that its client hears of it.
 */
import { Clock, Effect, Redacted } from "effect"
import { createHash, createHmac, randomBytes, randomInt } from "node:crypto"
import { type Actor, memberActing } from "../../../domain/AuditEntry.js"
import { Forbidden, NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import { ApprovalId, type MemberId, TokenId } from "../../../domain/Ids.js"
import {
  decisionProblem,
  digestPattern,
  type LoginDecision,
  loginStatus,
  missingScope,
  showUserCode,
  userCodeAlphabet,
  userCodeLength
} from "../../../domain/LoginApproval.js"
import { loginMillis } from "../../../domain/limits/Access.js"
import { DeviceRefused, devicePolled, newPolling } from "../../../domain/DeviceGrant.js"
import { memberNoMore } from "../../../domain/Member.js"
import { newTokenProblem, secretBytes, tokenText } from "../../../domain/Token.js"
import { least, lineOf, lineProblem } from "../../../domain/TokenLine.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import { AuditTrail, changed, type Changing, unchanged } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import {
  type DeviceLogin,
  type LoginApproval,
  LoginApprovals,
  type LoginRequest
} from "../../../services/LoginApprovals.js"
import type { DecidedToken, Device, LoginRow, LoginRows } from "./LoginRows.js"

/**
 * How long a login is kept when its time is over, so that a late client hears what became of it. Anybody may begin one,
 * so this also bounds how many are stored.
 */
const keptMillis = 60 * 60_000

const userCode = Effect.sync(() =>
  showUserCode(
    Array.from({ length: userCodeLength }, () => userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length))).join("")
  )
)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const suffixOf = (approvalId: ApprovalId): string => approvalId.slice("apr_".length)

/**
 * The token of a device. It takes the device code, which only the device has, and the salt, which only the storage has,
 * so the token is stored nowhere and can be made again. Its id is that of the login.
 */
const deviceToken = (approvalId: ApprovalId, deviceCode: Redacted.Redacted, salt: string): string =>
  tokenText(
    suffixOf(approvalId),
    createHmac("sha256", Redacted.value(deviceCode)).update(salt).digest().subarray(0, secretBytes)
  )

const decidedToken = (
  { digest, label, scopes, tokenExpiresAt }: LoginRow,
  { approver, person }: { readonly approver: Principal; readonly person: MemberId | null },
  tokenId: TokenId,
  decision: LoginDecision,
  now: number
): DecidedToken => ({
  tokenId,
  workspaceId: approver.workspaceId,
  label,
  scopes,
  // Those of an approving token count, so it needs none of its own.
  monthlyLimitMicros: null,
  ancestors: person === null ? lineOf(approver) : [],
  expiresAt: person === null ? least(tokenExpiresAt, approver.expiresAt) : tokenExpiresAt,
  madeBy: person,
  digest,
  createdAt: now,
  revokedAt: decision === "denied" ? now : null
})

export const loginApprovalsOver = (rows: LoginRows): Effect.Effect<LoginApprovals["Type"], never, AuditTrail | Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const trail = yield* AuditTrail

    const shown = (approvalId: string, row: LoginRow | null) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (row === null) return Effect.fail(new NotFound({ what: "login approval", id: approvalId }))
        const { device: _device, digest: _digest, ...approval } = row
        return Effect.succeed<LoginApproval>({ ...approval, status: loginStatus(row, now) })
      })

    const decide = Effect.fnUntraced(function* <E>(
      approvalId: string,
      approver: Principal,
      by: Actor,
      decision: LoginDecision,
      allowed: Effect.Effect<void, E, Changing>
    ) {
      const person = memberActing(by)
      const now = yield* Clock.currentTimeMillis
      const newSuffix = yield* ids.suffix
      const row = yield* trail.change(
        by,
        Effect.gen(function* () {
          const decided = yield* rows.decide(
            approvalId,
            Effect.fnUntraced(function* (row) {
              yield* allowed
              const problem = decisionProblem(row, decision, now)
              if (problem !== null) return yield* problem
              // The text of a device's token names this id.
              const tokenId = TokenId.make(`tok_${row.device === null ? newSuffix : suffixOf(row.approvalId)}`)
              return loginStatus(row, now) === decision
                ? null
                : { decision, token: decidedToken(row, { approver, person }, tokenId, decision, now) }
            })
          )
          if (decided === null || decided.token === null) return unchanged(decided?.row ?? null)
          const { expiresAt, label, scopes, tokenId } = decided.token
          return changed(decided.row, {
            action: `login.${decision}`,
            subjectId: approvalId,
            workspaceId: approver.workspaceId,
            before: { status: "pending" },
            after: { status: decision, tokenId, label, scopes, expiresAt }
          })
        })
      )
      return yield* shown(approvalId, row)
    })

    /** Stores a new login; false when something of it was used before. */
    const insert = Effect.fnUntraced(function* (
      approvalId: ApprovalId,
      { digest, label, scopes, tokenExpiresAt }: LoginRequest,
      device: Device | null
    ) {
      const now = yield* Clock.currentTimeMillis
      const problem = newTokenProblem({ label, scopes, expiresAt: tokenExpiresAt }, now)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const login: LoginApproval = {
        approvalId,
        userCode: yield* userCode,
        label,
        scopes,
        tokenExpiresAt,
        status: "pending",
        createdAt: now,
        expiresAt: now + loginMillis
      }
      return (yield* rows.insert({ ...login, digest, device }, now - keptMillis)) ? login : null
    })
    const newApprovalId = Effect.map(ids.suffix, (suffix) => ApprovalId.make(`apr_${suffix}`))

    /** All of it is random, so only two equal user codes can make it fail; then it is tried with others. */
    const insertForDevice = (
      request: Pick<LoginRequest, "label" | "scopes">
    ): Effect.Effect<DeviceLogin, ValidationError | StorageError> =>
      Effect.gen(function* () {
        const approvalId = yield* newApprovalId
        const deviceCode = Redacted.make(randomBytes(32).toString("base64url"))
        const salt = randomBytes(32).toString("hex")
        const digest = sha256(deviceToken(approvalId, deviceCode, salt))
        const device = { ...newPolling, digest: sha256(Redacted.value(deviceCode)), salt }
        const login = yield* insert(approvalId, { ...request, digest, tokenExpiresAt: null }, device)
        return login === null ? yield* insertForDevice(request) : { login, deviceCode }
      })

    return LoginApprovals.of({
      create: Effect.fn("LoginApprovals.create")(function* (request) {
        if (!digestPattern.test(request.digest))
          return yield* ValidationError.of("digest", "must be the SHA-256 of a token, as 64 hexadecimal digits")
        const digest = request.digest.toLowerCase()
        const login = yield* insert(yield* newApprovalId, { ...request, digest }, null)
        return login ?? (yield* ValidationError.of("digest", "was used before; make a new token"))
      }),
      createForDevice: Effect.fn("LoginApprovals.createForDevice")(insertForDevice),
      redeem: Effect.fn("LoginApprovals.redeem")(function* (deviceCode: Redacted.Redacted, label: string) {
        const polled = yield* rows.poll(sha256(Redacted.value(deviceCode)), (row, device, now) => {
          if (row.label !== label) return { answer: null, polling: device }
          const { polling, refusal } = devicePolled(row, device, now)
          return { answer: { row, device, refusal }, polling }
        })
        if (polled === null) return yield* new DeviceRefused({ refusal: "invalid_grant" })
        const { device, refusal, row } = polled
        if (refusal !== null) return yield* new DeviceRefused({ refusal })
        return {
          token: Redacted.make(deviceToken(row.approvalId, deviceCode, device.salt)),
          scopes: row.scopes,
          expiresAt: row.tokenExpiresAt
        }
      }),
      byUserCode: (userCode) => Effect.flatMap(rows.byUserCode(userCode), (row) => shown(row?.approvalId ?? "", row)),
      get: (approvalId) => Effect.flatMap(rows.get(approvalId), (row) => shown(approvalId, row)),
      approve: Effect.fn("LoginApprovals.approve")(function* (approvalId: string, approver: Principal, by: Actor) {
        const { scopes } = yield* Effect.flatMap(rows.get(approvalId), (row) => shown(approvalId, row))
        const scope = missingScope(scopes, approver.scopes)
        if (scope !== null) return yield* new Forbidden({ scope })
        const tooLong = lineProblem(approver)
        if (tooLong !== null) return yield* tooLong
        const person = memberActing(by)
        const allowed =
          person === null
            ? Effect.void
            : Effect.flatMap(rows.memberStays(person), (stays) => (stays ? Effect.void : Effect.fail(memberNoMore())))
        return yield* decide(approvalId, approver, by, "approved", allowed)
      }),
      deny: Effect.fn("LoginApprovals.deny")((approvalId: string, approver: Principal, by: Actor) =>
        decide(approvalId, approver, by, "denied", Effect.void)
      )
    })
  })
