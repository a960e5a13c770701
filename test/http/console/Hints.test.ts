/** What to do next is told to people in their own words: no keys of requests, no members of answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { runFailures } from "../../../src/domain/RunFailures.js"
import { hintForPeople } from "../../../src/http/console/Hints.js"
import { wireErrors } from "../../../src/http/Envelope.js"
import { Address, Caller, run, testGateway } from "../../../src/testing.js"
import { signInTo } from "../../support/signIn.js"

const ofPrograms =
  /idempotency key|endpointId|connectionId|result\.|requestedJob|fallback\.|topUp|(?:GET|POST|DELETE) \/v1/

describe("a hint on a page", () => {
  it("of a failed run has no words of programs", () => {
    for (const { code, facts } of runFailures) assert.notMatch(hintForPeople(facts.retryHint), ofPrograms, code)
  })

  it("of a refused request that a page may meet has none either", () => {
    for (const code of ["insufficient_balance", "idempotency_conflict"]) {
      const hint = wireErrors.get(code)?.retryHint
      assert.isDefined(hint, code)
      assert.notMatch(hintForPeople(hint), ofPrograms, code)
    }
  })

  it.live("of a job that lacks fields is in the form's own words, and the run says the same", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const { workspaceId } = (yield* Caller).principal
      const { cookie } = yield* signInTo(workspaceId, "owner")
      const ask = (path: string, body: { readonly [name: string]: string } | null = null) =>
        Effect.promise(async () => {
          const answer = await fetch(`${url}/console/${workspaceId}/${path}`, {
            headers: { cookie, "sec-fetch-site": "same-origin" },
            ...(body === null ? {} : { method: "POST", body: new URLSearchParams(body) })
          })
          return { status: answer.status, text: await answer.text() }
        })
      const job = encodeURIComponent("job:people.email.find")
      const form = yield* ask(`catalog/${job}`)
      const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? ""
      const refused = yield* ask(`catalog/${job}/run`, { csrf, key: "k", "input.name": "Ada Example" })
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, "This job needs more input: domain (or company).")
      assert.match(refused.text, /Give .*name and domain, or /)
      const made = yield* run({ endpointId: "job:people.email.find", input: { name: "Ada Example" } })
      const page = yield* ask(`runs/${made.run.runId}`)
      for (const { text } of [refused, page]) {
        const [, told = ""] = /<div class="told"[^>]*>(.*?)<\/div>/s.exec(text) ?? []
        assert.notStrictEqual(told, "")
        assert.notMatch(told, ofPrograms)
      }
    }).pipe(Effect.provide(Layer.fresh(testGateway({ inflightLimit: 100 }).http)))
  )
})
