/** Filters of lists: what is wrong with one is told beside it, in the words of the page. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Address, Caller, hit, run, testGateway } from "../../../src/testing.js"
import { signInAsOperator, signInTo } from "../../support/signIn.js"

const onGateway = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof testGateway>["http"]>>) =>
  Effect.provide(work, Layer.fresh(testGateway({ providers: { "mock-email-find": hit() } }).http))

/** Gets what is under the address of the gateway, as an owner, as an operator and as a program. */
const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { principal, token } = yield* Caller
  const { workspaceId } = principal
  yield* run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } })
  const got = (path: string, headers: Record<string, string>) =>
    Effect.promise(async () => {
      const answer = await fetch(url + path, { headers })
      return { status: answer.status, text: await answer.text() }
    })
  const { cookie } = yield* signInTo(workspaceId, "owner")
  const operator = yield* signInAsOperator()
  return {
    page: (path: string) => got(`/console/${workspaceId}/${path}`, { cookie }),
    operatorPage: (path: string) => got(`/console/operator/${path}`, { cookie: operator.cookie }),
    api: (path: string) => got(`/v1/${path}`, { authorization: `Bearer ${token}` })
  }
})

/** What is told beside the field of this name. */
const problemAt = (page: string, name: string) =>
  new RegExp(`<p class="problem" id="f-${name}-problem">([^<]*)</p>`).exec(page)?.[1] ?? null

describe("a choice that there is not", () => {
  it.live("is told in the words in which the page offers the choices, and to a program in its own", () =>
    onGateway(
      Effect.gen(function* () {
        const { api, page } = yield* stage
        const status = problemAt((yield* page("runs?status=gone")).text, "status")
        assert.match(status ?? "", /^must be one of queued, running, .*waits for the operator/)
        assert.notInclude(status ?? "", "reconciliation_pending")
        const kind = problemAt((yield* page("ledger?kind=gone")).text, "kind")
        assert.strictEqual(kind, "must be one of top-up, hold, charge, release, adjustment")
        assert.include((yield* api("runs?status=gone")).text, "reconciliation_pending")
        assert.strictEqual((yield* page("runs?status=reconciliation_pending")).status, 200)
      })
    )
  )
})

describe("a span of time", () => {
  it.live("that ends before it begins is told beside its beginning, on every page that has one", () =>
    onGateway(
      Effect.gen(function* () {
        const { api, operatorPage, page } = yield* stage
        const wrong = "from=2026-11-26&to=2026-11-25T10:30"
        for (const answer of [
          yield* page(`runs?${wrong}`),
          yield* page(`ledger?${wrong}`),
          yield* page(`audit?${wrong}`),
          yield* operatorPage(`audit?${wrong}`),
          yield* page("runs?from=2026-11-25&to=2026-11-25")
        ]) {
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(
            problemAt(answer.text, "from"),
            "“From (UTC)” must be earlier than “Before (UTC)”; change or empty one of them"
          )
          assert.notInclude(answer.text, "Nothing matches")
        }
        assert.strictEqual((yield* page("runs?from=2026-11-25&to=2026-11-26")).status, 200)
        // A program is told that there is nothing, as ever.
        for (const list of ["runs", "ledger"]) assert.strictEqual((yield* api(`${list}?${wrong}`)).status, 200, list)
      })
    )
  )
})
