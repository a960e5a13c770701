import { assert, it } from "@effect/vitest"
import { Either, FastCheck, Option } from "effect"
import { describe } from "vitest"
import { admit, type Spends, type WalletState } from "../../src/domain/Admission.js"
import { post } from "../../src/domain/Ledger.js"
import type { InputPrice } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import { holdsMoney, isInflight, isTerminal, next, runEvents, runStatuses } from "../../src/domain/RunMachine.js"
import type { RunStatus } from "../../src/domain/Run.js"
import { type Closing, costOf, settle } from "../../src/domain/Settlement.js"
import { micros, month, months, price, runId } from "./arbitraries.js"

const m = (amount: number) => Micros.make(amount)
const often = { fastCheck: { numRuns: 2_000 } }

const evidence = FastCheck.oneof(
  FastCheck.constant({ _tag: "None" } as const),
  FastCheck.string().map((reported) => ({ _tag: "Anomaly", reported }) as const),
  FastCheck.oneof(
    FastCheck.double(),
    FastCheck.integer({ min: -10, max: 2_000 }),
    FastCheck.constantFrom(Number.NaN, Infinity, -Infinity, -0, 0.4, 1e300)
  ).map((reported) => ({ _tag: "Reported", micros: reported }) as const),
  FastCheck.record({
    _tag: FastCheck.constant("Reported" as const),
    micros: FastCheck.nat(2_000),
    anomaly: FastCheck.string()
  })
)
const resultCount = FastCheck.option(FastCheck.oneof(FastCheck.nat(50), FastCheck.constant(Number.MAX_SAFE_INTEGER)), {
  nil: null
})

describe("Settlement.costOf", () => {
  it.prop(
    "is always between nothing and the maximum, whatever the provider says",
    [price, FastCheck.boolean(), resultCount, evidence, micros()],
    ([listed, delivered, results, said, maxMicros]) => {
      const cost = costOf({ price: delivered ? listed : null, resultCount: results, evidence: said, maxMicros })
      assert.isTrue(Number.isSafeInteger(cost.micros) && cost.micros >= 0 && cost.micros <= maxMicros)
      if (said._tag === "Reported" && cost.anomaly === null)
        assert.strictEqual(Math.round(said.micros) + 0, cost.micros + 0)
      if (said._tag === "Reported" && "anomaly" in said && said.micros <= maxMicros)
        assert.deepStrictEqual(cost, { micros: m(said.micros), anomaly: said.anomaly })
      if (said._tag === "Anomaly") assert.strictEqual(cost.anomaly, said.reported)
      if (said._tag === "None" && !delivered) assert.deepStrictEqual(cost, { micros: m(0), anomaly: null })
    },
    often
  )

  const perCall: InputPrice = { basis: "per_call", micros: m(100), perCallMicros: m(0) }
  const cost = (changes: Partial<Parameters<typeof costOf>[0]>) =>
    costOf({
      price: perCall,
      resultCount: null,
      evidence: { _tag: "None" },
      maxMicros: m(1_000),
      ...changes
    })

  it("takes the provider's word up to the maximum, and notes what it said beyond", () => {
    assert.deepStrictEqual(cost({ evidence: { _tag: "Reported", micros: 250 } }), { micros: m(250), anomaly: null })
    assert.deepStrictEqual(cost({ evidence: { _tag: "Reported", micros: 1_000 } }), { micros: m(1_000), anomaly: null })
    assert.deepStrictEqual(cost({ evidence: { _tag: "Reported", micros: 1_001 } }), {
      micros: m(1_000),
      anomaly: "1001"
    })
  })

  it.each([
    [-1, "-1"],
    [Number.NaN, "NaN"],
    [Infinity, "Infinity"],
    [-Infinity, "-Infinity"],
    [-0.4, "-0.4"]
  ])("a reported cost of %s costs nothing and is noted", (reported, noted) => {
    assert.deepStrictEqual(cost({ evidence: { _tag: "Reported", micros: reported } }), { micros: m(0), anomaly: noted })
  })

  it("without a word from the provider, the listed price counts for what was delivered", () => {
    assert.strictEqual(Number(cost({}).micros), 100)
    assert.strictEqual(Number(cost({ price: null }).micros), 0)
    assert.strictEqual(Number(cost({ price: { ...perCall, basis: "free" } }).micros), 0)
    const perResult: InputPrice = { basis: "per_result", micros: m(100), perCallMicros: m(7) }
    assert.strictEqual(Number(cost({ price: perResult, resultCount: 3 }).micros), 307)
    assert.strictEqual(Number(cost({ price: perResult, resultCount: 0 }).micros), 7)
    assert.strictEqual(Number(cost({ price: perResult, resultCount: null }).micros), 107)
    assert.deepStrictEqual(cost({ price: perResult, resultCount: 10 }), { micros: m(1_000), anomaly: "1007" })
  })
})

