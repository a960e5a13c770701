/**
 * The gateway's engine and the model, driven by the same random commands over several workspaces: each answer must be
 * the one that the model foretells, and after each command every balance, hold, count and month must be the model's,
 * with no drift.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Either, FastCheck, type Layer, type Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { currentLimits } from "../../src/domain/CurrentLimits.js"
import type { RunId, WorkspaceId } from "../../src/domain/Ids.js"
import type { JsonObject } from "../../src/domain/Json.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import { ProviderError } from "../../src/domain/RunFailures.js"
import { scopes } from "../../src/domain/Scope.js"
import { drop, fail, hit, miss, type Step } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { type CreatedRun, Runs } from "../../src/services/Runs.js"
import { type Spender, Wallet } from "../../src/services/Wallet.js"
import type { engine } from "../support/engine.js"
import { requestOf, type Storage } from "../support/engine.js"
import * as Model from "./Model.js"
import type { ProvidersByCase } from "./support/ProvidersByCase.js"
import type { SetClock } from "../support/setClock.js"

const day = 86_400_000
const workspaces = 3
/** Of each workspace: one token without a limit, and one with. */
const limitsOfTokens = [null, 40_000] as const
const start = Date.UTC(2026, 0, 20)

const workspace = FastCheck.nat(workspaces - 1)
const tokenOf = FastCheck.nat(limitsOfTokens.length - 1)
const which = FastCheck.nat(1_000)
const tool = FastCheck.constantFrom<Model.Tool>("find", "find", "send", "search", "geocode", "unknown")
const volume = FastCheck.oneof(FastCheck.integer({ min: 1, max: 60 }), FastCheck.constantFrom(0, 100, 101))
const answerNames = Object.keys(Model.answers).filter((name): name is Model.Answer => name in Model.answers)
const limitOf = (max: number) => FastCheck.option(FastCheck.nat(max))

const wish = FastCheck.record({
  workspace,
  token: tokenOf,
  key: FastCheck.nat(12),
  tool,
  volume,
  answer: FastCheck.constantFrom(...answerNames),
  slow: FastCheck.boolean()
})
const command = FastCheck.oneof(
  { weight: 8, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Run" as const), wish }) },
  { weight: 2, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Everywhere" as const), wish }) },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Burst" as const),
      wish,
      count: FastCheck.integer({ min: 2, max: 12 }),
      oneKey: FastCheck.boolean()
    })
  },
  { weight: 3, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Answer" as const), which }) },
  { weight: 3, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Cancel" as const), which }) },
  { weight: 2, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Replay" as const), which }) },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Resolve" as const),
      which,
      verdict: FastCheck.constantFrom<Model.Verdict>("charged", "released", "partly_charged"),
      part: FastCheck.nat(12_000)
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({ _tag: FastCheck.constant("Quote" as const), workspace, token: tokenOf, tool, volume })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Credit" as const),
      workspace,
      micros: FastCheck.integer({ min: -30_000, max: 60_000 })
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Limits" as const),
      workspace,
      inflightLimit: FastCheck.integer({ min: 1, max: 10 }),
      runCap: limitOf(20_000),
      runsPerMinute: FastCheck.option(FastCheck.integer({ min: 1, max: 12 }))
    })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Clock" as const),
      days: FastCheck.constantFrom(1, 12, 31, -12, -40)
    })
  },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Pass" as const),
      seconds: FastCheck.constantFrom(1, 3, 61)
    })
  },
  { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Revoke" as const), workspace, token: tokenOf }) }
)
type Command = typeof command extends FastCheck.Arbitrary<infer A> ? A : never
type Wish = Extract<Command, { _tag: "Run" }>["wish"]
export const commands = FastCheck.array(command, { minLength: 5, maxLength: 45, size: "max" })

const steps: { readonly [Answer in Model.Answer]: Step } = {
  "hit for 0": hit(undefined, { costMicros: 0 }),
  "hit for 1": hit(undefined, { costMicros: 1 }),
  "hit for 1,234": hit(undefined, { costMicros: 1_234 }),
  "hit above the hold": hit(undefined, { costMicros: 1e12 }),
  "hit for less than nothing": hit(undefined, { costMicros: -7 }),
  "hit for no number": hit(undefined, { costMicros: "NaN" }),
  miss: miss(),
  failure: fail(new ProviderError({})),
  "failure for 300": fail(new ProviderError({}), { costMicros: 300 }),
  lost: drop()
}

const endpoints: { readonly [Tool in Model.Tool]: readonly [string, (name: string, volume: number) => JsonObject] } = {
  find: ["mock-email-find", (name) => ({ name: "Ada Example", domain: name })],
  send: ["mock-send-message", (name) => ({ to: "ada@example.com", text: name })],
  search: ["mock-web-search", (name, limit) => ({ query: name, limit })],
  geocode: ["mock-geocode", (name) => ({ address: name })],
  unknown: ["no-such-endpoint", (name) => ({ name })]
}

