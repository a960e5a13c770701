/** What all pages have in common: filters, pages of rows and files, the path prefix, and what a failure looks like. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { MediaId, RunId, WorkspaceId } from "../../../src/domain/Ids.js"
import { zero } from "../../../src/domain/Micros.js"
import { StorageBusy, StorageUncertain } from "../../../src/domain/StorageErrors.js"
import { Address, Caller, ProviderHealth, run, testGateway } from "../../../src/testing.js"
import { startAccounts } from "../../support/accountsGateway.js"
import { newBrowser } from "../../support/browser.js"
import { id, startGateway } from "../../support/httpGateway.js"
import { signInTo } from "../../support/signIn.js"

/** A signed-in owner of a workspace with so many runs, and a way to get pages of it. */
const withRuns = (count: number) =>
  Effect.gen(function* () {
    const { url } = yield* Address
    const { workspaceId } = (yield* Caller).principal
    const input = { name: "Ada Example", domain: "example.com" }
    yield* Effect.repeatN(run({ endpointId: "mock-email-find", input }), count - 1)
    const { cookie } = yield* signInTo(workspaceId, "owner")
    return (path: string) =>
      Effect.promise(async () => {
        const answer = await fetch(`${url}/console/${workspaceId}/${path}`, { headers: { cookie } })
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      })
  })
const onGateway = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof testGateway>["http"]>>) =>
  Effect.provide(work, Layer.fresh(testGateway({ inflightLimit: 100 }).http))

const rowsOf = (page: string) => [...page.matchAll(/data-live="(run_\w+)"/g)].map(([, id]) => id)
const linkOf = (page: string, label: string) =>
  new RegExp(`<a[^>]*href="/console/[^/]+/([^"]+)"[^>]*>${label}<`).exec(page)?.[1]?.replaceAll("&amp;", "&")

describe("a table of the console", () => {
  it.live("goes on to older rows without a gap, with its filters, and its file has all of them", () =>
    onGateway(
      Effect.gen(function* () {
        const get = yield* withRuns(53)
        const first = yield* get("runs?status=completed")
        const older = yield* get(linkOf(first.text, "Older") ?? "none")
        const ids = [...rowsOf(first.text), ...rowsOf(older.text)]
        assert.deepStrictEqual([rowsOf(first.text).length, rowsOf(older.text).length, new Set(ids).size], [50, 3, 53])
        assert.isUndefined(linkOf(older.text, "Older"))
        assert.strictEqual(linkOf(older.text, "Newest"), "runs?status=completed")

        const file = yield* get(linkOf(older.text, "Download CSV") ?? "none")
        assert.strictEqual(file.headers.get("content-type"), "text/csv; charset=utf-8")
        assert.strictEqual(file.headers.get("content-disposition"), 'attachment; filename="runs.csv"')
        const [head = "", ...lines] = file.text.trimEnd().split("\r\n")
        assert.match(head, /^Started,Run,Status,/)
        assert.match(head, /,Ended,/)
        assert.notMatch(head, /,Time,/)
        assert.deepStrictEqual(
          lines.map((line) => line.split(",")[1]),
          ids
        )
        assert.include(lines[0], ",0.005,")
      })
    )
  )

  it.live("tells beside its field what a filter cannot be, keeps what was typed, and lists nothing", () =>
    onGateway(
      Effect.gen(function* () {
        const get = yield* withRuns(1)
        const page = yield* get("runs?status=gone&from=yesterday&provider=mock")
        assert.strictEqual(page.status, 400)
        assert.match(page.text, /id="f-from"[^>]*aria-invalid="true"[^>]*value="yesterday"/)
        assert.include(page.text, "must be a time in ISO 8601")
        assert.include(page.text, "must be one of queued, running")
        assert.match(page.text, /id="f-provider"[^>]*value="mock"/)
        assert.deepStrictEqual(rowsOf(page.text), [])
        const none = yield* get("runs?provider=nobody")
        assert.include(none.text, "Nothing matches these filters.")
      })
    )
  )

  it.live(
    "says of a page that is no longer there that it is gone, and leads to the first page with the same filters",
    () =>
      onGateway(
        Effect.gen(function* () {
          const get = yield* withRuns(51)
          const cursor =
            new URLSearchParams(linkOf((yield* get("runs")).text, "Older")?.split("?")[1]).get("cursor") ?? ""
          for (const bad of [
            `cursor=${encodeURIComponent(cursor)}`,
            "cursor=edited",
            "cursor=a&cursor=b",
            "cursor=%ff"
          ]) {
            const wrong = yield* get(`runs?status=completed&${bad}`)
            assert.strictEqual(wrong.status, 400, bad)
            assert.include(wrong.text, "This page of the list is no longer there.", bad)
            assert.notInclude(wrong.text, "nextCursor", bad)
            assert.deepStrictEqual(rowsOf(wrong.text), [])
            assert.strictEqual(linkOf(wrong.text, "Show the first page"), "runs?status=completed", bad)
          }
          // A list without filters has one too.
          const bare = yield* get("tokens?cursor=edited")
          assert.strictEqual(linkOf(bare.text, "Show the first page"), "tokens")
        })
      )
  )
})