interface World {
  readonly walletState: WalletState
  readonly spends: Spends
  readonly open: ReadonlyArray<{ readonly closing: Closing }>
  readonly credited: number
  readonly charged: number
}

const empty: World = {
  walletState: {
    balance: { availableMicros: m(0), reservedMicros: m(0) },
    inflight: 0,
    inflightLimit: 5,
    runCapMicros: null,
    runsPerMinute: null,
    minuteStartedAt: 0,
    minuteCount: 0,
    minuteRefused: 0
  },
  // The token has no limit of its own, and the one that it comes from has.
  spends: [
    { limitMicros: null, month: months[0], spentMicros: m(0) },
    { limitMicros: m(3_000), month: months[0], spentMicros: m(0) }
  ],
  open: [],
  credited: 0,
  charged: 0
}

const operation = FastCheck.oneof(
  FastCheck.record({ _tag: FastCheck.constant("Credit" as const), amount: FastCheck.nat(2_000) }),
  FastCheck.record({ _tag: FastCheck.constant("Admit" as const), holdMicros: FastCheck.nat(600), month }),
  FastCheck.record({
    _tag: FastCheck.constant("Settle" as const),
    which: FastCheck.nat(9),
    event: FastCheck.constantFrom(...runEvents),
    costMicros: FastCheck.nat(900)
  })
)
type Step = typeof operation extends FastCheck.Arbitrary<infer A> ? A : never

const step = (world: World, done: Step, at: number): World => {
  switch (done._tag) {
    case "Credit": {
      const posted = Either.getOrThrow(
        post(world.walletState.balance, {
          kind: "top_up",
          micros: done.amount,
          runId: null,
          topUpId: null,
          reason: null
        })
      )
      return {
        ...world,
        walletState: { ...world.walletState, balance: posted.balance },
        credited: world.credited + done.amount
      }
    }
    case "Admit": {
      const admitted = admit(world.walletState, world.spends, {
        runId: runId(at),
        holdMicros: m(done.holdMicros),
        now: at,
        month: done.month
      })
      if (Either.isLeft(admitted)) return world
      const { month: spendMonth, spends, walletState } = admitted.right
      const closing: Closing = {
        runId: runId(at),
        status: "queued",
        holdMicros: m(done.holdMicros),
        spendMonth,
        event: "Claimed",
        costMicros: m(0),
        reason: null
      }
      return { ...world, spends, walletState, open: [...world.open, { closing }] }
    }
    case "Settle": {
      const chosen = world.open[done.which % Math.max(1, world.open.length)]
      if (chosen === undefined) return world
      const settled = settle(world.walletState, world.spends, {
        ...chosen.closing,
        event: done.event,
        costMicros: m(done.costMicros)
      })
      if (Either.isLeft(settled)) {
        assert.strictEqual(settled.left._tag, "WrongState")
        assert.isTrue(Option.isNone(next(chosen.closing.status, done.event)))
        return world
      }
      const { chargeMicros, spends, walletState, status } = settled.right
      const others = world.open.filter((each) => each !== chosen)
      return {
        ...world,
        spends,
        walletState,
        open: isTerminal(status) ? others : [...others, { closing: { ...chosen.closing, status } }],
        charged: world.charged + (chargeMicros ?? 0)
      }
    }
  }
}

const assertSound = ({ charged, credited, open, spends, walletState }: World): void => {
  const { availableMicros, reservedMicros } = walletState.balance
  assert.strictEqual(availableMicros + reservedMicros + charged, credited)
  assert.strictEqual(
    open.reduce((total, { closing }) => total + closing.holdMicros, 0),
    Number(reservedMicros)
  )
  assert.strictEqual(open.filter(({ closing }) => isInflight(closing.status)).length, walletState.inflight)
  for (const { spentMicros } of spends) assert.isAtMost(spentMicros, 3_000)
  assert.strictEqual(spends[0].spentMicros, spends[1]?.spentMicros)
}

