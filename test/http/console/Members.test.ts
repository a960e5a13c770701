/** The members page: what owners do on it, and who may not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAccounts } from "../../support/accountsGateway.js"
import { locationOf, newBrowser } from "../../support/browser.js"

describe("the members page", () => {
  it.scopedLive("adds a member, makes their link once, changes role and name, signs out and removes", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const owner = newBrowser(gateway, cookie)
      const path = `/console/${workspaceId}/members`
      const empty = yield* owner.get(path)
      assert.strictEqual(empty.status, 200, empty.text)

      const wrong = yield* owner.post(path, { name: "Ada", role: "member", email: "not an address" })
      assert.strictEqual(wrong.status, 400)
      for (const kept of ['value="Ada"', 'value="not an address"', "must be an e-mail address"])
        assert.include(wrong.text, kept)
      const added = yield* owner.post(path, { name: "Ada", role: "member", email: "ada@example.com" })
      assert.strictEqual(added.status, 303)
      const page = yield* owner.get(locationOf(added))
      assert.include(page.text, "They were added.")
      assert.include(page.text, "ada@example.com")
      const memberId = [...page.text.matchAll(/members\/(mem_[0-9a-z]+)\/link/g)].at(-1)?.[1] ?? ""

      const shown = yield* owner.post(`${path}/${memberId}/link`)
      assert.strictEqual(shown.status, 200)
      const link = /https:\/\/gateway\.test(\/console\/sign-in\/link\/[A-Za-z0-9_-]{43})/.exec(shown.text)?.[1] ?? ""
      assert.notInclude((yield* owner.get(path)).text, link)
      const ada = newBrowser(gateway)
      yield* ada.get(link)
      assert.strictEqual((yield* ada.post(link)).status, 303)
      assert.strictEqual((yield* ada.get(path)).status, 403)

      yield* owner.post(`${path}/${memberId}/role`, { role: "owner" })
      assert.strictEqual((yield* ada.get(path)).status, 200)
      yield* owner.post(`${path}/${memberId}/rename`, { name: "Ada L" })
      assert.include((yield* owner.get(path)).text, "Ada L")
      yield* owner.post(`${path}/${memberId}/sign-out`)
      assert.include(locationOf(yield* ada.get(path)), "sign-in")
      const removed = yield* owner.post(`${path}/${memberId}/remove`)
      assert.strictEqual(removed.status, 303)
      const without = yield* owner.get(locationOf(removed))
      assert.include(without.text, "They were removed and are signed out everywhere.")
      assert.notInclude(without.text, "Ada L")
    })
  )

  it.scopedLive("says that something was done only to the person who did it, and only on its page", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const second = yield* gateway.signedIn("owner", workspaceId)
      const path = `/console/${workspaceId}/members`
      const owner = newBrowser(gateway, cookie)
      yield* owner.get(path)
      const told = locationOf(yield* owner.post(path, { name: "Ada", role: "member", email: "" }))
      const notice = new URL(told, "https://gateway.test").searchParams.get("notice") ?? ""
      const done = 'class="notice"'
      assert.include((yield* owner.get(told)).text, done)
      assert.notInclude((yield* newBrowser(gateway, second.cookie).get(told)).text, done)
      const claimed = [
        `${path}?notice=removed`,
        `${path}?notice=removed.`,
        `${path}?notice=${notice.replace("added", "removed")}`,
        `${path}?notice=${notice.slice(0, -1)}`,
        `/console/${workspaceId}/connections?notice=${notice}`
      ]
      for (const address of claimed) {
        const page = yield* owner.get(address)
        assert.deepStrictEqual([page.status, page.text.includes(done)], [200, false], address)
      }
    })
  )

  it.scopedLive("keeps the last owner, and is closed to members, other workspaces and other sites", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, csrf, member, workspaceId } = yield* gateway.signedIn()
      const plain = yield* gateway.signedIn("member", workspaceId)
      const other = yield* gateway.signedIn()
      const path = `/console/${workspaceId}/members`
      const own = `${path}/${member.memberId}`
      const owner = newBrowser(gateway, cookie)
      for (const last of [owner.post(`${own}/remove`, { csrf }), owner.post(`${own}/role`, { csrf, role: "member" })]) {
        const answer = yield* last
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, "last owner")
      }
      assert.strictEqual((yield* owner.post(`${own}/role`, { csrf, role: "operator" })).status, 400)
      assert.strictEqual((yield* owner.post(`${own}/remove`, { csrf }, { "sec-fetch-site": "cross-site" })).status, 403)
      for (const [who, status] of [
        [plain, 403],
        [other, 404]
      ] as const) {
        const browser = newBrowser(gateway, who.cookie)
        assert.strictEqual((yield* browser.get(path)).status, status)
        for (const act of ["link", "remove", "rename", "role", "sign-out"])
          assert.strictEqual(
            (yield* browser.post(`${own}/${act}`, { csrf: who.csrf, role: "owner", name: "x" })).status,
            status
          )
      }
      // Another workspace's member is none of this one.
      const missed = yield* owner.post(`${path}/${other.member.memberId}/link`, { csrf })
      assert.strictEqual(missed.status, 404)
      assert.strictEqual((yield* newBrowser(gateway, (yield* gateway.operator).cookie).get(path)).status, 200)
    })
  )
})
