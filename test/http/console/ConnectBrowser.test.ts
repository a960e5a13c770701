/**
 * Connecting an account in a browser, from the connections page over the login and the consent of a real OAuth 2 server
 * to a run that uses the account, and to the end of the connection. On a screen and on a phone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Redacted, Scope } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { PlatformKeys } from "../../../src/services/PlatformKeys.js"
import { clientSecret, startAuthorizationServer } from "../../support/authorizationServer.js"
import { barriers, chromiumPath, clipped, openBrowser } from "../../support/chromium.js"
import { startGateway } from "../../support/gateway.js"
import { signInTo } from "../../support/signIn.js"

const publicUrl = "http://gateway.test"

/** The API of the provider is the user information of its OAuth server: it tells whose account a token is for. */
const manifest = (origin: string) => `
id: cabinet
name: Cabinet
baseUrl: ${origin}
platformKey: false
auth:
  type: oauth2_authorization_code
  authorizationUrl: ${origin}/auth
  tokenUrl: ${origin}/token
  revocationUrl: ${origin}/token/revocation
  issuer: ${origin}
  scopes: [openid, files.read]
operations:
  - id: cabinet-account
    name: Account in the cabinet
    summary: Tells whose cabinet it is.
    method: GET
    path: /me
    input: { type: object, properties: {} }
    price: { basis: free, micros: 0 }
    response: { success: body.sub }
`

const stage = Effect.gen(function* () {
  const server = yield* startAuthorizationServer(`${publicUrl}/console/connect/callback`, { asks: true })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cabinet-"))),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true }))
  )
  mkdirSync(join(folder, "providers"))
  writeFileSync(join(folder, "providers", "cabinet.yaml"), manifest(server.origin))
  const gateway = yield* startGateway({ publicUrl, catalogFolders: [folder], egressAllow: [server.host] })
  yield* Context.get(gateway.services, PlatformKeys).set(
    "cabinet",
    Redacted.make(`gateway:${clientSecret}`),
    commandLine
  )
  return { gateway, server }
})

