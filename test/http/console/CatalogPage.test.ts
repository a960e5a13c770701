/** The catalog's pages as a shop window: what runs here stands first, and what is missing for the rest is said. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../../src/domain/Ids.js"
import { pageRowsMax } from "../../../src/domain/limits/Lists.js"
import type { Connections } from "../../../src/services/Connections.js"
import type { Quote } from "../../../src/services/Runs.js"
import { startAccounts } from "../../support/accountsGateway.js"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"

const auth = { type: "bearer" }
const perCall = (micros: number) => ({ basis: "per_call", micros })
const content = {
  jobs: [job("people.email.find", { title: "Find an email", exampleInput: { name: "Ada" } })],
  endpoints: [
    endpoint({ id: "a-dear", job: "people.email.find", price: perCall(900_000), provider: { id: "dear", auth } }),
    endpoint({ id: "b-cheap", job: "people.email.find", price: perCall(10_000), provider: { id: "cheap", auth } }),
    endpoint({ id: "c-fair", job: "people.email.find", price: perCall(20_000), provider: { id: "fair", auth } }),
    endpoint({ id: "d-soon", category: "extras", activated: false }),
    endpoint({ id: "zz-send", category: "extras", effect: "effectful", repeatable: false }),
    ...Array.from({ length: 130 }, (_, n) =>
      endpoint({ id: `z-free-${String(n).padStart(3, "0")}`, category: "extras" })
    )
  ]
}
const world = newWorld()
world.platformKeys.add("cheap").add("fair")

const held: Quote["holdMicros"] = 10_000 as Quote["holdMicros"]
const quote = {
  plan: { candidates: [{ endpointId: "b-cheap", providerId: "cheap", maxMicros: held }] },
  holdMicros: held,
  refusal: null,
  problems: [],
  limits: []
} as unknown as Quote

const withPages = <A, E>(
  use: (
    page: (path: string, who?: "owner" | "member") => Effect.Effect<{ status: number; text: string }>,
    on: { readonly workspaceId: WorkspaceId; readonly connections: Connections["Type"] }
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const gateway = yield* startAccounts({
      catalogLayer: servedCatalog(content, world),
      runs: { quote: () => Effect.succeed(quote) },
      wallet: { balance: () => Effect.succeed({ availableMicros: 5_000_000, reservedMicros: 0 } as never) }
    })
    const owner = yield* gateway.signedIn()
    const member = yield* gateway.signedIn("member", owner.workspaceId)
    return yield* use(
      (path, who = "owner") =>
        gateway.get(`/console/${owner.workspaceId}/${path}`, {
          authorization: null,
          headers: { cookie: (who === "owner" ? owner : member).cookie }
        }),
      { workspaceId: owner.workspaceId, connections: gateway.connections }
    )
  })

const cardsOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/class="card">\s*<h[23]><a href="[^"]*\/catalog\/([^"]+)"/g)].map(([, id = ""]) => id)
const moreOf = (page: string): string | null =>
  /href="\/console\/[^/]+\/([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? null

describe("the catalog page", () => {
  it.scopedLive("begins with what runs here, goes on to what does not, and shows each operation once", () =>
    withPages((page) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const titles: Array<string> = []
        let path: string | null = "catalog"
        while (path !== null) {
          const { status, text }: { status: number; text: string } = yield* page(path)
          assert.strictEqual(status, 200)
          assert.match(text, /135<\/span> operations/)
          seen.push(...cardsOf(text))
          titles.push(
            ...[...text.matchAll(/<h2>([A-Za-z ]+) <small>(\d+)/g)].map(([, title, count]) => `${title} ${count}`)
          )
          path = moreOf(text)
        }
        assert.strictEqual(seen.length, 135)
        assert.strictEqual(new Set(seen).size, 135)
        assert.deepStrictEqual(seen.slice(0, 3), ["b-cheap", "c-fair", "z-free-000"])
        assert.deepStrictEqual([...seen.slice(-2)].sort(), ["a-dear", "d-soon"])
        assert.deepStrictEqual(titles.slice(0, 1), ["Run here now 133"])
      })
    )
  )

  it.scopedLive("says what is missing, to an owner with the way to it", () =>
    withPages((page) =>
      Effect.gen(function* () {
        const key = yield* page("catalog?access=needs_your_account")
        const soon = yield* page("catalog?access=coming_soon")
        const shown = new Map([
          ...cardsOf(key.text).map((id) => [id, key.text] as const),
          ...cardsOf(soon.text).map((id) => [id, soon.text] as const)
        ])
        assert.deepStrictEqual([...shown.keys()].sort(), ["a-dear", "d-soon"])
        assert.include(shown.get("d-soon"), "Ask the operator.")
        assert.deepStrictEqual(cardsOf(key.text), ["a-dear"])
        assert.include(key.text, 'connections?provider=dear">Add your key at dear</a>')
        assert.include(
          (yield* page("catalog?access=needs_your_account", "member")).text,
          "Ask an owner of the workspace"
        )
        const found = yield* page("catalog?q=free&access=coming_soon")
        assert.deepStrictEqual(
          cardsOf(found.text).filter((id) => id.startsWith("z-free")),
          []
        )
        for (const wrong of ["catalog?access=soon", "catalog?part=soon", "catalog?q=a&offset=-1"])
          assert.strictEqual((yield* page(wrong)).status, 400, wrong)
        const long = yield* page(`catalog?q=${"x".repeat(600)}`)
        assert.strictEqual(long.status, 400)
        assert.include(long.text, `value="${"x".repeat(600)}"`)
      })
    )
  )
})

describe("the page of a job", () => {
  it.scopedLive("shows the price of the provider at which a run begins, and the range of those that can run", () =>
    withPages((page) =>
      Effect.gen(function* () {
        const { status, text } = yield* page("catalog/job%3Apeople.email.find")
        assert.strictEqual(status, 200, text.slice(0, 3000))
        const plain = text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ")
        assert.include(plain, "With the example this runs at b-cheap and costs up to $0.01.")
        assert.include(plain, "$0.01 per call to $0.02 per call over the 2 that can run here now")
        assert.include(plain, "$0.01 per call to $0.90 per call over all 3")
        // The dearest needs a key that is not there.
        assert.notInclude(plain, "Most that a run costs")
      })
    )
  )

  it.scopedLive("runs a read-only operation at Enter, and shows the cost of an effectful one", () =>
    withPages((page) =>
      Effect.gen(function* () {
        const pressed = (text: string) =>
          /<button type="submit"[^>]*>([^<]*)<\/button>/.exec(text.split('<div class="actions">').at(-1) ?? "")?.[1]
        assert.strictEqual(pressed((yield* page("catalog/job%3Apeople.email.find")).text), "Run")
        assert.strictEqual(pressed((yield* page("catalog/zz-send")).text), "Show the cost first")
      })
    )
  )
})

describe("the page of an operation", () => {
  it.scopedLive("offers every connection to its provider, however many newer ones lead elsewhere", () =>
    withPages((page, { connections, workspaceId }) =>
      Effect.gen(function* () {
        const connect = (providerId: string, label: string) =>
          connections.create(
            { workspaceId, providerId, label, secret: Redacted.make("secret"), expiresAt: null },
            commandLine
          )
        assert.include((yield* page("catalog/a-dear")).text, "Add a connection")
        yield* connect("dear", "the oldest")
        yield* Effect.forEach(Array.from({ length: pageRowsMax }), () => connect("cheap", "elsewhere"))
        const { text } = yield* page("catalog/a-dear")
        assert.include(text, "Your own: the oldest")
        assert.notInclude(text, "Your own: elsewhere")
        assert.notInclude(text, "Add a connection")
      })
    )
  )
})