const tell = ({ chargeMicros, holdMicros, status }: Run): Model.Told => [status, holdMicros, chargeMicros]
/** The particulars of an error that the model foretells. */
const particulars = (error: object): Model.Told => {
  const read = (name: string): ReadonlyArray<number> =>
    Object.entries(error).flatMap(([field, value]) => (field === name && typeof value === "number" ? [value] : []))
  const tag = "_tag" in error ? String(error._tag) : "?"
  switch (tag) {
    case "run_rate_limited":
      return [tag, ...read("limit")]
    case "too_many_inflight_runs":
      return [tag, ...read("inflight"), ...read("limit")]
    case "insufficient_balance":
      return [tag, ...read("balanceMicros"), ...read("estimatedCostMicros")]
    default:
      return [tag]
  }
}
const orRefused = <E extends object, R>(told: Effect.Effect<Model.Told, E, R>): Effect.Effect<Model.Told, never, R> =>
  Effect.map(
    Effect.either(told),
    Either.match({ onLeft: (error): Model.Told => ["refused", ...particulars(error)], onRight: (right) => right })
  )

interface Real {
  readonly workspaces: ReadonlyArray<WorkspaceId>
  readonly tokens: ReadonlyArray<Spender & { readonly token: Redacted.Redacted<string> }>
  readonly runs: Map<string, { readonly workspaceId: WorkspaceId; readonly runId: RunId }>
  readonly gates: Map<string, Deferred.Deferred<void>>
}

export type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Reconciliation | Storage

let simulations = 0

