/** "Run again": the form of an operation, filled as an earlier run was asked for, asks for the same once more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { RunId } from "../../../src/domain/Ids.js"
import { type JsonObject } from "../../../src/domain/Json.js"
import { refusedInputCharsMax } from "../../../src/domain/limits/Runs.js"
import { Connections } from "../../../src/services/Connections.js"
import { Address, Caller, drop, hit, run, Runs, testGateway, type TestGatewayOptions } from "../../../src/testing.js"
import { signInTo } from "../../support/signIn.js"

const input: JsonObject = { name: "Ada Example", domain: "example.com" }

const unescaped = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const plainOf = (page: string) => page.replace(/<[^>]*>/g, "").replace(/\s+/g, " ")

/** What a browser sends of the form that starts a run. */
const fieldsOf = (page: string): ReadonlyArray<[string, string]> => {
  const [, form = ""] = /<form[^>]*aria-label="Run this operation"[^>]*>(.*?)<\/form>/s.exec(page) ?? []
  const controls = form.matchAll(/<input([^>]*)>|<(select|textarea)([^>]*)>(.*?)<\/\2>/gs)
  return [...controls].flatMap(([, input, tag, other, inside = ""]): ReadonlyArray<[string, string]> => {
    const attributes = input ?? other ?? ""
    const [, name = ""] = / name="([^"]*)"/.exec(attributes) ?? []
    const [, value = "on"] = / value="([^"]*)"/.exec(attributes) ?? []
    if (tag === "textarea") return [[name, unescaped(inside.replace(/^\n/, ""))]]
    if (tag === "select") {
      const options = [...inside.matchAll(/<option value="([^"]*)"( selected)?/g)]
      const [, chosen = ""] = options.find(([, , selected]) => selected !== undefined) ?? options[0] ?? []
      return [[name, unescaped(chosen)]]
    }
    if (/ type="checkbox"/.test(attributes) && !/ checked/.test(attributes)) return []
    return [[name, / type="text"/.test(attributes) && value === "on" ? "" : unescaped(value)]]
  })
}

