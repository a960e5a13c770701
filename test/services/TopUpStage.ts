/**
 * What the suites of top-ups stand on: a processor that opens checkouts, tests over the layers of a storage, and a
 * top-up about which its processor can report.
 */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { type WorkspaceId } from "../../src/domain/Ids.js"
import type { PaidReport, ReversalReport } from "../../src/domain/PaymentReport.js"
import type { BillingPolicy } from "../../src/domain/TopUp.js"
import type { Accounts, NewToken } from "../../src/services/Accounts.js"
import type { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import { OffSessionPayments } from "../../src/services/OffSessionPayments.js"
import { Payments } from "../../src/services/Payments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { billing as policy } from "../support/billing.js"
import { newWorkspace } from "../support/sharedDatabase.js"

export const usd = (amount: number) => Micros.make(Math.round(amount * 1_000_000))

export const paying = Layer.succeed(
  Payments,
  Payments.of({
    configured: true,
    createCheckout: ({ topUpId }) => Effect.succeed({ checkoutUrl: `https://pay.test/${topUpId}` })
  })
)

/** No test that uses this charges a card. */
export const nobodyCharges = Layer.succeed(
  OffSessionPayments,
  OffSessionPayments.of({ charge: () => Effect.dieMessage("charged"), find: () => Effect.dieMessage("looked for") })
)

export type TopUpServices = AutomaticTopUps | TopUps | TopUpReports | Wallet | Accounts
export type MakeTopUps = (policy: BillingPolicy) => Layer.Layer<TopUpServices, never, OffSessionPayments | Payments>
export const workspace = Effect.map(newWorkspace, ({ workspaceId }) => workspaceId)

/** Makes tests over the layers of one storage. */
export const topUpTest =
  (make: MakeTopUps) =>
  (
    title: string,
    work: Effect.Effect<void, unknown, TopUpServices>,
    options: {
      readonly payments?: Layer.Layer<Payments>
      readonly cards?: Layer.Layer<OffSessionPayments>
      readonly policy?: Partial<BillingPolicy>
    } = {}
  ) =>
    it.effect(title, () =>
      Effect.provide(
        work,
        Layer.provide(make({ ...policy, ...options.policy }), [
          options.cards ?? nobodyCharges,
          options.payments ?? paying
        ])
      )
    )

/** A top-up of so many dollars, and what is needed to report about it. */
export const pending = (amount: number, workspaceId?: WorkspaceId) =>
  Effect.gen(function* () {
    const topUps = yield* TopUps
    const wallet = yield* Wallet
    const owner = workspaceId ?? (yield* workspace)
    const { topUpId } = yield* topUps.request(
      {
        workspaceId: owner,
        operatorWorkspace: false,
        amountMicros: usd(amount),
        idempotencyKey: null,
        saveMethod: false
      },
      commandLine
    )
    const { report } = yield* TopUpReports
    const reference = `pi_${topUpId}`
    const paid = (more: Partial<PaidReport> = {}) =>
      report({ _tag: "Paid", topUpId, reference, amountMicros: usd(amount), savedMethod: null, ...more })
    const unpaid = (status: "expired" | "failed") => report({ _tag: "Unpaid", topUpId, status, declined: null })
    /** The processor's names are its own for each refund and dispute: the top-up's id makes them so here. */
    const taken = (
      name: string,
      dollars: number,
      state: ReversalReport["state"] = "taken",
      kind: ReversalReport["kind"] = "refund",
      on = reference
    ) =>
      report({
        _tag: "TakenBack",
        kind,
        objectId: `${name}_${topUpId}`,
        reference: on,
        state,
        amountMicros: usd(dollars)
      })
    const available = Effect.map(wallet.balance(owner), ({ availableMicros }) => availableMicros / 1_000_000)
    /** What the ledger says, oldest first. */
    const entries = Effect.map(wallet.entries(owner, {}, { limit: 100, after: null }), ({ items }) =>
      items
        .map(({ amountMicros, kind, reason }) => [
          kind,
          amountMicros / 1_000_000,
          reason?.replaceAll(/_top_\w+/g, "") ?? null
        ])
        .reverse()
    )
    /** The entries of this top-up alone, oldest first. */
    const own = Effect.map(wallet.entries(owner, { topUpId }, { limit: 100, after: null }), ({ items }) =>
      items.map((entry) => entry.amountMicros / 1_000_000).reverse()
    )
    const status = Effect.map(topUps.list(owner, { limit: 100, after: null }), ({ items }) =>
      items.find((one) => one.topUpId === topUpId)
    )
    return { workspaceId: owner, topUpId, reference, paid, unpaid, taken, available, entries, own, status }
  })

/** What makes a workspace the operator's own. */
export const operatorTokenOf = (workspaceId: WorkspaceId): NewToken => ({
  workspaceId,
  label: "operator",
  scopes: ["catalog:read"],
  monthlyLimitMicros: null,
  expiresAt: null,
  operator: true
})

/** Takes so many dollars off the balance, as runs would. */
export const spend = (workspaceId: WorkspaceId, dollars: number) =>
  Effect.flatMap(Wallet, (wallet) =>
    wallet.credit(
      {
        workspaceId,
        kind: "adjustment",
        micros: Math.round(-dollars * 1_000_000),
        reason: "spent",
        topUpId: null,
        key: `spent ${dollars}`
      },
      commandLine
    )
  )
