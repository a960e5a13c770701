/**
 * What a payment processor may report: five times at once, over two nodes, and in any order. Each payment credits once.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { TopUpsPg } from "../../src/layers/postgres/TopUpsPg.js"
import { WalletDefaults } from "../../src/layers/accounts/WalletDefaults.js"
import { WalletPg } from "../../src/layers/postgres/WalletPg.js"
import { OffSessionPayments } from "../../src/services/OffSessionPayments.js"
import { Payments } from "../../src/services/Payments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { audit } from "../stage/Audit.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { type Stage, whileStorageReturns } from "../stage/Stage.js"

export const usd = (amount: number) => Micros.make(amount * 1_000_000)
const policy = {
  enabled: true,
  minimumMicros: usd(5),
  suggestedMicros: usd(20),
  maximumMicros: usd(1_000),
  dashboardUrl: () => "http://gateway.invalid/docs"
}

const paying = Layer.succeed(
  Payments,
  Payments.of({
    configured: true,
    createCheckout: ({ topUpId }) => Effect.succeed({ checkoutUrl: `http://pay.invalid/${topUpId}` })
  })
)

/** No card is charged here. */
const noCards = Layer.succeed(
  OffSessionPayments,
  OffSessionPayments.of({ charge: () => Effect.dieMessage("charged"), find: () => Effect.dieMessage("looked for") })
)

/** The services of one node, on connections of its own. */
export const paymentServices = (url: string) =>
  TopUpsPg(policy).pipe(
    Layer.provide([paying, noCards, WalletPg]),
    Layer.provide(Layer.succeed(WalletDefaults, { inflightLimit: 8 })),
    Layer.provide(IdsCrypto),
    Layer.provide(DatabasePg({ url: Redacted.make(url), connectionsMax: 8 }))
  )

const reports = ["paid", "expired", "paid", "failed", "paid", "paid", "paid"] as const

export const payments = (stage: Stage, topUpCount: number): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const contexts = yield* Effect.all([
        Layer.build(paymentServices(stage.databaseUrl)),
        Layer.build(paymentServices(stage.databaseUrl))
      ])
      const services = contexts.map((context) => ({
        topUps: Context.get(context, TopUps),
        reports: Context.get(context, TopUpReports)
      }))
      const spender = yield* stage.fund(0)
      yield* Effect.forEach(
        Array.from({ length: topUpCount }, (_, index) => index),
        (index) =>
          Effect.gen(function* () {
            const { topUpId } = yield* services[0]!.topUps.request(
              {
                workspaceId: spender.workspaceId,
                operatorWorkspace: false,
                amountMicros: usd(5),
                idempotencyKey: `payment ${index}`,
                saveMethod: false
              },
              commandLine
            )
            // Each top-up has its own order of the same reports, half of them all at once.
            const order = reports.map((_, at) => reports[(at + index) % reports.length]!)
            yield* Effect.forEach(
              order,
              (report, at) => {
                const told = services[at % 2]!.reports
                const one = told.report(
                  report === "paid"
                    ? { _tag: "Paid", topUpId, reference: `pay ${index}`, amountMicros: usd(5), savedMethod: null }
                    : { _tag: "Unpaid", topUpId, status: report, declined: null }
                )
                return Effect.retry(one, whileStorageReturns)
              },
              { concurrency: index % 2 === 0 ? 1 : "unbounded" }
            )
          }),
        { concurrency: 8 }
      )
      const { items } = yield* services[0]!.topUps.list(spender.workspaceId, { limit: 100, after: null })
      findings.hold(
        items.length === Math.min(100, topUpCount) && items.every(({ status }) => status === "paid"),
        "a paid top-up did not stay paid"
      )
      const [row] = yield* stage.rows<{ micros: number }>(
        "select available_micros as micros from wallets where workspace_id = $1",
        [spender.workspaceId]
      )
      findings.hold(
        row?.micros === topUpCount * usd(5),
        `${topUpCount} payments of 5 dollars credited ${row?.micros} micros`
      )
      const { astrayMicros } = yield* audit(stage, findings, [spender])
      return {
        attack: "payment reports, repeated and disordered",
        operations: topUpCount,
        faults: topUpCount * (reports.length - 1),
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  ).pipe(Effect.orDie)
