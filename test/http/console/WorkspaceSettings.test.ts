/** Two operators who set the same of a workspace: the second one is told, and undoes nothing without seeing it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Address, Caller, testGateway } from "../../../src/testing.js"
import { signInAsOperator } from "../../support/signIn.js"

const operatorAt = (page: string) =>
  Effect.map(signInAsOperator(), ({ cookie, csrf }) => ({
    read: Effect.promise(async () => (await fetch(page, { headers: { cookie } })).text()),
    save: (form: string, fields: Record<string, string>) =>
      Effect.promise(async () => {
        const answer = await fetch(`${page}/${form}`, {
          method: "POST",
          redirect: "manual",
          headers: { cookie, "sec-fetch-site": "same-origin" },
          body: new URLSearchParams({ csrf, ...fields })
        })
        return { status: answer.status, text: await answer.text() }
      })
  }))

const started = Effect.gen(function* () {
  const { url } = yield* Address
  const { workspaceId } = (yield* Caller).principal
  const page = `${url}/console/operator/workspaces/${workspaceId}`
  return { first: yield* operatorAt(page), second: yield* operatorAt(page) }
})
const gateway = Layer.fresh(testGateway().http)

/** What the form with this button brings back of what it showed. */
const seenIn = (text: string, saves: string): string => {
  const seen = [...text.matchAll(/name="seen" value="([^"]*)"/g)].filter(({ index }) => index < text.indexOf(saves))
  return seen.at(-1)?.[1] ?? "none"
}

describe("a policy that two operators set", () => {
  it.live("is not undone by a form from before: it shows what is there now, and is taken when sent again", () =>
    Effect.gen(function* () {
      const { first, second } = yield* started
      const seen = seenIn(yield* first.read, "Save policy")
      const other = seenIn(yield* second.read, "Save policy")
      assert.deepStrictEqual([seen, other], ["", ""])
      const denied = yield* second.save("policy", { allow: "", deny: "effectful", seen: other })
      assert.strictEqual(denied.status, 303)

      const mine = { allow: "provider:acme", deny: "" }
      const refused = yield* first.save("policy", { ...mine, seen })
      assert.strictEqual(refused.status, 400)
      for (const shown of ["was changed by somebody else meanwhile", "<code>effectful</code>", "provider:acme"])
        assert.include(refused.text, shown)
      assert.include(yield* second.read, "\neffectful</textarea>")

      // As a browser ends lines.
      const now = seenIn(refused.text, "Save policy").replaceAll("\n", "\r\n")
      assert.strictEqual(now, "deny effectful")
      assert.strictEqual((yield* first.save("policy", { ...mine, seen: now })).status, 303)
      const after = yield* second.read
      assert.strictEqual(seenIn(after, "Save policy"), "allow provider:acme")
      assert.notInclude(after, "\neffectful</textarea>")
    }).pipe(Effect.provide(gateway))
  )

  it.live("and its limits, too", () =>
    Effect.gen(function* () {
      const { first, second } = yield* started
      const seen = seenIn(yield* first.read, "Save limits")
      const limits = { inflightLimit: "", runsPerMinute: "", runCapUsd: "" }
      assert.strictEqual((yield* second.save("limits", { ...limits, runsPerMinute: "7", seen })).status, 303)
      const refused = yield* first.save("limits", { ...limits, inflightLimit: "3", seen })
      assert.strictEqual(refused.status, 400)
      for (const shown of ["was changed by somebody else meanwhile", "<code>7</code>", 'value="3"'])
        assert.include(refused.text, shown)
      assert.include(yield* second.read, 'value="7"')
    }).pipe(Effect.provide(gateway))
  )
})