const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { workspaceId } = (yield* Caller).principal
  const connections = yield* Connections
  const runs = yield* Runs
  const { cookie } = yield* signInTo(workspaceId, "owner")
  const connect = (label: string, providerId = "mock") =>
    connections.create(
      { workspaceId, providerId, label, secret: Redacted.make("secret"), expiresAt: null },
      commandLine
    )
  const send = (path: string, body: ReadonlyArray<[string, string]> | null = null) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}/console/${workspaceId}/catalog/${path}`, {
        redirect: "manual",
        headers: { cookie, "sec-fetch-site": "same-origin" },
        ...(body === null ? {} : { method: "POST", body: new URLSearchParams([...body]) })
      })
      return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") ?? "" }
    })
  /** Opens "Run again" of this run and sends the form as it is. */
  const again = (endpointId: string, runId: string) =>
    Effect.gen(function* () {
      const path = encodeURIComponent(endpointId)
      const page = yield* send(`${path}?from=${runId}`)
      const fields = fieldsOf(page.text)
      const answer = yield* send(`${path}/run`, fields)
      const [, made] = /\/runs\/(run_\w+)$/.exec(answer.location) ?? []
      return {
        page: page.text,
        fields,
        answer,
        run: made === undefined ? null : (yield* runs.get(workspaceId, RunId.make(made))).run
      }
    })
  return { again, connect, connections, send, workspaceId }
})

const onGateway = <A, E>(
  work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof testGateway>["http"]>>,
  providers: NonNullable<TestGatewayOptions["providers"]> = {}
) => Effect.provide(work, Layer.fresh(testGateway({ inflightLimit: 100, providers }).http))

describe("running a run again", () => {
  it.live("uses the connection of that run, for an operation and for a job", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, connect } = yield* stage
        const theirs = yield* connect("their account")
        yield* connect("the account of another customer")
        for (const endpointId of ["mock-email-find", "job:people.email.find"]) {
          const first = yield* run({ endpointId, input, connectionId: theirs.connectionId })
          const second = yield* again(endpointId, first.run.runId)
          assert.strictEqual(second.answer.status, 303, plainOf(second.answer.text))
          assert.deepStrictEqual(
            [second.run?.connectionId, second.run?.input],
            [theirs.connectionId, input],
            endpointId
          )
          assert.include(second.page, "their account")
        }
      })
    )
  )

  it.live("is refused when its connection is gone, and uses no other", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, connect, connections, workspaceId } = yield* stage
        const gone = yield* connect("gone")
        const first = yield* run({ endpointId: "mock-email-find", input, connectionId: gone.connectionId })
        yield* connections.delete(workspaceId, gone.connectionId, commandLine)
        const second = yield* again("mock-email-find", first.run.runId)
        assert.strictEqual(second.answer.status, 422)
        assert.isNull(second.run)
        assert.include(second.answer.text, `value="${gone.connectionId}" selected`)
      })
    )
  )

  it.live("keeps how providers are tried and what the whole run may cost, and says so", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, send } = yield* stage
        const fallback = {
          maxAttempts: 2,
          maxCostUsd: 0.03,
          prefer: "cheapest" as const,
          exclude: ["mock-email-find"],
          stopAtFirstMiss: true
        }
        const first = yield* run({ endpointId: "job:people.email.find", input, fallback })
        const second = yield* again("job:people.email.find", first.run.runId)
        assert.strictEqual(second.answer.status, 303, plainOf(second.answer.text))
        const told =
          "As in that run: at most $0.03 for the whole run; at most 2 providers; the cheapest first; " +
          "without mock-email-find; no further provider after one that finds nothing."
        assert.include(plainOf(second.page), told)
        assert.deepStrictEqual(second.run?.plan?.fallback, first.run.plan?.fallback)
        assert.strictEqual(second.run?.plan?.prefer, "cheapest")
        assert.deepStrictEqual(second.run?.plan?.skipped, first.run.plan?.skipped)
        // The form that comes back with the cost still has them.
        const quoted = yield* send(`${encodeURIComponent("job:people.email.find")}/quote`, second.fields)
        assert.strictEqual(quoted.status, 200, plainOf(quoted.text))
        assert.include(plainOf(quoted.text), told)
        assert.deepStrictEqual(fieldsOf(quoted.text), second.fields)
      })
    )
  )

  it.live("keeps the cost cap of a run that tried one provider only, and carries nothing where nothing was set", () =>
    onGateway(
      Effect.gen(function* () {
        const { again } = yield* stage
        const capped = yield* run({
          endpointId: "job:people.email.find",
          input,
          fallback: { enabled: false, maxCostUsd: 0.03 }
        })
        const second = yield* again("job:people.email.find", capped.run.runId)
        assert.deepStrictEqual(second.run?.plan?.fallback, capped.run.plan?.fallback)
        for (const fallback of [true, false]) {
          const first = yield* run({ endpointId: "job:people.email.find", input, fallback })
          const plain = yield* again("job:people.email.find", first.run.runId)
          assert.notInclude(plain.page, "As in that run")
          assert.deepStrictEqual(plain.run?.plan?.fallback, first.run.plan?.fallback)
        }
      })
    )
  )

  it.live("says that an input was not kept whole, and keeps the rest", () =>
    onGateway(
      Effect.gen(function* () {
        const { connect, send } = yield* stage
        const own = yield* connect("ours")
        const refused = yield* run({
          endpointId: "mock-email-find",
          input: { domain: "x".repeat(2 * refusedInputCharsMax) },
          connectionId: own.connectionId
        })
        const page = yield* send(`mock-email-find?from=${refused.run.runId}`)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "The input of that run was not kept whole")
        assert.include(page.text, `value="${own.connectionId}" selected`)
      })
    )
  )

  it.live("leaves out an input that no form could send back, and says so", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, send } = yield* stage
        const fitting = yield* run({ endpointId: "mock-email-find", input: { ...input, note: '"'.repeat(60_000) } })
        const repeated = yield* again("mock-email-find", fitting.run.runId)
        assert.strictEqual(repeated.answer.status, 303, plainOf(repeated.answer.text))
        assert.deepStrictEqual(repeated.run?.input, fitting.run.input)
        // Each of these letters takes nine bytes of a form.
        for (const note of ["x".repeat(900_000), "語".repeat(60_000)]) {
          const long = yield* run({ endpointId: "mock-email-find", input: { ...input, note } })
          const page = yield* send(`mock-email-find?from=${long.run.runId}`)
          assert.strictEqual(page.status, 200)
          assert.include(page.text, "The input of that run is too long for a form")
          assert.isBelow(page.text.length, 100_000)
        }
      })
    )
  )

  it.live("refuses settings that somebody has changed into something else", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, send } = yield* stage
        const first = yield* run({ endpointId: "job:people.email.find", input, fallback: { maxAttempts: 2 } })
        const { fields } = yield* again("job:people.email.find", first.run.runId)
        for (const [wrong, told] of [
          ["{", "settings"],
          ['{"maxAttempts":99,"prefer":"balanced","exclude":[],"stopAtFirstMiss":false}', "fallback.maxAttempts"]
        ] as const) {
          const sent = fields.map(([name, value]): [string, string] => [name, name === "settings" ? wrong : value])
          const answer = yield* send(`${encodeURIComponent("job:people.email.find")}/run`, sent)
          assert.strictEqual(answer.status, 400)
          assert.include(answer.text, `<code>${told}</code>`)
        }
      })
    )
  )

  it.live("says of a run that may have had its effect that it may happen twice, and wants a tick for it", () =>
    onGateway(
      Effect.gen(function* () {
        const { again, send } = yield* stage
        const message = { to: "ada@example.com", text: "hello" }
        const settled = yield* run({ endpointId: "mock-send-message", input: message })
        assert.strictEqual(settled.run.status, "completed")
        const plain = yield* send(`mock-send-message?from=${settled.run.runId}`)
        assert.include(plainOf(plain.text), "One run sends it at most once; every further run sends it again.")
        assert.notInclude(plain.text, "never sent twice")
        assert.notInclude(plain.text, "may be done twice")

        const lost = yield* run({ endpointId: "mock-send-message", input: message })
        assert.strictEqual(lost.run.status, "reconciliation_pending")
        const second = yield* again("mock-send-message", lost.run.runId)
        assert.include(plainOf(second.page), "This may be done twice.")
        assert.match(second.page, new RegExp(`<a href="/console/[^"]+/runs/${lost.run.runId}">`))
        assert.strictEqual(second.answer.status, 400)
        assert.include(second.answer.text, "Tick this to run it although the first run may have done it.")
        // The form that comes back still knows which run it repeats, also after the cost was shown.
        const quoted = yield* send("mock-send-message/quote", second.fields)
        assert.include(plainOf(quoted.text), "This may be done twice.")
        for (const odd of ["", "off"]) {
          const notTicked = yield* send("mock-send-message/run", [...fieldsOf(quoted.text), ["anyway", odd]])
          assert.strictEqual(notTicked.status, 400, odd)
        }
        const forged = fieldsOf(quoted.text).map(([name, value]): [string, string] =>
          name === "from" ? [name, `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`] : [name, value]
        )
        assert.strictEqual((yield* send("mock-send-message/run", forged)).status, 404)
        const ticked = yield* send("mock-send-message/run", [...fieldsOf(quoted.text), ["anyway", "on"]])
        assert.strictEqual(ticked.status, 303, plainOf(ticked.text))
      }),
      { "mock-send-message": [hit(), drop(), hit()] }
    )
  )
})
