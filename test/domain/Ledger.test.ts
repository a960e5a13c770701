import { assert, it } from "@effect/vitest"
import { Either, FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { type Account, type Balance, LedgerKind, post, type Posting, type Transfer } from "../../src/domain/Ledger.js"
import { Micros } from "../../src/domain/Micros.js"
import { micros, runId } from "./arbitraries.js"

const nothing: Balance = { availableMicros: Micros.make(0), reservedMicros: Micros.make(0) }
const balanceOf = (available: number, reserved = 0): Balance => ({
  availableMicros: Micros.make(available),
  reservedMicros: Micros.make(reserved)
})
const transferOf = (kind: LedgerKind, amount: number): Transfer => ({
  kind,
  micros: amount,
  runId: runId(1),
  topUpId: null,
  reason: "why"
})

const kind = FastCheck.constantFrom(...LedgerKind.literals)
const amount = FastCheck.oneof(
  FastCheck.integer({ min: -500, max: 1_000 }),
  FastCheck.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.5)
)
const transfers = FastCheck.array(
  FastCheck.tuple(kind, amount).map(([each, of]) => transferOf(each, of)),
  { maxLength: 40 }
)

/**
 * Every movement is from one account to another, so each account is the sum of what came minus what went. Funding and
 * revenue may pass exact numbers.
 */
const accountsOf = (postings: ReadonlyArray<Posting>): Readonly<Record<Account, bigint>> => {
  const totals: Record<Account, bigint> = { funding: 0n, available: 0n, reserved: 0n, revenue: 0n }
  for (const { amountMicros, credit, debit } of postings) {
    const moved = BigInt(Math.abs(amountMicros))
    totals[debit] -= moved
    totals[credit] += moved
  }
  return totals
}

describe("Ledger", () => {
  it.prop(
    "balances are the sums of the entries, never below zero, and money is only moved",
    [transfers],
    ([sequence]) => {
      const postings: Array<Posting> = []
      let balance = nothing
      for (const transfer of sequence) {
        const posted = post(balance, transfer)
        if (Either.isLeft(posted)) {
          assert.strictEqual(posted.left.balance, balance)
          continue
        }
        balance = posted.right.balance
        postings.push(posted.right.posting)
        assert.isTrue(Schema.is(Micros)(balance.availableMicros) && Schema.is(Micros)(balance.reservedMicros))
        assert.strictEqual(posted.right.posting.balanceAfterMicros, balance.availableMicros)
        assert.strictEqual(posted.right.posting.reservedAfterMicros, balance.reservedMicros)
      }
      assert.strictEqual(
        postings.reduce((total, { amountMicros }) => total + BigInt(amountMicros), 0n),
        BigInt(balance.availableMicros)
      )
      const accounts = accountsOf(postings)
      assert.strictEqual(accounts.available, BigInt(balance.availableMicros))
      assert.strictEqual(accounts.reserved, BigInt(balance.reservedMicros))
      assert.strictEqual(
        Object.values(accounts).reduce((total, each) => total + each, 0n),
        0n
      )
    },
    { fastCheck: { numRuns: 500 } }
  )

  it.prop(
    "a transfer is refused exactly when it would take a balance below zero or beyond exact integers",
    [kind, micros(), micros(), micros()],
    ([which, available, reserved, moved]) => {
      const signs = { top_up: [1, 0], adjustment: [1, 0], hold: [-1, 1], release: [1, -1], charge: [-1, 0] } as const
      const after = [available + signs[which][0] * moved, reserved + signs[which][1] * moved]
      const possible = after.every((each) => each >= 0 && each <= Number.MAX_SAFE_INTEGER)
      assert.strictEqual(Either.isRight(post(balanceOf(available, reserved), transferOf(which, moved))), possible)
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it.each([
    ["top_up", "funding", "available", 5],
    ["adjustment", "funding", "available", 5],
    ["hold", "available", "reserved", -5],
    ["release", "reserved", "available", 5],
    ["charge", "available", "revenue", -5]
  ] as ReadonlyArray<readonly [LedgerKind, Account, Account, number]>)(
    "%s moves money from %s to %s",
    (which, debit, credit, signed) => {
      const posted = Either.getOrThrow(post(balanceOf(10, 10), transferOf(which, 5)))
      assert.deepInclude(posted.posting, {
        kind: which,
        debit,
        credit,
        amountMicros: signed,
        runId: runId(1),
        reason: "why"
      })
    }
  )

  it("an adjustment takes money back, in the other direction; no other kind can be negative", () => {
    const back = Either.getOrThrow(post(balanceOf(10), transferOf("adjustment", -4)))
    assert.deepInclude(back.posting, {
      debit: "available",
      credit: "funding",
      amountMicros: -4,
      balanceAfterMicros: Micros.make(6)
    })
    assert.isTrue(Either.isLeft(post(balanceOf(3), transferOf("adjustment", -4))))
    for (const which of LedgerKind.literals.filter((each) => each !== "adjustment")) {
      assert.isTrue(Either.isLeft(post(balanceOf(10, 10), transferOf(which, -1))), which)
    }
  })
})
