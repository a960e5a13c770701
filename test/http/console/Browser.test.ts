/**
 * The console in a browser: what people do with it, and that every page can be read on a phone, in the dark and with a
 * screen reader. One browser and one gateway for all of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Redacted } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { quoteRequestOf } from "../../../src/http/runs/RunRequestBody.js"
import { Connections } from "../../../src/services/Connections.js"
import { Address, Caller, drop, hit, run, Runs, testGateway } from "../../../src/testing.js"
import { barriers, chromiumPath, clipped, openBrowser } from "../../support/chromium.js"
import { knownPages } from "../../support/consolePages.js"
import { signInAsOperator, signInTo } from "../../support/signIn.js"

const stage = Effect.gen(function* () {
  const { url } = yield* Address
  const { tokenId, workspaceId } = (yield* Caller).principal
  const input = { name: "Ada Example", domain: "example.com" }
  const made = yield* run({ endpointId: "job:people.email.find", input })
  yield* run({ endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } })
  yield* (yield* Connections).create(
    {
      workspaceId,
      providerId: "mock",
      label: "a key of ours with a long name",
      secret: Redacted.make("secret"),
      expiresAt: null
    },
    commandLine
  )
  return {
    url,
    workspaceId,
    ids: new Map<string, string>([
      ["workspaceId", workspaceId],
      ["tokenId", tokenId],
      ["workspace", workspaceId],
      ["endpointId", "job:people.email.find"],
      ["runId", made.run.runId]
    ]),
    owner: yield* signInTo(workspaceId, "owner"),
    operator: yield* signInAsOperator()
  }
})

describe.skipIf(chromiumPath === null)("the console in a browser (skipped where there is no Chromium)", () => {
  const runtime = ManagedRuntime.make(
    testGateway({
      providers: { "mock-send-message": drop(), "mock-slow-email-find": hit(undefined, { after: 6_000 }) }
    }).http
  )
  let on: Effect.Effect.Success<typeof stage>
  let browser: Browser

  beforeAll(async () => {
    on = await runtime.runPromise(stage)
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await runtime.dispose()
  })

  const open = async (
    person: { readonly cookie: string },
    options: { readonly width?: number; readonly dark?: boolean; readonly script?: boolean } = {}
  ): Promise<{ readonly context: BrowserContext; readonly page: Page; readonly complaints: ReadonlyArray<string> }> => {
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.dark === true ? "dark" : "light",
      javaScriptEnabled: options.script !== false
    })
    const [name = "", value = ""] = person.cookie.split("=")
    if (name !== "") await context.addCookies([{ name, value, url: on.url }])
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("console", (message) => {
      // A page that answers 400 or more is named in the console by the browser itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text())
    })
    return { context, page, complaints }
  }
  const address = (path: string) =>
    on.url + path.replace(/:([A-Za-z]+)/g, (_, name) => encodeURIComponent(on.ids.get(name) ?? "missing"))

  const looks = [
    { width: 390, dark: true },
    { width: 390, dark: false },
    { width: 1280, dark: true },
    { width: 1280, dark: false }
  ]
  for (const look of looks) {
    const { dark, width } = look
    it(`shows every page at ${width} px, ${dark ? "dark" : "light"}, without a barrier, a clipped text or an error`, async () => {
      const pages = Object.entries(knownPages).flatMap(([route, { look: shown, sees }]) => {
        const [method, path = ""] = route.split(" ")
        return method === "GET" && shown === true ? [{ path, sees }] : []
      })
      const owner = await open(on.owner, look)
      const operator = await open(on.operator, look)
      const nobody = await open({ cookie: "" }, look)
      for (const { path, sees } of pages) {
        const { complaints, page } = sees === "operator" ? operator : sees === "anyone" ? nobody : owner
        const answer = await page.goto(address(path))
        assert.strictEqual(answer?.status(), 200, path)
        assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width, `${path} is too wide`)
        assert.deepStrictEqual(await clipped(page), [], path)
        assert.deepStrictEqual(await barriers(page), [], path)
        assert.deepStrictEqual(complaints, [], path)
      }
      await owner.context.close()
      await operator.context.close()
      await nobody.context.close()
    }, 120_000)
  }

  it("runs an operation from its page: the cost before, one run for a double click, the cost after", async () => {
    const { complaints, context, page } = await open(on.owner)
    await page.goto(address("/console/:workspaceId/catalog"))
    await page.getByRole("searchbox").fill("fixture e-mail finder")
    await page.getByRole("link", { name: "Fixture e-mail finder" }).first().waitFor()
    await page.waitForURL(/q=fixture/)
    await page.getByRole("link", { name: "Fixture e-mail finder" }).first().click()
    await page.locator('[name="input.name"]').fill("Ada Example")
    await page.locator('[name="input.domain"]').fill("example.com")
    await page.getByRole("button", { name: "Show the cost first" }).click()
    await page.getByText("is held, and what the run really costs").waitFor()
    assert.strictEqual(await page.locator('[name="input.domain"]').inputValue(), "example.com")
    await page.getByRole("button", { name: "Run", exact: true }).dblclick()
    await page.waitForURL(/\/runs\/run_/)
    await page.getByText("completed").first().waitFor()
    assert.include(await page.getByText("After: charged").locator("..").innerText(), "$0.005")
    const runId = page.url().split("/").at(-1) ?? ""
    await page.goto(address("/console/:workspaceId/runs?endpoint=mock-email-find"))
    const rows = await page.locator("tbody tr").evaluateAll((all) => all.map((row) => row.getAttribute("data-live")))
    assert.strictEqual(rows.filter((id) => id === runId).length, 1)
    assert.strictEqual(rows.length, 2)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }, 60_000)

  it("brings a run under way up to date where it stands, and announces newer ones without moving anything", async () => {
    const start = (key: string) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { principal } = yield* Caller
          const request = quoteRequestOf(
            { endpointId: "mock-slow-email-find", input: { name: "Ada Example", domain: "example.com" } },
            key
          )
          return yield* (yield* Runs).create(principal, { ...request, idempotencyKey: key }, 0)
        })
      )
    const { context, page } = await open(on.owner)
    const { run: slow } = await start("slow one")
    await page.goto(address("/console/:workspaceId/runs"))
    const first = page.locator("tbody tr").first()
    assert.strictEqual(await first.getAttribute("data-live"), slow.runId)
    await first.getByText("running").waitFor()
    await first.getByText("completed").waitFor()
    await start("newer one")
    await page.getByText("There are newer runs.").waitFor()
    assert.strictEqual(await first.getAttribute("data-live"), slow.runId)
    await page.getByRole("link", { name: "Show them" }).click()
    await page.locator(`tbody tr:nth-child(2)[data-live="${slow.runId}"]`).waitFor()
    await context.close()
  }, 60_000)

  it("copies the whole id of which a table shows the end", async () => {
    const { complaints, context, page } = await open(on.owner)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: on.url })
    await page.goto(address("/console/:workspaceId/runs"))
    const row = page.locator("tbody tr").last()
    await row.getByRole("button", { name: /^Copy run_/ }).click()
    await row.locator("[data-copied]").waitFor()
    assert.strictEqual(await page.evaluate("navigator.clipboard.readText()"), await row.getAttribute("data-live"))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }, 60_000)

  it("tells the runs apart on a phone by the ends of their ids, and leaves out what is minor", async () => {
    const { context, page } = await open(on.owner, { width: 390 })
    await page.goto(address("/console/:workspaceId/runs"))
    const row = page.locator("tbody tr").last()
    const runId = (await row.getAttribute("data-live")) ?? "none"
    assert.isTrue(await row.getByRole("link", { name: runId.slice(-6) }).isVisible())
    assert.isFalse(await row.locator('[data-label="Provider"]').isVisible())
    await context.close()
  }, 60_000)

  it("makes a token that works, is shown once, can be copied, and is revoked", async () => {
    const { complaints, context, page } = await open(on.owner)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: on.url })
    const whoami = async (token: string) =>
      (await fetch(`${on.url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })).status
    await page.goto(address("/console/:workspaceId/tokens"))
    await page.locator("[name=label]").fill("for the browser test")
    await page.locator("[name=monthlyLimitUsd]").fill("two")
    await page.getByRole("button", { name: "Make token" }).click()
    await page.getByText("must be dollars with at most six decimals").waitFor()
    assert.strictEqual(await page.locator("[name=label]").inputValue(), "for the browser test")
    await page.locator("[name=monthlyLimitUsd]").fill("2")
    await page.getByRole("button", { name: "Make token" }).click()
    const token = await page.locator("#secret").innerText()
    assert.strictEqual(await whoami(token), 200)
    await page.getByRole("button", { name: "Copy", exact: true }).click()
    await page.locator("[data-copied]").waitFor()
    assert.strictEqual(await page.evaluate("navigator.clipboard.readText()"), token)
    await page.getByRole("link", { name: "I have it" }).click()
    assert.notInclude(await page.content(), token)
    await page.getByRole("link", { name: "for the browser test" }).click()
    page.once("dialog", (dialog) => void dialog.accept())
    await page.getByRole("button", { name: "Revoke token" }).click()
    await page.getByText("The token is revoked.").waitFor()
    assert.strictEqual(await whoami(token), 401)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }, 60_000)

  it("tells beside the field what is wrong, goes to it, and keeps what was typed", async () => {
    const { context, page } = await open(on.owner)
    await page.goto(address("/console/:workspaceId/catalog/job%3Apeople.email.verify"))
    const email = page.locator('[name="input.email"]')
    await email.fill("no address")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.locator(".problem").first().waitFor()
    assert.strictEqual(await email.inputValue(), "no address")
    assert.strictEqual(await email.getAttribute("aria-invalid"), "true")
    assert.strictEqual(await page.evaluate("document.activeElement.name"), "input.email")
    assert.include(page.url(), "/catalog/")
    await context.close()
  }, 60_000)

  it("resolves an uncertain run on the desk after it was shown once more, without script, and shows it on the ledger and in the audit trail", async () => {
    const { complaints, context, page } = await open(on.operator, { script: false })
    await page.goto(address("/console/operator/health"))
    await page.getByText("Oldest run that waits for a person").waitFor()
    await page.getByRole("link", { name: "Desk" }).click()
    await page.locator("tbody tr").first().getByRole("link").first().click()
    await page.waitForURL(/\/desk\/run_/)
    const runId = page.url().split("/").at(-1) ?? ""
    // The evidence: what was sent, and how the provider would be asked.
    const shown = await page.locator("main").innerText()
    for (const part of ["mock-send-message", "ada@example.com", "How to look it up"]) assert.include(shown, part)
    const decide = async (dollars: string) => {
      await page.getByLabel("What became of the money").selectOption("partly_charged")
      await page.getByLabel("Charge in US dollars").fill(dollars)
      await page.getByLabel("Reason").fill("their invoice of today")
      await page.getByRole("button", { name: "Go on" }).click()
    }
    // What does not fit is told beside its field, and what was typed stays.
    await decide("900")
    await page.locator(".problem").first().waitFor()
    assert.strictEqual(await page.getByLabel("Reason").inputValue(), "their invoice of today")
    await decide("0.004")
    // Nothing is settled yet: the decision is shown with whose money it is about and what it means.
    await page.getByText("Settle this run?").first().waitFor()
    const asked = await page.locator("main").innerText()
    for (const part of [runId, on.workspaceId, "partly charged", "$0.004", "their invoice of today", "This is final"])
      assert.include(asked, part)
    await page.getByRole("link", { name: "Cancel" }).click()
    await decide("0.004")
    await page.getByRole("button", { name: "Settle the run" }).click()
    await page.getByText("The run is settled.").waitFor()
    const settled = await page.locator(".tiles").innerText()
    assert.include(settled, "Was held")
    assert.include(settled, "Released")
    await page.goto(address(`/console/:workspaceId/ledger?run=${runId}`))
    const ledger = await page.locator("tbody").innerText()
    assert.include(ledger, "their invoice of today")
    assert.match(ledger, /-\$0\.004\b/)
    await page.goto(address(`/console/operator/audit?subject=${runId}`))
    const trail = await page.locator("tbody").innerText()
    for (const part of ["run.resolved", "partly_charged", "their invoice of today"]) assert.include(trail, part)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }, 60_000)

  it("credits a workspace after it was shown once more, and switches a provider off and on", async () => {
    const { context, page } = await open(on.operator)
    await page.goto(address("/console/operator/workspaces/:workspace"))
    await page.getByLabel("Amount in US dollars").fill("12.5x")
    await page.getByLabel("Reason").first().fill("a gift")
    await page.getByRole("button", { name: "Go on" }).click()
    await page.locator(".problem").first().waitFor()
    assert.strictEqual(await page.getByLabel("Amount in US dollars").inputValue(), "12.5x")
    await page.getByLabel("Amount in US dollars").fill("12.50")
    await page.getByRole("button", { name: "Go on" }).click()
    await page.getByText("Available now").waitFor()
    await page.getByRole("button", { name: "Credit", exact: true }).click()
    await page.getByText("The credit is on the ledger.").waitFor()
    await page.goto(address("/console/:workspaceId/ledger?kind=adjustment"))
    assert.include(await page.locator("tbody").innerText(), "+$12.50")
    page.on("dialog", (dialog) => void dialog.accept())
    await page.goto(address("/console/operator/providers?q=mock-slow"))
    await page.getByRole("button", { name: /^Disable/ }).click()
    await page.getByText("The state was changed.").waitFor()
    await page.goto(address("/console/operator/providers?q=mock-slow"))
    await page.getByText("disabled", { exact: true }).waitFor()
    await page.getByRole("button", { name: /^Enable/ }).click()
    await page.getByText("The state was changed.").waitFor()
    await context.close()
  }, 60_000)
})
