/** The filters of a list in a browser: a problem at one field leaves the fields beside it where they are. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { Address, Caller, testGateway } from "../../../src/testing.js"
import { chromiumPath, clipped, openBrowser } from "../../support/chromium.js"
import { signInTo } from "../../support/signIn.js"

const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { workspaceId } = (yield* Caller).principal
  return {
    at: `${url}/console/${workspaceId}/`,
    url,
    owner: yield* signInTo(workspaceId, "owner")
  }
})

/** Where each control of the filters stands: its field, its left edge, its width and its top, in pixels. */
const controls = `[...document.querySelectorAll(".filters :is(input, select, button)")].map((each) => {
  const { left, top, width } = each.getBoundingClientRect()
  return [each.name, left, width, top].map((part) => typeof part === "number" ? Math.round(part) : part)
})`

describe.skipIf(chromiumPath === null)("the filters of a list (skipped where there is no Chromium)", () => {
  for (const width of [1280, 390])
    it(`stay in line at ${width} px when one of them has a problem`, async () => {
      const runtime = ManagedRuntime.make(testGateway().http)
      const browser = await openBrowser()
      try {
        const on = await runtime.runPromise(stage)
        const context = await browser.newContext({ viewport: { width, height: 900 } })
        const [name = "", value = ""] = on.owner.cookie.split("=")
        await context.addCookies([{ name, value, url: on.url }])
        const page = await context.newPage()
        const lines = async (path: string): Promise<ReadonlyArray<readonly [string, number, number, number]>> => {
          await page.goto(on.at + path)
          assert.deepStrictEqual(await clipped(page), [], path)
          return page.evaluate(controls)
        }
        const fine = await lines("ledger?from=2026-11-25T10:30&to=2026-11-26T10:30")
        const wrong = await lines("ledger?from=2026-11-26T10:30&to=2026-11-25T10:30")
        assert.isAbove(fine.length, 5)
        // On a phone a problem stands between its row and the next; nothing moves to the side, and a row stays a row.
        assert.deepStrictEqual(
          wrong.map(([control, left, broad]) => [control, left, broad]),
          fine.map(([control, left, broad]) => [control, left, broad])
        )
        const rows = (of: typeof fine) => of.map(([, , , top]) => of.filter((other) => other[3] === top).length)
        assert.deepStrictEqual(rows(wrong), rows(fine))
      } finally {
        await browser.close()
        await runtime.dispose()
      }
    }, 60_000)
})