describe.skipIf(chromiumPath === null)(
  "connecting an account in a browser (skipped where there is no Chromium)",
  () => {
    let scope: Scope.CloseableScope
    let on: Effect.Effect.Success<typeof stage>
    let browser: Browser

    beforeAll(async () => {
      scope = await Effect.runPromise(Scope.make())
      on = await Effect.runPromise(Scope.extend(stage, scope))
      browser = await openBrowser({ "gateway.test": new URL(on.gateway.url).host })
    }, 120_000)
    afterAll(async () => {
      await browser?.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    /** An owner of a new workspace on the page of connections, whom nothing else on the network answers. */
    const onConnectionsPage = async (look: { readonly width: number; readonly dark: boolean }) => {
      const { owner, workspaceId } = await Effect.runPromise(
        Effect.gen(function* () {
          const { workspaceId } = yield* on.gateway.funded(1_000_000)
          return { workspaceId, owner: yield* signInTo(workspaceId, "owner", publicUrl) }
        }).pipe(Effect.provide(on.gateway.services))
      )
      const context = await browser.newContext({
        viewport: { width: look.width, height: 900 },
        colorScheme: look.dark ? "dark" : "light"
      })
      await context.route("https://**", (route) => route.abort())
      const [name = "", value = ""] = owner.cookie.split("=")
      await context.addCookies([{ name, value, url: publicUrl }])
      const page = await context.newPage()
      page.on("dialog", (dialog) => void dialog.accept())
      const home = `${publicUrl}/console/${workspaceId}`
      await page.goto(`${home}/connections`)
      /** The page as people see it: nothing sticks out, nothing is cut, and it can be read with a screen reader. */
      const isReadable = async () => {
        // A heading may be there before the style sheet is.
        await page.waitForLoadState("load")
        assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), look.width, page.url())
        assert.deepStrictEqual(await clipped(page), [], page.url())
        assert.deepStrictEqual(await barriers(page), [], page.url())
      }
      return { context, home, isReadable, page }
    }

    /** From the page of connections to the page of the provider. */
    const goToProvider = async (page: Page, isReadable: () => Promise<void>, label: string) => {
      const form = page.getByRole("form", { name: "Connect an account" })
      await form.getByLabel("Provider").selectOption("Cabinet")
      await form.getByLabel("Name").fill(label)
      await page.getByRole("button", { name: "Connect account" }).click()
      await page.getByRole("heading", { name: "Connect your account at Cabinet" }).waitFor()
      const asked = await page.locator("main").innerText()
      for (const part of [label, "openid", "files.read"]) assert.include(asked, part)
      await isReadable()
      await page.getByRole("button", { name: "Go on to Cabinet" }).click()
      await page.getByPlaceholder("Enter any login").waitFor()
      assert.strictEqual(new URL(page.url()).origin, on.server.origin)
    }
    const logIn = async (page: Page) => {
      await page.getByPlaceholder("Enter any login").fill("ada")
      await page.getByPlaceholder("and password").fill("of the provider")
      await page.getByRole("button", { name: "Sign-in" }).click()
      await page.getByRole("button", { name: "Continue" }).waitFor()
    }

    for (const look of [
      { width: 390, dark: true },
      { width: 1280, dark: false }
    ])
      it(`logs in, agrees, comes back, runs with the account and ends it, at ${look.width} px`, async () => {
        const { context, home, isReadable, page } = await onConnectionsPage(look)
        const [meBefore, endedBefore] = [on.server.asked("/me", "GET"), on.server.asked("/token/revocation")]
        const operationPage = `${home}/catalog/cabinet-account`
        // The page of the operation says what is missing, and leads to the form that has the provider chosen.
        await page.goto(operationPage)
        await page.getByRole("link", { name: "Connect an account" }).click()
        const provider = page.getByRole("form", { name: "Connect an account" }).getByLabel("Provider")
        assert.strictEqual(await provider.inputValue(), "cabinet")
        await goToProvider(page, isReadable, "the cabinet of Ada")
        await logIn(page)
        await page.getByRole("button", { name: "Continue" }).click()
        await page.getByRole("heading", { name: "The account is connected" }).waitFor()
        await isReadable()

        await page.getByRole("link", { name: "To the connections" }).click()
        const row = page.locator("tbody tr")
        for (const part of ["the cabinet of Ada", "cabinet", "connected"]) assert.include(await row.innerText(), part)
        await isReadable()

        await page.goto(operationPage)
        await page.locator('[name="connection"]').selectOption({ label: "Your own: the cabinet of Ada" })
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.waitForURL(/\/runs\/run_/)
        await page.getByText("completed").first().waitFor()
        const run = await page.locator("main").innerText()
        assert.match(run, /"sub":\s*"ada"/)
        assert.strictEqual(on.server.asked("/me", "GET"), meBefore + 1)

        await page.goto(`${home}/connections`)
        await page.getByRole("button", { name: "Remove the cabinet of Ada" }).click()
        await page.getByText("The connection was removed, and the provider has ended its access.").waitFor()
        assert.strictEqual(on.server.asked("/token/revocation"), endedBefore + 1)
        await page.getByText("No connection yet.").waitFor()
        await page.goto(operationPage)
        assert.strictEqual(await page.locator('[name="connection"]').count(), 0)
        await context.close()
      }, 120_000)

    it("connects nothing when the person refuses, and leads back to where they can begin again", async () => {
      const { context, home, isReadable, page } = await onConnectionsPage({ width: 390, dark: false })
      const before = on.server.asked("/token")
      await goToProvider(page, isReadable, "a cabinet")
      await logIn(page)
      await page.getByRole("link", { name: "Cancel" }).click()
      await page.getByRole("heading", { name: "The account is not connected" }).waitFor()
      await page.getByText("You did not agree, so nothing was connected.").waitFor()
      await isReadable()
      const left = page.url()
      await page.getByRole("link", { name: "Back to the console" }).click()
      await page.waitForURL(`${home}/**`)
      await page.goto(`${home}/connections`)
      await page.getByText("No connection yet.").waitFor()
      // What came back with the refusal is used up.
      await page.goto(left)
      await page.getByRole("heading", { name: "This link is over" }).waitFor()
      assert.strictEqual(on.server.asked("/token"), before)
      await context.close()
    }, 120_000)
  }
)