export const simulate =
  (providers: ProvidersByCase, clock: SetClock) =>
  (sequence: ReadonlyArray<Command>): Effect.Effect<void, unknown, Services> =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const reconciliation = yield* Reconciliation
      const runs = yield* Runs
      const wallet = yield* Wallet
      const prefix = `s${simulations++}`
      let names = 0

      clock.set(start)
      const made = yield* Effect.forEach(
        Array.from({ length: workspaces }, (_, index) => index),
        (index) =>
          Effect.gen(function* () {
            const { workspaceId } = yield* accounts.createWorkspace(`${prefix} workspace ${index}`, commandLine)
            const tokens = yield* Effect.forEach(limitsOfTokens, (limit) =>
              accounts.createToken(
                {
                  workspaceId,
                  label: "test",
                  scopes: [...scopes],
                  monthlyLimitMicros: limit === null ? null : Micros.make(limit),
                  expiresAt: null
                },
                commandLine
              )
            )
            return { workspaceId, tokens }
          })
      )
      const real: Real = {
        workspaces: made.map(({ workspaceId }) => workspaceId),
        tokens: made.flatMap(({ tokens, workspaceId }) => tokens.map((token) => ({ ...token, workspaceId }))),
        runs: new Map(),
        gates: new Map()
      }
      let world: Model.World = {
        now: start,
        workspaces: made.map(() => ({
          available: 0,
          reserved: 0,
          inflight: 0,
          inflightLimit: 8,
          runCap: null,
          runsPerMinute: null,
          minuteStartedAt: 0,
          minuteCount: 0
        })),
        tokens: made.flatMap((_, index) =>
          limitsOfTokens.map((limit) => ({ workspace: index, limit, month: "", spent: 0, revoked: false }))
        ),
        runs: []
      }

      const tokenAt = (index: number, token: number) => index * limitsOfTokens.length + token
      const orderOf = (wanted: Wish, changes: Partial<Model.Order> = {}): Model.Order => {
        const name = `${prefix}-${names++}.example`
        return { ...wanted, token: tokenAt(wanted.workspace, wanted.token), key: `key ${wanted.key}`, name, ...changes }
      }
      const prepare = (order: Model.Order) =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          if (!order.slow) yield* Deferred.succeed(gate, undefined)
          real.gates.set(order.name, gate)
          providers.script(order.name, [steps[order.answer]], Deferred.await(gate))
        })
      /** What the answer says is left is what a reader of the limits is told, when nothing else happens. */
      const saysWhatIsLeft = Effect.fnUntraced(function* (principal: Principal, { left, replayed }: CreatedRun) {
        const { now, spends, walletState } = yield* wallet.read(principal)
        const { balance, key } = currentLimits(walletState, spends, now)
        if (left !== null || !replayed)
          assert.deepStrictEqual(left, { balanceMicros: balance.availableMicros, keyMicros: key.remainingMicros })
      })
      const send = (order: Model.Order, alone: boolean): Effect.Effect<Model.Told, never> =>
        orRefused(
          Effect.gen(function* () {
            const principal = yield* accounts.authenticate(real.tokens[order.token]!.token)
            const [endpointId, input] = endpoints[order.tool]
            const answered = yield* runs.create(
              principal,
              requestOf(endpointId, { input: input(order.name, order.volume), idempotencyKey: order.key }),
              order.slow ? 0 : 20
            )
            real.runs.set(order.name, answered.run)
            if (alone) yield* saysWhatIsLeft(principal, answered)
            return [answered.replayed ? "replayed" : "created", ...tell(answered.run)]
          })
        )
      /**
       * Sends orders at once whose order of arrival makes no difference but for who is first: those that got in are
       * told to the model first.
       */
      const together = (orders: ReadonlyArray<Model.Order>) =>
        Effect.gen(function* () {
          yield* Effect.forEach(orders, prepare)
          const told = yield* Effect.forEach(
            orders,
            (order) => Effect.map(send(order, orders.length === 1), (answer) => ({ order, answer })),
            { concurrency: "unbounded" }
          )
          const rank = ({ answer: [word] }: (typeof told)[number]) =>
            ["created", "replayed", "refused"].indexOf(String(word))
          for (const { answer, order } of told.sort((a, b) => rank(a) - rank(b))) {
            const [foretold, after] = Model.run(world, order)
            assert.deepStrictEqual(answer, foretold, order.name)
            world = after
          }
        })
      const chosen = (index: number) => (world.runs.length === 0 ? null : index % world.runs.length)
      const read = (index: number) => {
        const key = real.runs.get(world.runs[index]!.order.name)!
        return runs.get(key.workspaceId, key.runId)
      }
      const ended = (index: number) =>
        Effect.repeat(Effect.zipRight(Effect.yieldNow(), read(index)), {
          until: ({ run }) => run.status !== "running" && run.status !== "queued",
          times: 5_000
        })

      const perform = (each: Command): Effect.Effect<void, unknown> =>
        Effect.gen(function* () {
          switch (each._tag) {
            case "Run":
              return yield* together([orderOf(each.wish)])
            case "Everywhere":
              return yield* together(world.workspaces.map((_, index) => orderOf({ ...each.wish, workspace: index })))
            case "Burst": {
              // Slow ones: what ends during the burst would make room for others of it, or not.
              const first = orderOf(each.wish, { slow: true })
              return yield* together(
                Array.from({ length: each.count }, (_, index) =>
                  each.oneKey ? first : orderOf(each.wish, { slow: true, key: `${first.name} ${index}` })
                )
              )
            }
            case "Replay": {
              const index = chosen(each.which)
              if (index === null) return
              const { order } = world.runs[index]!
              const [foretold] = Model.run(world, order)
              return assert.deepStrictEqual(yield* send({ ...order, slow: true }, true), foretold)
            }
            case "Answer": {
              const open = world.runs.flatMap(({ status }, index) => (status === "running" ? [index] : []))
              const index = open[each.which % Math.max(1, open.length)]
              if (index === undefined) return
              yield* Deferred.succeed(real.gates.get(world.runs[index]!.order.name)!, undefined)
              world = Model.answer(world, index)
              return assert.deepStrictEqual(tell((yield* ended(index)).run), Model.tell(world.runs[index]!))
            }
            case "Cancel": {
              const index = chosen(each.which)
              if (index === null) return
              const key = real.runs.get(world.runs[index]!.order.name)!
              world = Model.cancel(world, index)
              return assert.deepStrictEqual(
                tell((yield* runs.cancel(key.workspaceId, key.runId)).run),
                Model.tell(world.runs[index]!)
              )
            }
            case "Resolve": {
              const uncertain = world.runs.flatMap(({ status }, index) =>
                status === "reconciliation_pending" ? [index] : []
              )
              const index = uncertain.length > 0 ? uncertain[each.which % uncertain.length]! : chosen(each.which)
              if (index === null) return
              const { runId } = real.runs.get(world.runs[index]!.order.name)!
              const [foretold, after] = Model.resolve(world, index, each.verdict, each.part)
              const resolution = {
                runId,
                verdict: each.verdict,
                chargeMicros: each.verdict === "partly_charged" ? Micros.make(each.part) : null,
                reason: "a person says so"
              }
              const told = yield* orRefused(
                Effect.map(reconciliation.resolve(resolution, commandLine), (done) =>
                  done._tag === "Settled" ? tell(done.detail.run) : assert.fail("two people were asked for")
                )
              )
              world = after
              return assert.deepStrictEqual(told, foretold)
            }
            case "Quote": {
              const token = tokenAt(each.workspace, each.token)
              if (world.tokens[token]!.revoked) return
              const principal = yield* accounts.authenticate(real.tokens[token]!.token)
              const [endpointId, input] = endpoints[each.tool]
              const quote = yield* runs.quote(
                principal,
                requestOf(endpointId, { input: input("quoted.example", each.volume) })
              )
              const limits = {
                run_cap: "run_cap",
                runs_per_minute: "run_rate_limited",
                inflight: "too_many_inflight_runs",
                key_month: "key_spend_limit_reached",
                balance: "insufficient_balance"
              }
              const told = [
                quote.holdMicros,
                ...quote.limits.filter(({ admits }) => !admits).map(({ limit }) => limits[limit])
              ]
              return assert.deepStrictEqual(told, Model.quote(world, each.workspace, token, each.tool, each.volume))
            }
            case "Credit": {
              const credit = {
                workspaceId: real.workspaces[each.workspace]!,
                kind: "adjustment",
                micros: each.micros,
                reason: null,
                topUpId: null,
                key: `credit ${names++}`
              } as const
              const [foretold, after] = Model.credit(world, each.workspace, each.micros)
              const told = yield* orRefused(
                Effect.map(wallet.credit(credit, commandLine), ({ availableMicros }): Model.Told => [availableMicros])
              )
              world = after
              assert.deepStrictEqual(told, foretold)
              if (foretold[0] !== "refused") yield* wallet.credit(credit, commandLine)
              return
            }
            case "Limits": {
              const { inflightLimit, runCap, runsPerMinute } = each
              yield* accounts.setLimits(
                real.workspaces[each.workspace]!,
                {
                  inflightLimit,
                  runsPerMinute,
                  runCapMicros: runCap === null ? null : Micros.make(runCap)
                },
                commandLine
              )
              world = Model.limits(world, each.workspace, { inflightLimit, runCap, runsPerMinute })
              return
            }
            case "Revoke": {
              const token = tokenAt(each.workspace, each.token)
              yield* accounts.revokeToken(real.tokens[token]!.tokenId, commandLine)
              world = Model.revoke(world, token)
              return
            }
            case "Clock": {
              world = Model.clock(world, world.now + each.days * day)
              return clock.set(world.now)
            }
            case "Pass": {
              // Heartbeats, looks into the queue and take-overs come due, and may change nothing.
              world = Model.clock(world, world.now + each.seconds * 1_000)
              return yield* clock.pass(each.seconds * 1_000)
            }
          }
        })

      const compare = Effect.gen(function* () {
        const told = yield* Effect.forEach(real.workspaces, (workspaceId) =>
          Effect.map(wallet.balance(workspaceId), ({ availableMicros, reservedMicros }) => ({
            available: Number(availableMicros),
            reserved: Number(reservedMicros)
          }))
        )
        assert.deepStrictEqual(
          told,
          world.workspaces.map(({ available, reserved }) => ({ available, reserved }))
        )
        const spent = yield* Effect.forEach(real.tokens, (token) =>
          Effect.map(accounts.monthSpend(token), ({ spentMicros }) => Number(spentMicros))
        )
        assert.deepStrictEqual(
          spent,
          world.tokens.map((_, index) => Model.spendAt(world, index).spent)
        )
        for (const [index, { limit }] of world.tokens.entries())
          if (limit !== null) assert.isAtMost(spent[index]!, limit)
        world.workspaces.forEach(({ available, inflight, reserved }, index) => {
          const own = world.runs.filter(({ order }) => order.workspace === index)
          assert.isTrue(
            available >= 0 &&
              reserved === own.filter(({ charge }) => charge === null).reduce((total, { hold }) => total + hold, 0)
          )
          assert.strictEqual(inflight, own.filter(({ status }) => status === "running").length)
        })
        // Recomputes balances, holds and in-flight counts from ledger entries and runs.
        const { difference, driftMicros } = yield* wallet.verify
        assert.deepStrictEqual([driftMicros, difference], [0, null])
      })

      for (const each of sequence) yield* Effect.zipRight(perform(each), compare)
      // Nothing may stay open: every gate is opened, every uncertain run resolved.
      while (world.runs.some(({ status }) => status === "running")) yield* perform({ _tag: "Answer", which: 0 })
      while (world.runs.some(({ status }) => status === "reconciliation_pending"))
        yield* perform({ _tag: "Resolve", which: 0, verdict: "released", part: 0 })
      yield* compare
      for (const index of world.runs.keys()) {
        const { attempts, run } = yield* read(index)
        assert.deepStrictEqual(tell(run), Model.tell(world.runs[index]!))
        assert.strictEqual(
          attempts.reduce((total, { costMicros }) => total + (costMicros ?? 0), 0),
          Number(run.chargeMicros)
        )
        assert.isAtMost(providers.calls(world.runs[index]!.order.name), 1)
      }
    })
