/** Who may open which page: every page and form of the console, as everybody. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { consolePages } from "../../../src/http/console/Pages.js"
import { Accounts, Address, Caller, run, testGateway } from "../../../src/testing.js"
import { Connections } from "../../../src/services/Connections.js"
import { type KnownPage, knownPages } from "../../support/consolePages.js"
import { signInAsOperator, signInTo } from "../../support/signIn.js"

type Person = Effect.Effect.Success<ReturnType<typeof signInTo>>

/** A gateway with a workspace that has one of everything, and with people of all kinds. */
const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { tokenId, workspaceId } = (yield* Caller).principal
  const other = yield* (yield* Accounts).createWorkspace("another workspace", commandLine)
  const made = yield* run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } })
  const connection = yield* (yield* Connections).create(
    {
      workspaceId,
      providerId: "mock",
      label: "ours",
      secret: Redacted.make("secret"),
      expiresAt: null
    },
    commandLine
  )
  const member = yield* signInTo(workspaceId, "member")
  return {
    url,
    ids: new Map<string, string>([
      ["workspaceId", workspaceId],
      ["tokenId", tokenId],
      ["workspace", workspaceId],
      ["providerId", "mock"],
      ["endpointId", "mock-email-find"],
      ["runId", made.run.runId],
      ["mediaId", `med_${"0".repeat(26)}`],
      ["connectionId", connection.connectionId]
    ]),
    foreign: [yield* signInTo(other.workspaceId, "owner"), yield* signInTo(other.workspaceId, "member")],
    member,
    owner: yield* signInTo(workspaceId, "owner"),
    operator: yield* signInAsOperator(),
    another: {
      member: signInTo(workspaceId, "member"),
      owner: signInTo(workspaceId, "owner"),
      operator: signInAsOperator()
    }
  }
})
type Stage = Effect.Effect.Success<typeof stage>

/** `site` is what the browser says of where the request comes from; null for one that says nothing. */
const ask = (
  { ids, url }: Stage,
  route: string,
  { fields }: KnownPage,
  person: Person | null,
  site: Record<string, string> | null = { "sec-fetch-site": "same-origin" }
) =>
  Effect.promise(async () => {
    const [method = "", path = ""] = route.split(" ")
    const address = path.replace(/:([A-Za-z]+)/g, (_, name) => encodeURIComponent(ids.get(name) ?? "missing"))
    const answer = await fetch(url + address, {
      method,
      redirect: "manual",
      headers: { ...(person === null ? {} : { cookie: person.cookie }), ...site },
      ...(method === "POST" ? { body: new URLSearchParams({ ...fields, csrf: person?.csrf ?? "" }) } : {})
    })
    return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") }
  })

const routes = consolePages.map(({ method, path }) => `${method} ${path}`)

