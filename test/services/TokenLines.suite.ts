/** What a token that another one let in may spend, whatever it is stored in: never more than the one that let it in. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { describe } from "vitest"
import { currentLimits } from "../../src/domain/CurrentLimits.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { secretBytes, tokenText } from "../../src/domain/Token.js"
import {
  hit,
  ProvidersScripted,
  type ScriptedProviders,
  silence
} from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Runs } from "../../src/services/Runs.js"
import { Tokens } from "../../src/services/Tokens.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"

const tool = "mock-email-find"
const price = 5_000

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | LoginApprovals | Storage | Tokens

export const tokenLinesSuite = (name: string, storage: Layer.Layer<LoginApprovals | Storage | Tokens>) =>
  describe(name, () => {
    const test = (title: string, work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(work(providers), Layer.provideMerge(engine(providers.layer), storage))
      })
    const letIn = Effect.fnUntraced(function* (by: Principal) {
      const logins = yield* LoginApprovals
      const text = tokenText("0".repeat(26), randomBytes(secretBytes))
      const digest = createHash("sha256").update(text).digest("hex")
      const { approvalId } = yield* logins.create({ digest, label: "child", scopes: by.scopes, tokenExpiresAt: null })
      yield* logins.approve(approvalId, by, commandLine)
      return yield* (yield* Accounts).authenticate(Redacted.make(text))
    })
    const start = (principal: Principal, wait = 20) =>
      Effect.flatMap(Runs, (runs) => Effect.either(runs.create(principal, requestOf(tool), wait)))
    /** What counts for its next run. */
    const spent = (principal: Principal) =>
      Effect.map(
        Effect.flatMap(Wallet, (wallet) => wallet.read(principal)),
        ({ now, spends, walletState }) => {
          const { limitMicros, spentMicros } = currentLimits(walletState, spends, now).key
          return [Number(limitMicros), Number(spentMicros)]
        }
      )
    /** What counts for it alone, and for those that come from it. */
    const own = (principal: Principal) =>
      Effect.map(
        Effect.flatMap(Accounts, (accounts) => accounts.monthSpend(principal)),
        ({ limitMicros, spentMicros }) => [limitMicros, spentMicros]
      )

    test("a token cannot spend more than its limit through the tokens that it lets in, nor they through theirs", (providers) =>
      Effect.gen(function* () {
        providers.script(tool, hit(undefined, { costMicros: price }))
        const first = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(2 * price) })
        const child = yield* letIn(first)
        const grandchild = yield* letIn(child)
        assert.isTrue(Either.isRight(yield* start(grandchild)))
        assert.isTrue(Either.isRight(yield* start(child)))
        for (const one of [first, child, grandchild, yield* letIn(first), yield* letIn(grandchild)]) {
          const refusal = yield* Effect.flip(yield* start(one))
          assert.deepInclude(refusal, { _tag: "key_spend_limit_reached", limitMicros: 2 * price })
          assert.include(
            refusal.message,
            one === first
              ? "The monthly limit of this key is $0.01, "
              : "The monthly limit of the key that this one comes from is $0.01, "
          )
          assert.deepStrictEqual(yield* spent(one), [2 * price, 2 * price])
        }
        assert.deepStrictEqual(
          [yield* own(first), yield* own(child), yield* own(grandchild)],
          [
            [2 * price, 2 * price],
            [null, 2 * price],
            [null, price]
          ]
        )
        assert.isNull((yield* (yield* Wallet).verify).difference)
      }))

    test("runs of a parent and its child that come at once share the limit, and a release makes room for both", (providers) =>
      Effect.gen(function* () {
        providers.script(tool, silence)
        const first = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(3 * price) })
        const child = yield* letIn(first)
        const answers = yield* Effect.forEach([first, child, first, child, first, child], (one) => start(one, 0), {
          concurrency: "unbounded"
        })
        const running = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right.run] : []))
        assert.strictEqual(running.length, 3)
        const ofChild = running.find(({ tokenId }) => tokenId === child.tokenId)
        yield* (yield* Runs).cancel(first.workspaceId, ofChild!.runId)
        assert.deepStrictEqual(yield* spent(first), [3 * price, 2 * price])
        assert.deepStrictEqual(yield* spent(child), [3 * price, 2 * price])
        assert.isTrue(Either.isRight(yield* start(child, 0)))
        assert.isTrue(Either.isLeft(yield* start(first, 0)))
      }))

    test("a token ends with the one that let it in, also where that got its end meanwhile", () =>
      Effect.gen(function* () {
        const first = yield* funded(1_000_000)
        const expiresAt = (yield* Clock.currentTimeMillis) + 3_600_000
        // As read before the change: what its approvals knew then.
        const before = first
        yield* (yield* Tokens).change(first, first.tokenId, { expiresAt }, commandLine)
        const child = yield* letIn(before)
        assert.strictEqual(child.expiresAt, expiresAt)
        assert.strictEqual((yield* letIn(child)).expiresAt, expiresAt)
      }))
  })
