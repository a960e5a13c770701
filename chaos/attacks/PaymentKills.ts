/**
 * Signed events of a payment processor, delivered to two nodes over HTTP until each is answered with 200, while one of
 * the nodes is killed again and again. Each payment credits once, and each refund is taken back once.
 */
import { Context, Effect, Fiber, Layer, Option, Ref, Schedule, type Scope } from "effect"
import Stripe from "stripe"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { TopUps } from "../../src/services/TopUps.js"
import { audit } from "../stage/Audit.js"
import { type Findings, makeFindings, type Row } from "../stage/Findings.js"
import type { Node } from "../stage/Nodes.js"
import type { Stage } from "../stage/Stage.js"
import { paymentServices, usd } from "./Payments.js"

interface PaymentKillsSize {
  readonly topUps: number
  readonly kills: number
}

const secret = "whsec_of_the_attack"
const environment = { GATEWAY_STRIPE_SECRET_KEY: "sk_test_attack", GATEWAY_STRIPE_WEBHOOK_SECRET: secret }

const eventOf = (id: string, type: string, object: object): string =>
  JSON.stringify({ id, object: "event", type, livemode: false, data: { object } })

/** The payment and the refund of a top-up, each twice, the refund first. */
const eventsOf = (topUpId: string, workspaceId: string): ReadonlyArray<string> => {
  const reference = `pi_${topUpId}`
  const metadata = { topUpId, workspaceId, automatic: "false" }
  const paid = eventOf(`evt_paid_${topUpId}`, "payment_intent.succeeded", {
    id: reference,
    amount_received: 500,
    currency: "usd",
    metadata
  })
  const refunded = eventOf(`evt_refund_${topUpId}`, "refund.created", {
    id: `re_${topUpId}`,
    amount: 200,
    currency: "usd",
    payment_intent: reference,
    status: "succeeded"
  })
  return [refunded, paid, refunded, paid]
}

/** Delivers until a node has answered 200, as Stripe does. */
const deliver = (serving: () => ReadonlyArray<Node>, body: string, at: number) =>
  Effect.promise(async () => {
    const nodes = serving()
    const node = nodes[at % nodes.length]
    if (node === undefined) return 0
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret })
    const headers = { "content-type": "application/json", "stripe-signature": signature }
    return fetch(`${node.origin}/v1/payments/stripe/webhook`, { method: "POST", headers, body }).then(
      ({ status }) => status,
      () => 0
    )
  }).pipe(
    Effect.repeat({ until: (status) => status === 200, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("60 seconds")
  )

/** Starts a node in the place of the one that was killed, and kills it, again and again. */
const killing = (stage: Stage, findings: Findings, nodes: Map<number, Node>, kills: number) =>
  Effect.forEach(
    Array.from({ length: kills }, (_, index) => index),
    (index): Effect.Effect<void, never, Scope.Scope> =>
      Effect.gen(function* () {
        const node = yield* stage.mortalNode(findings, environment)
        if (Option.isNone(node)) return
        nodes.set(1, node.value)
        yield* Effect.sleep(100 + 70 * index)
        nodes.delete(1)
        yield* node.value.kill
      }),
    { discard: true }
  )

export const paymentKills = (stage: Stage, size: PaymentKillsSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const topUps = Context.get(yield* Layer.build(paymentServices(stage.databaseUrl)), TopUps)
      const spender = yield* stage.fund(0)
      const nodes = new Map<number, Node>([[0, yield* stage.node(findings, environment)]])
      const serving = () => [...nodes.values()]
      const delivered = yield* Ref.make(0)
      const made = yield* Effect.forEach(
        Array.from({ length: size.topUps }, (_, index) => `killed payment ${index}`),
        (idempotencyKey) =>
          topUps.request(
            {
              workspaceId: spender.workspaceId,
              operatorWorkspace: false,
              amountMicros: usd(5),
              idempotencyKey,
              saveMethod: false
            },
            commandLine
          )
      )
      const killer = yield* Effect.forkScoped(killing(stage, findings, nodes, size.kills))
      const send = (body: string, index: number) =>
        Effect.zipRight(
          deliver(serving, body, index),
          Ref.update(delivered, (n) => n + 1)
        )
      const rounds = Effect.forEach(
        made.flatMap(({ topUpId }) => eventsOf(topUpId, spender.workspaceId)),
        send,
        { concurrency: 12, discard: true }
      )
      // The same events go on coming as long as nodes die.
      yield* Effect.repeat(rounds, { until: () => Effect.map(Fiber.poll(killer), Option.isSome) })
      yield* Fiber.join(killer)
      const [row] = yield* stage.rows<{ micros: number; entries: number }>(
        `select w.available_micros as micros,
          (select count(*)::int from ledger_entries e where e.workspace_id = w.workspace_id) as entries
        from wallets w where workspace_id = $1`,
        [spender.workspaceId]
      )
      findings.hold(
        row?.micros === size.topUps * usd(3),
        `${size.topUps} payments of 5 dollars less refunds of 2 left ${row?.micros} micros`
      )
      findings.hold(row?.entries === size.topUps * 2, `${row?.entries} entries for ${size.topUps} payments and refunds`)
      const { astrayMicros } = yield* audit(stage, findings, [spender])
      return {
        attack: "payment events while nodes are killed",
        operations: yield* Ref.get(delivered),
        faults: size.kills,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  ).pipe(Effect.orDie)