describe("an id in a table", () => {
  it.live("is the end of it, leads to its rows with the whole id as their filter, and can be copied whole", () =>
    onGateway(
      Effect.gen(function* () {
        const get = yield* withRuns(1)
        const { tokenId } = (yield* Caller).principal
        const runs = yield* get("runs")
        const [runId = ""] = rowsOf(runs.text)
        for (const id of [runId, tokenId]) {
          assert.include(runs.text, `…${id.slice(-6)}</code>`)
          assert.include(runs.text, `data-copy="${id}"`)
        }
        const own = yield* get(`runs?token=${tokenId}`)
        assert.include(runs.text, `runs?token=${tokenId}"`)
        assert.deepStrictEqual(rowsOf(own.text), [runId])
        assert.include(own.text, `value="${tokenId}"`)
        const entries = yield* get(`ledger?run=${runId}`)
        assert.strictEqual(entries.status, 200)
        assert.include(entries.text, `/runs/${runId}"`)
        // The end alone is no id, and the filter says so instead of finding nothing.
        for (const [path, id] of [
          ["runs?token=", tokenId],
          ["ledger?run=", runId]
        ] as const) {
          const short = yield* get(path + id.slice(-6))
          assert.strictEqual(short.status, 400, path)
          assert.include(short.text, "must be a whole id")
          assert.include(short.text, `value="${id.slice(-6)}"`)
        }
      })
    )
  )
})

describe("a file of a result", () => {
  it.scopedLive("is downloaded by the session with the headers of safety that the API gives it", () =>
    Effect.gen(function* () {
      const page = new TextEncoder().encode("<script>alert(1)</script>")
      const gateway = yield* startAccounts({
        runs: {
          media: () =>
            Effect.succeed({
              workspaceId: WorkspaceId.make(id("ws", 1)),
              runId: RunId.make(id("run", 1)),
              mediaId: MediaId.make(id("med", 1)),
              contentType: "text/html",
              filename: "report.html",
              size: page.length,
              sha256: "a".repeat(64),
              part: (start, end) => Effect.succeed(page.slice(start, end))
            })
        }
      })
      const { cookie, workspaceId } = yield* gateway.signedIn("member")
      const file = `runs/${id("run", 1)}/media/${id("med", 1)}`
      const { authorization } = yield* gateway.person()
      const api = yield* gateway.get(`/v1/${file}`, { authorization })
      const own = yield* gateway.get(`/console/${workspaceId}/${file}`, { authorization: null, headers: { cookie } })
      assert.deepStrictEqual([own.status, own.text, api.status], [200, "<script>alert(1)</script>", 200])
      for (const name of [
        "content-type",
        "content-length",
        "content-disposition",
        "content-security-policy",
        "x-content-type-options",
        "etag"
      ])
        assert.strictEqual(own.headers.get(name), api.headers.get(name), name)
      // A browser asks the gateway each time, so that it shows nothing after its person has signed out.
      assert.strictEqual(own.headers.get("cache-control"), "private, no-cache")
      assert.match(own.headers.get("content-disposition") ?? "", /^attachment; filename="report.html"/)
      assert.strictEqual(own.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(own.headers.get("content-security-policy"), "default-src 'none'; sandbox")
      const part = yield* gateway.get(`/console/${workspaceId}/${file}`, {
        authorization: null,
        headers: { cookie, range: "bytes=1-6" }
      })
      assert.deepStrictEqual([part.status, part.text], [206, "script"])
      const stranger = yield* gateway.signedIn()
      const foreign = yield* gateway.get(`/console/${workspaceId}/${file}`, {
        authorization: null,
        headers: { cookie: stranger.cookie }
      })
      assert.strictEqual(foreign.status, 404)
    })
  )
})

describe("the page of a run", () => {
  it.live("that was refused says so, and not that it was started or held anything", () =>
    onGateway(
      Effect.gen(function* () {
        const get = yield* withRuns(1)
        const refused = yield* run({ endpointId: "no-such-operation", input: {} })
        const page = yield* get(`runs/${refused.run.runId}`)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "Refused before anything was sent; nothing was held or charged")
        for (const wrong of ["Started;", "Settled;", "Taken from what was held"]) assert.notInclude(page.text, wrong)
        const completed = yield* run({
          endpointId: "mock-email-find",
          input: { name: "Ada Example", domain: "example.com" }
        })
        const other = yield* get(`runs/${completed.run.runId}`)
        for (const right of ["Started;", "Settled;", "Taken from what was held"]) assert.include(other.text, right)
      })
    )
  )

  it.live(
    "that was refused by fault of the gateway has the outcome error, on the page, in the list and in its file",
    () =>
      onGateway(
        Effect.gen(function* () {
          const get = yield* withRuns(1)
          yield* (yield* ProviderHealth).setState("mock", "disabled", commandLine)
          const made = yield* run({ endpointId: "mock-email-find", input: {} })
          assert.strictEqual(made.run.error?.code, "provider_disabled")
          const pages = yield* Effect.forEach([`runs/${made.run.runId}`, "runs?status=failed"], get)
          for (const { text } of pages) {
            assert.match(text, /<span class="badge bad">error</)
            assert.notInclude(text, "rejected")
          }
          assert.match((yield* get("runs?status=failed&format=csv")).text, /,mock,error,/)
        })
      )
  )
})