describe("every page of the console", () => {
  it("is in the table of pages, with who may see it", () => {
    assert.deepStrictEqual([...routes].sort(), Object.keys(knownPages).sort())
    assert.deepStrictEqual(
      Object.fromEntries(consolePages.map(({ method, path, sees }) => [`${method} ${path}`, sees])),
      Object.fromEntries(Object.entries(knownPages).map(([route, { sees }]) => [route, sees]))
    )
  })

  it.live("opens for those who may see it, and for nobody else", () =>
    Effect.gen(function* () {
      const on = yield* stage
      for (const [route, known] of Object.entries(knownPages)) {
        const { sees } = known
        if (sees === "anyone") continue
        const status = (person: Person | null) => Effect.map(ask(on, route, known, person), (answer) => answer.status)
        const opens = (usual: Person, who: "member" | "owner" | "operator") =>
          Effect.map(
            Effect.flatMap(known.endsSession === true ? on.another[who] : Effect.succeed(usual), (person) =>
              ask(on, route, known, person)
            ),
            (answer) => {
              assert.isBelow(answer.status, 500, `${who}: ${route}: ${answer.text.slice(0, 2_000)}`)
              assert.notInclude([401, 403], answer.status, `${who}: ${route}`)
              if (known.mayBeGone !== true) assert.notStrictEqual(answer.status, 404, `${who}: ${route}`)
            }
          )

        const stranger = yield* ask(on, route, known, null)
        if (route.startsWith("GET")) {
          assert.strictEqual(stranger.status, 303, route)
          assert.include(stranger.location, "/console/sign-in", route)
        } else assert.include([401, 403], stranger.status, route)

        if (route.includes(":workspaceId"))
          for (const person of on.foreign) assert.strictEqual(yield* status(person), 404, `foreign: ${route}`)

        if (sees === "member" || sees === "signed_in") yield* opens(on.member, "member")
        else assert.strictEqual(yield* status(on.member), 403, `member: ${route}`)
        if (sees === "operator") assert.strictEqual(yield* status(on.owner), 403, `owner: ${route}`)
        else yield* opens(on.owner, "owner")
        yield* opens(on.operator, "operator")
      }
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )

  it.live("has no id twice, and a label on every field that a person fills in", () =>
    Effect.gen(function* () {
      const on = yield* stage
      for (const [route, known] of Object.entries(knownPages)) {
        if (!route.startsWith("GET")) continue
        const { text } = yield* ask(on, route, known, on.operator)
        const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)
        assert.deepStrictEqual(
          ids.filter((id, at) => ids.indexOf(id) !== at),
          [],
          route
        )
        const labelled = new Set([...text.matchAll(/<label[^>]* for="([^"]+)"/g)].map(([, id]) => id))
        const bare = text.replace(/<label class="box">.*?<\/label>/gs, "")
        for (const [control] of bare.matchAll(/<(?:input|select|textarea)[^>]*>/g)) {
          if (/ type="(?:hidden|submit)"/.test(control)) continue
          const [, id] = / id="([^"]+)"/.exec(control) ?? []
          assert.isTrue(labelled.has(id), `${route}: ${control}`)
        }
      }
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )

  it.live("takes no form without the CSRF token of its session, nor one that another site sends", () =>
    Effect.gen(function* () {
      const on = yield* stage
      for (const [route, known] of Object.entries(knownPages)) {
        if (!route.startsWith("POST") || known.sees === "anyone") continue
        const foreign = "This form did not come from this console"
        for (const [csrf, site, told] of [
          ["", { "sec-fetch-site": "same-origin" }, "This form is too old"],
          [on.member.csrf, { "sec-fetch-site": "same-origin" }, "This form is too old"],
          [on.operator.csrf, { "sec-fetch-site": "cross-site" }, foreign],
          [on.operator.csrf, { "sec-fetch-site": "same-site" }, foreign],
          [on.operator.csrf, { "sec-fetch-site": "none" }, foreign],
          [on.operator.csrf, { origin: "https://evil.example" }, foreign],
          [on.operator.csrf, { origin: "null" }, foreign],
          [on.operator.csrf, { "sec-fetch-site": "same-origin", origin: "https://evil.example" }, foreign],
          [on.operator.csrf, null, foreign]
        ] as const) {
          const answer = yield* ask(on, route, known, { ...on.operator, csrf }, site)
          assert.strictEqual(answer.status, 403, route)
          assert.include(answer.text, told, route)
        }
      }
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )

  it.live("takes no form and no address of which it would have to guess what is meant, and keeps what was typed", () =>
    Effect.gen(function* () {
      const on = yield* stage
      const send = (route: string, body: string, query: string) =>
        Effect.promise(async () => {
          const [method = "", path = ""] = route.split(" ")
          const address = path.replace(/:([A-Za-z]+)/g, (_, name) => encodeURIComponent(on.ids.get(name) ?? "missing"))
          const answer = await fetch(on.url + address + query, {
            method,
            redirect: "manual",
            headers: {
              cookie: on.operator.cookie,
              "sec-fetch-site": "same-origin",
              "content-type": "application/x-www-form-urlencoded"
            },
            ...(method === "POST" ? { body: `csrf=${on.operator.csrf}&${body}` } : {})
          })
          return { status: answer.status, text: await answer.text() }
        })
      for (const [route, known] of Object.entries(knownPages)) {
        if (known.sees === "anyone" || known.mayBeGone === true) continue
        const fields = new URLSearchParams({ ...known.fields }).toString()
        const [name = "extra", value = "x"] = Object.entries(known.fields ?? {})[0] ?? []
        const twice = `${name}=${encodeURIComponent(value)}&${name}=other`
        const broken = `${name}=kept%ff%zz`
        if (route.startsWith("POST")) {
          const rest = fields.replace(/^[^&]*&?/, "")
          for (const [body, told] of [
            [`${twice}&${rest}`, "is given more than once"],
            [`${broken}&${rest}`, "is not valid percent-encoding"],
            [`${fields}&extra=1&extra=2`, "is given more than once"]
          ] as const) {
            // A list of boxes may come several times.
            if (body.startsWith("scopes=")) continue
            const answer = yield* send(route, body, "")
            assert.strictEqual(answer.status, 400, `${route} ${body}`)
            assert.include(answer.text, told, route)
          }
          assert.strictEqual((yield* send(route, `csrf=${on.operator.csrf}&${fields}`, "")).status, 403, route)
        }
        for (const query of ["?x=1&x=2", "?x=%zz", "?x=%ff", "?notice=a&notice=b"]) {
          const answer = yield* send(route, fields, query)
          assert.strictEqual(answer.status, 400, route + query)
          assert.match(answer.text, /is given more than once|is not valid percent-encoding/, route + query)
        }
      }
      // What was typed stands in its field again.
      const workspace = `/console/${on.ids.get("workspaceId")}`
      const run = yield* send(
        `POST ${workspace}/catalog/mock-email-find/run`,
        "key=k&input.domain=a.example&input.domain=b.example&input.name=Ada",
        ""
      )
      assert.strictEqual(run.status, 400)
      for (const kept of ['value="a.example"', 'value="Ada"', 'id="f-input-domain-problem"'])
        assert.include(run.text, kept)
      const unknown = yield* send(`POST ${workspace}/catalog/mock-email-find/run`, "key=k&input.nmae=Ada", "")
      assert.strictEqual(unknown.status, 400)
      assert.include(unknown.text, "is no field of this operation")
      const filtered = yield* send(`GET ${workspace}/runs`, "", "?provider=mock&token=a&token=b")
      assert.strictEqual(filtered.status, 400)
      for (const kept of ['value="mock"', 'id="f-token-problem"']) assert.include(filtered.text, kept)
    }).pipe(Effect.provide(Layer.fresh(testGateway().http)))
  )
})
