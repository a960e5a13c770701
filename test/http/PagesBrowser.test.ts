/** The pages that need no session in a browser: on a phone, in the dark, with a screen reader, and by the keyboard. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { guides } from "../../src/http/pages/Guides.js"
import { type Listening, testGateway } from "../../src/testing.js"
import { barriers, chromiumPath, clipped, openBrowser } from "../support/chromium.js"
import { type Loose, startGateway } from "../support/httpGateway.js"

const pages = ["/", "/docs", "/docs/nothing", "/docs/reference", ...guides.map(({ name }) => `/docs/${name}`)]

describe.skipIf(chromiumPath === null)("the pages without a session in a browser (skipped without Chromium)", () => {
  let on: Listening
  let browser: Browser
  beforeAll(async () => {
    on = await testGateway().listen()
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await on?.close()
  })

  const open = async (look: { readonly width?: number; readonly dark?: boolean } = {}) => {
    const context = await browser.newContext({
      viewport: { width: look.width ?? 1280, height: 900 },
      colorScheme: look.dark === true ? "dark" : "light"
    })
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("console", (message) => {
      // A page that answers 400 or more is named in the console by the browser itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text())
    })
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(on.url).origin) complaints.push(request.url())
    })
    return { context, page, complaints }
  }
  /** Until Swagger UI has made the operations. */
  const shown = (page: Page) => page.locator(".opblock").first().waitFor({ timeout: 30_000 })
  const openedOperation = ".opblock.is-open"

  for (const { dark, width } of [
    { width: 390, dark: true },
    { width: 1280, dark: false }
  ]) {
    it(`are shown at ${width} px, ${dark ? "dark" : "light"}, without a barrier, a clipped text, a complaint or a request to elsewhere`, async () => {
      const { complaints, context, page } = await open({ width, dark })
      for (const path of pages) {
        const answer = await page.goto(on.url + path)
        assert.strictEqual(answer?.status(), path === "/docs/nothing" ? 404 : 200, path)
        if (path === "/docs/reference") {
          await shown(page)
          await page.locator("[data-path='/v1/runs/quote']").click()
          await page.locator(openedOperation).getByRole("tab", { name: "Schema" }).first().click()
          await page.locator(`${openedOperation} .json-schema-2020-12-property`).first().waitFor()
        }
        assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width, `${path} is too wide`)
        assert.deepStrictEqual(await clipped(page), [], path)
        assert.deepStrictEqual(await barriers(page), [], path)
        assert.deepStrictEqual(complaints, [], path)
      }
      await context.close()
    }, 180_000)
  }

  it("show every operation of the document in the reference, each at the place to which /docs links", async () => {
    const { complaints, context, page } = await open()
    const document: Loose = await (await fetch(`${on.url}/openapi.json`)).json()
    const operations = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
    )
    await page.goto(`${on.url}/docs`)
    const links = await page
      .locator('a[href*="/docs/reference#"]')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute("href")] as const))
    assert.sameMembers(
      links.map(([route]) => route),
      operations
    )
    await page.goto(`${on.url}/docs/reference`)
    await shown(page)
    const places = await page
      .locator(".opblock")
      .evaluateAll((all) =>
        all.map((block) => [
          block.id.replaceAll("\\", ""),
          `${block.querySelector(".opblock-summary-method")?.textContent} ${block.querySelector("[data-path]")?.getAttribute("data-path")}`
        ])
      )
    assert.sameDeepMembers(
      places,
      links.map(([route, address]) => [`operations${address?.split("#")[1]?.replaceAll("/", "-")}`, route])
    )
    assert.deepStrictEqual(complaints, [])
    await context.close()
  }, 60_000)

  it("lead from a route on /docs to its operation, which is opened and says what it needs", async () => {
    const { context, page } = await open()
    await page.goto(`${on.url}/docs`)
    await page.getByRole("link", { name: "POST /v1/runs", exact: true }).click()
    const operation = page.locator(openedOperation)
    await operation.getByText("Needs a token with the scope runs:execute.").waitFor({ timeout: 30_000 })
    assert.strictEqual(await operation.count(), 1)
    await operation.getByText("What has not ended by then").waitFor()
    await context.close()
  }, 60_000)

  it("open an operation by the keyboard", async () => {
    const { context, page } = await open()
    await page.goto(`${on.url}/docs/reference`)
    await shown(page)
    const control = page.locator(".opblock-summary-control").first()
    await control.focus()
    await page.keyboard.press("Enter")
    await page.locator(openedOperation).getByText("Responses").waitFor()
    assert.strictEqual(await control.getAttribute("aria-expanded"), "true")
    await page.keyboard.press("Enter")
    await page.locator(openedOperation).waitFor({ state: "detached" })
    await context.close()
  }, 60_000)

  it("scroll to the place of an error", async () => {
    const { context, page } = await open()
    await page.goto(`${on.url}/docs#storage_busy`)
    const box = await page.locator("#storage_busy").boundingBox()
    assert.isNotNull(box)
    assert.isTrue(box.y >= 0 && box.y + box.height <= 900, JSON.stringify(box))
    await context.close()
  }, 60_000)

  it(
    "work under the path of the public URL",
    () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const { base } = yield* startGateway({ settings: { publicUrl: "https://example.com/gateway" } })
            yield* Effect.promise(async () => {
              const { complaints, context, page } = await open()
              // As a proxy does that takes the path away.
              const beyond = new Set<string>()
              await page.route("https://example.com/**", async (route) => {
                const { pathname } = new URL(route.request().url())
                if (!pathname.startsWith("/gateway/")) beyond.add(pathname)
                await route.fulfill({ response: await route.fetch({ url: base + pathname.replace("/gateway", "") }) })
              })
              await page.goto("https://example.com/gateway/docs")
              await page.getByRole("link", { name: "Reference", exact: true }).click()
              await shown(page)
              assert.deepStrictEqual([...beyond], [])
              assert.deepStrictEqual(
                complaints.filter((complaint) => !complaint.startsWith("https://example.com/gateway/")),
                []
              )
              await context.close()
            })
          })
        )
      ),
    60_000
  )
})