describe("a page of the console", () => {
  it.scopedLive("puts the path prefix of the public URL before every address", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts({ settings: { publicUrl: "https://gateway.test/pay" } })
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const page = yield* gateway.get(`/console/${workspaceId}/connections`, {
        authorization: null,
        headers: { cookie }
      })
      assert.strictEqual(page.status, 200)
      const addresses = [...page.text.matchAll(/ (?:href|src|action|formaction)="([^"]*)"/g)].map(([, to = ""]) => to)
      assert.isAbove(addresses.length, 8)
      assert.deepStrictEqual(
        addresses.filter((to) => !to.startsWith("/pay/console") && to !== "/pay/docs" && !to.startsWith("#")),
        []
      )
      const [style = ""] = addresses.filter((to) => to.endsWith(".css"))
      const file = yield* gateway.get(style.slice("/pay".length), { authorization: null })
      assert.strictEqual(file.headers.get("content-type"), "text/css; charset=utf-8")
      assert.include(file.headers.get("cache-control"), "immutable")
      assert.isAbove(file.text.length, 1_000)
    })
  )

  it.scopedLive("says of a change whose end is not known just that, with or without its form", () =>
    Effect.gen(function* () {
      let readable = true
      const gateway = yield* startAccounts({
        reports: {
          workspace: (workspaceId) =>
            readable
              ? Effect.succeed({
                  workspaceId,
                  name: "acme",
                  operator: false,
                  inflight: 0,
                  createdAt: 0,
                  lastRunAt: null,
                  availableMicros: zero,
                  reservedMicros: zero
                })
              : Effect.fail(new StorageBusy({ retryAfterSeconds: 2 }))
        },
        wallet: { credit: () => Effect.fail(new StorageUncertain()) }
      })
      const { workspaceId } = yield* gateway.person()
      const { cookie, csrf } = yield* gateway.operator
      const credit = newBrowser(gateway, cookie).post(`/console/operator/workspaces/${workspaceId}/credit`, {
        csrf,
        amountUsd: "5",
        reason: "a refund",
        key: "console_key",
        confirmed: "yes"
      })
      const withForm = yield* credit
      assert.strictEqual(withForm.status, 503)
      assert.include(withForm.text, "was lost at the moment of the change")
      assert.include(withForm.text, 'name="key" value="console_key"')
      assert.include(withForm.text, "it is done once")
      assert.notInclude(withForm.text, "Nothing was done")
      // The same outage keeps the page of the form from being read.
      readable = false
      const without = yield* credit
      assert.strictEqual(without.status, 503)
      assert.include(without.text, "It is not known whether this was done")
      assert.notInclude(without.text, "Nothing was done")
    })
  )

  it.scopedLive("lets nothing in from elsewhere and nothing run that is not a file of ours", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const page = yield* gateway.get(`/console/${workspaceId}/connections`, {
        authorization: null,
        headers: { cookie }
      })
      assert.strictEqual(
        page.headers.get("content-security-policy"),
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
      )
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.notMatch(page.text, /<script(?![^>]* src=)|<style| style=| on[a-z]+=|javascript:/)
    })
  )

  it.scopedLive("that fails says so as a page, without anything internal, and so does one that is not there", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const get = (path: string) => gateway.get(path, { authorization: null, headers: { cookie } })
      // No test has set the wallet here: reading it is a defect.
      const broken = yield* get(`/console/${workspaceId}/overview`)
      assert.strictEqual(broken.status, 500)
      assert.include(broken.text, "Something went wrong on our side")
      assert.include(broken.text, broken.headers.get("x-request-id") ?? "no id")
      assert.notMatch(broken.text, /Wallet|was not set|\.ts/)
      for (const path of [`/console/${workspaceId}/budgets`, "/console/nowhere", "/console/operators"]) {
        const missing = yield* get(path)
        assert.strictEqual(missing.status, 404, path)
        assert.include(missing.text, "There is no page at this address", path)
      }
    })
  )

  it.scopedLive("is found with a slash at its end, and the addresses above pages lead to one", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const operator = yield* gateway.operator
      const leads = (path: string, who: string) =>
        Effect.map(gateway.get(path, { authorization: null, headers: { cookie: who } }), ({ headers, status }) => [
          status,
          headers.get("location")
        ])
      const own = `/console/${workspaceId}`
      for (const [path, to] of [
        ["/console/", "/console"],
        [`${own}/`, own],
        [own, `${own}/overview`],
        [`${own}/runs/?status=failed`, `${own}/runs?status=failed`],
        [`${own}/runs//`, `${own}/runs`],
        ["/console/sign-in", "/console"],
        [`/console/sign-in?next=${encodeURIComponent(`${own}/runs?status=failed`)}`, `${own}/runs?status=failed`],
        ["/console/sign-in?next=https%3A%2F%2Fevil.example", "/console"]
      ] as const)
        assert.deepStrictEqual(yield* leads(path, cookie), [303, to], path)
      const asked = yield* gateway.send("HEAD", "/console/", { authorization: null, headers: { cookie } })
      assert.deepStrictEqual([asked.status, asked.headers.get("location")], [303, "/console"])
      assert.deepStrictEqual(yield* leads("/console/operator", operator.cookie), [303, "/console/operator/health"])
      assert.deepStrictEqual(yield* leads("/console/operator/", operator.cookie), [303, "/console/operator"])
      assert.deepStrictEqual(yield* leads("/console/operator", cookie), [403, null])
      const other = yield* gateway.signedIn()
      assert.deepStrictEqual(yield* leads(own, other.cookie), [404, null])
      // No address leads to another site.
      for (const path of ["/console//evil.example/", "/console/%2f%2fevil.example/", "/console/..//evil.example/"]) {
        const [status, to] = yield* leads(path, cookie)
        assert.isTrue(status === 404 || (to ?? "").toString().startsWith("/console"), `${path}: ${status} ${to}`)
      }
    })
  )

  it.scopedLive("that cannot be is told as a page: percent-encoding, a method, a form that is not there", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      for (const [method, path, status] of [
        ["GET", "/console/%ff", 400],
        ["GET", "/console/a%zz/runs", 400],
        ["GET", "/approve/%ff", 400],
        ["POST", "/console/%ff", 400],
        ["POST", "/console/nowhere/at/all", 404],
        ["PUT", "/console", 405],
        ["DELETE", "/console/sign-in", 405]
      ] as const) {
        const answer = yield* gateway.send(method, path, { authorization: null })
        assert.strictEqual(answer.status, status, path)
        assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8", path)
        assert.include(answer.text, "Back to the console", path)
        assert.include(answer.headers.get("content-security-policy"), "default-src 'none'")
      }
      // What is no page goes on being told to programs.
      assert.strictEqual((yield* gateway.get("/consoles/%ff")).headers.get("content-type"), "application/json")
    })
  )

  it.scopedLive("says that the database is away, and that nothing was done", () =>
    Effect.gen(function* () {
      const away = Effect.fail(new StorageBusy({ retryAfterSeconds: 2 }))
      const gateway = yield* startGateway({ sessions: { find: () => away } })
      const answer = yield* gateway.get("/console", {
        authorization: null,
        headers: { cookie: "__Host-gateway_session=x" }
      })
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "2"])
      assert.include(answer.text, "The database cannot be reached")
      assert.include(answer.text, "Nothing was done. Try again in 2 seconds.")
      assert.notInclude(answer.text, "same key")
    })
  )
})
