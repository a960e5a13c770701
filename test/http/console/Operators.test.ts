/** The page of operators: what they do on it, and that one of them stays. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAccounts } from "../../support/accountsGateway.js"
import { locationOf, newBrowser } from "../../support/browser.js"

const path = "/console/operator/operators"

describe("the page of operators", () => {
  it.scopedLive(
    "adds an operator with a link that works once, signs them out and removes them, each in the audit trail",
    () =>
      Effect.gen(function* () {
        const gateway = yield* startAccounts()
        const first = newBrowser(gateway, (yield* gateway.operator).cookie)
        const empty = yield* first.get(path)
        assert.deepStrictEqual([empty.status, empty.text.includes("(you)")], [200, true])
        const wrong = yield* first.post(path, { name: "Grace", email: "not an address" })
        assert.strictEqual(wrong.status, 400)
        for (const kept of ['value="Grace"', 'value="not an address"', "must be an e-mail address"])
          assert.include(wrong.text, kept)

        const added = yield* first.post(path, { name: "Grace", email: "grace@example.com" })
        assert.strictEqual(added.status, 200)
        const link = /https:\/\/gateway\.test(\/console\/sign-in\/link\/[A-Za-z0-9_-]{43})/.exec(added.text)?.[1] ?? ""
        const page = yield* first.get(path)
        assert.notInclude(page.text, link)
        assert.include(page.text, "grace@example.com")
        const memberId = [...page.text.matchAll(/operators\/(mem_[0-9a-z]+)\/link/g)].at(-1)?.[1] ?? ""
        const grace = newBrowser(gateway)
        yield* grace.get(link)
        assert.strictEqual((yield* grace.post(link)).status, 303)
        assert.strictEqual((yield* grace.get(path)).status, 200)
        assert.notStrictEqual((yield* newBrowser(gateway).post(link, { csrf: "x" })).status, 303)

        yield* first.post(`${path}/${memberId}/sign-out`)
        assert.include(locationOf(yield* grace.get(path)), "sign-in")
        const asked = yield* first.post(`${path}/${memberId}/remove`)
        assert.strictEqual(asked.status, 200)
        for (const shown of ["Remove this operator?", "Grace", "grace@example.com"]) assert.include(asked.text, shown)
        assert.include((yield* first.get(path)).text, "Grace")
        const removed = yield* first.post(`${path}/${memberId}/remove`, { confirmed: "yes" })
        assert.strictEqual(removed.status, 303)
        const without = yield* first.get(locationOf(removed))
        assert.include(without.text, "They were removed and are signed out everywhere.")
        assert.notInclude(without.text, "Grace")
        const trail = yield* first.get(`/console/operator/audit?subject=${memberId}`)
        for (const action of ["member.added", "member.link_made", "member.signed_out", "member.removed"])
          assert.include(trail.text, action)
      })
  )

  it.scopedLive("keeps the last operator, and is closed to owners", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, member } = yield* gateway.operator
      const own = `${path}/${member.memberId}`
      const operator = newBrowser(gateway, cookie)
      yield* operator.get(path)
      const kept = yield* operator.post(`${own}/remove`, { confirmed: "yes" })
      assert.strictEqual(kept.status, 400)
      assert.include(kept.text, "last operator")
      assert.strictEqual((yield* operator.get(path)).status, 200)
      const owner = yield* gateway.signedIn()
      const browser = newBrowser(gateway, owner.cookie)
      assert.strictEqual((yield* browser.get(path)).status, 403)
      for (const act of ["", "/x/link", `${own.slice(path.length)}/remove`])
        assert.strictEqual((yield* browser.post(path + act, { csrf: owner.csrf, confirmed: "yes" })).status, 403)
      // A member of a workspace is no operator.
      const missed = yield* operator.post(`${path}/${owner.member.memberId}/link`)
      assert.strictEqual(missed.status, 404)
    })
  )
})