describe("Settlement.settle", () => {
  it.prop(
    "over any sequence of credits, admissions and endings, no micro is lost, doubled or spent past a limit",
    [FastCheck.array(operation, { maxLength: 60 })],
    ([sequence]) => {
      let world = empty
      sequence.forEach((each, at) => {
        world = step(world, each, at)
        assertSound(world)
      })
    },
    { fastCheck: { numRuns: 500 } }
  )

  const held = (
    status: RunStatus,
    holdMicros: number,
    event: Closing["event"],
    costMicros: number,
    spendMonth = "2026-01"
  ) => {
    const walletState: WalletState = {
      ...empty.walletState,
      inflight: 1,
      balance: { availableMicros: m(50), reservedMicros: m(holdMicros) }
    }
    const spends: Spends = [{ limitMicros: null, month: "2026-01", spentMicros: m(holdMicros) }]
    return settle(walletState, spends, {
      runId: runId(1),
      status,
      holdMicros: m(holdMicros),
      spendMonth,
      event,
      costMicros: m(costMicros),
      reason: null
    })
  }

  it.prop(
    "charges at most the hold, releases all of it, and gives back to the month what was not spent",
    [FastCheck.nat(500), FastCheck.nat(900)],
    ([hold, costs]) => {
      const settled = Either.getOrThrow(held("running", hold, "Completed", costs))
      const charge = Math.min(hold, costs)
      assert.strictEqual(Number(settled.chargeMicros), charge)
      assert.strictEqual(
        settled.postings.reduce((total, { amountMicros }) => total + amountMicros, 0),
        hold - charge
      )
      assert.strictEqual(Number(settled.walletState.balance.availableMicros), 50 + hold - charge)
      assert.strictEqual(Number(settled.walletState.balance.reservedMicros), 0)
      assert.strictEqual(Number(settled.spends[0].spentMicros), charge)
      assert.strictEqual(settled.walletState.inflight, 0)
      assert.isTrue(settled.postings.every(({ amountMicros }) => amountMicros !== 0))
    }
  )

  it("an uncertain run keeps its hold and its place in the month, and frees its place in flight", () => {
    const settled = Either.getOrThrow(held("running", 100, "Uncertain", 70))
    assert.deepInclude(settled, { status: "reconciliation_pending", chargeMicros: null, postings: [] })
    assert.strictEqual(settled.walletState.inflight, 0)
    assert.strictEqual(Number(settled.walletState.balance.reservedMicros), 100)
    assert.strictEqual(Number(settled.spends[0].spentMicros), 100)
  })

  it("a person's word settles an uncertain run without counting its place in flight again", () => {
    const settled = Either.getOrThrow(held("reconciliation_pending", 100, "ResolvedCharged", 70))
    assert.strictEqual(settled.status, "completed")
    assert.strictEqual(Number(settled.chargeMicros), 70)
    assert.strictEqual(settled.walletState.inflight, 1)
  })

  it("a run that a node takes moves no money and keeps its place in flight", () => {
    const taken = Either.getOrThrow(held("queued", 100, "Claimed", 0))
    assert.deepInclude(taken, { status: "running", chargeMicros: null, postings: [] })
    assert.strictEqual(taken.walletState.inflight, 1)
  })

  it("a hold of an earlier month leaves this month's spend as it is", () => {
    const settled = Either.getOrThrow(held("running", 100, "Completed", 30, "2025-12"))
    assert.strictEqual(Number(settled.spends[0].spentMicros), 100)
  })

  it("settles only what the machine allows, so that settling twice moves nothing", () => {
    for (const status of runStatuses) {
      for (const event of runEvents)
        assert.strictEqual(
          Either.isRight(held(status, 10, event, 5)),
          Option.isSome(next(status, event)),
          `${status} ${event}`
        )
      if (!holdsMoney(status)) assert.isTrue(runEvents.every((event) => Either.isLeft(held(status, 10, event, 5))))
    }
  })

  it("refuses to release a hold that the wallet does not have", () => {
    const walletState: WalletState = {
      ...empty.walletState,
      balance: { availableMicros: m(1_000), reservedMicros: m(9) }
    }
    const settled = settle(walletState, empty.spends, {
      runId: runId(1),
      status: "running",
      holdMicros: m(10),
      spendMonth: months[0],
      event: "Completed",
      costMicros: m(0),
      reason: null
    })
    assert.isTrue(Either.isLeft(settled) && settled.left._tag === "HoldMissing")
  })
})
