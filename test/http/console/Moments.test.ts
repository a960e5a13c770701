/** Fields of a time: a browser empties one whose value it cannot read, so what stands in them has to be in its form. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FastCheck, Layer } from "effect"
import { TokenId } from "../../../src/domain/Ids.js"
import { readInstant } from "../../../src/domain/Instant.js"
import { filledWith } from "../../../src/http/console/Forms.js"
import { momentField } from "../../../src/http/console/Moments.js"
import { Address, Caller, run, testGateway } from "../../../src/testing.js"
import { Tokens } from "../../../src/services/Tokens.js"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { eventually } from "../../support/eventually.js"
import { signInTo } from "../../support/signIn.js"

/** What stands in the field of this name, and the steps in which a browser lets it be changed. */
const fieldIn = (page: string, name: string) => {
  const [, attributes = ""] = new RegExp(`<input([^>]* name="${name}"[^>]*)>`).exec(page) ?? []
  const of = (attribute: string) => new RegExp(` ${attribute}="([^"]*)"`).exec(attributes)?.[1] ?? null
  return { type: of("type"), value: of("value"), step: of("step") }
}
const shown = (typed: string) =>
  fieldIn(
    momentField({ form: filledWith({ at: typed }), name: "at", label: "At" }).render({ prefix: "", csrf: null }),
    "at"
  )

describe("a field of a time", () => {
  it("shows every time that can be read in the form that a browser takes, to the millisecond", () => {
    const type = "datetime-local"
    assert.deepStrictEqual(shown("2026-11-22"), { type, value: "2026-11-22T00:00", step: null })
    assert.deepStrictEqual(shown(" 2026-11-22T10:30:00+02:00 "), { type, value: "2026-11-22T08:30", step: null })
    assert.deepStrictEqual(shown("2026-11-22T10:30:05Z"), { type, value: "2026-11-22T10:30:05", step: "1" })
    assert.deepStrictEqual(shown("2026-11-22T10:30:05.007Z"), { type, value: "2026-11-22T10:30:05.007", step: "0.001" })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.date({
          min: new Date("1970-01-01T00:00:00Z"),
          max: new Date("9999-12-31T23:59:59Z"),
          noInvalidDate: true
        }),
        (at) => {
          const { value } = shown(at.toISOString())
          assert.match(value ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3})?)?$/)
          assert.strictEqual(readInstant(value ?? ""), at.getTime())
        }
      )
    )
  })

  it("shows what it cannot read as a text, so that a browser leaves it there", () => {
    assert.deepStrictEqual(shown("yesterday"), { type: "text", value: "yesterday", step: null })
    assert.deepStrictEqual(shown(""), { type: "datetime-local", value: "", step: null })
  })
})

const onGateway = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof testGateway>["http"]>>) =>
  Effect.provide(work, Layer.fresh(testGateway().http))

const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { tokenId, workspaceId } = (yield* Caller).principal
  const { cookie, csrf } = yield* signInTo(workspaceId, "owner")
  const ask = (path: string, fields: Record<string, string> | null = null) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}/console/${workspaceId}/${path}`, {
        redirect: "manual",
        headers: { cookie, "sec-fetch-site": "same-origin" },
        ...(fields === null ? {} : { method: "POST", body: new URLSearchParams({ csrf, ...fields }) })
      })
      return { status: answer.status, text: await answer.text() }
    })
  return { ask, tokenId: TokenId.make(tokenId), workspaceId }
})

describe("the form of a token", () => {
  it.live("leaves its end where it was when another field is changed", () =>
    onGateway(
      Effect.gen(function* () {
        const { ask, tokenId, workspaceId } = yield* stage
        const tokens = yield* Tokens
        const expiresAt = Date.UTC(2099, 10, 22, 10, 30, 5, 7)
        const { principal } = yield* Caller
        yield* tokens.change(principal, tokenId, { label: "old", monthlyLimitMicros: null, expiresAt }, commandLine)
        const { value } = fieldIn((yield* ask(`tokens/${tokenId}`)).text, "expiresAt")
        const fields = { label: "new", monthlyLimitUsd: "", expiresAt: value ?? "" }
        assert.strictEqual((yield* ask(`tokens/${tokenId}`, fields)).status, 303)
        const token = yield* tokens.get(workspaceId, tokenId)
        assert.deepStrictEqual([token.label, token.expiresAt], ["new", expiresAt])
        // One that has ended keeps its end too.
        const soon = Date.now() + 2_000
        yield* tokens.change(principal, tokenId, { expiresAt: soon }, commandLine)
        yield* eventually(Clock.currentTimeMillis, (now) => now > soon)
        const ended = fieldIn((yield* ask(`tokens/${tokenId}`)).text, "expiresAt").value ?? ""
        const renamed = yield* ask(`tokens/${tokenId}`, { ...fields, label: "over", expiresAt: ended })
        assert.strictEqual(renamed.status, 303)
        assert.strictEqual((yield* tokens.get(workspaceId, tokenId)).label, "over")
      })
    )
  )
})

describe("the links of the overview", () => {
  it.live("lead to lists whose fields a browser can show", () =>
    onGateway(
      Effect.gen(function* () {
        const { ask } = yield* stage
        yield* run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } })
        const { text } = yield* ask("overview")
        const links = [...text.matchAll(/href="\/console\/[^/]+\/([^"]*from=[^"]*)"/g)].map(([, link = ""]) =>
          link.replaceAll("&amp;", "&")
        )
        assert.isAbove(links.length, 30)
        for (const link of links)
          assert.match(new URLSearchParams(link.split("?")[1]).get("from") ?? "", /^\d{4}-\d\d-\d\dT00:00$/)
        const day = links.find((link) => link.includes("&to=")) ?? ""
        const list = yield* ask(day)
        assert.strictEqual(list.status, 200)
        for (const name of ["from", "to"])
          assert.strictEqual(fieldIn(list.text, name).value, new URLSearchParams(day.split("?")[1]).get(name))
        // An address that somebody kept may have a day alone.
        assert.deepStrictEqual(fieldIn((yield* ask("ledger?from=2026-11-22")).text, "from"), {
          type: "datetime-local",
          value: "2026-11-22T00:00",
          step: null
        })
      })
    )
  )
})

describe("the timeline of a run", () => {
  it.live("has milliseconds, because much of it happens within a second", () =>
    onGateway(
      Effect.gen(function* () {
        const { ask } = yield* stage
        const made = yield* run({
          endpointId: "mock-email-find",
          input: { name: "Ada Example", domain: "example.com" }
        })
        const { text } = yield* ask(`runs/${made.run.runId}`)
        const [, timeline = ""] = /<ol class="timeline">(.*?)<\/ol>/s.exec(text) ?? []
        const times = [...timeline.matchAll(/<time[^>]*>([^<]*)</g)].map(([, shown = ""]) => shown)
        assert.strictEqual(times.length, 4)
        for (const shown of times) assert.match(shown, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)
        assert.deepStrictEqual(times, times.toSorted())
      })
    )
  )
})
