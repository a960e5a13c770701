/**
 * Paying in a browser, against a local server that speaks Stripe's API: a top-up, the automatic one, and what a refund
 * leaves owed. On a screen and on a phone, and without the page's script.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Redacted, Scope } from "effect"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { barriers, chromiumPath, openBrowser } from "../../support/chromium.js"
import { startGateway } from "../../support/gateway.js"
import { signInTo } from "../../support/signIn.js"
import { secretKey, signatureOf, startStripe, type StripeObject, webhookSecret } from "../../support/stripeServer.js"

const stage = Effect.gen(function* () {
  const stripe = yield* startStripe
  const gateway = yield* startGateway({
    stripe: Option.some({
      secretKey: Redacted.make(secretKey),
      webhookSecrets: [Redacted.make(webhookSecret)],
      apiBase: Option.some(new URL(stripe.url))
    })
  })
  return { gateway, stripe }
})

describe.skipIf(chromiumPath === null)("paying in a browser (skipped where there is no Chromium)", () => {
  let scope: Scope.CloseableScope
  let on: Effect.Effect.Success<typeof stage>
  let browser: Browser

  beforeAll(async () => {
    scope = await Effect.runPromise(Scope.make())
    on = await Effect.runPromise(Scope.extend(stage, scope))
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const deliver = async (events: ReadonlyArray<StripeObject>) => {
    for (const event of events) {
      const body = JSON.stringify(event)
      const answer = await fetch(`${on.gateway.url}/v1/payments/stripe/webhook`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signatureOf(body) },
        body
      })
      assert.strictEqual(answer.status, 200)
    }
  }

  /** An owner of a new workspace on the top-up page. The processor's page leads back as Stripe's does. */
  const onTopUpPage = async (width: number, javaScriptEnabled = true) => {
    const { services, url } = on.gateway
    const { owner, workspaceId } = await Effect.runPromise(
      Effect.gen(function* () {
        const { workspaceId } = yield* on.gateway.funded(0)
        return { workspaceId, owner: yield* signInTo(workspaceId, "owner") }
      }).pipe(Effect.provide(services))
    )
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled })
    const [name = "", value = ""] = owner.cookie.split("=")
    await context.addCookies([{ name, value, url }])
    const page = await context.newPage()
    const sessionOf = (path: string) => on.stripe.sessions.get(path.split("/").at(-1) ?? "")
    await page.route("https://checkout.stripe.test/**", async (route) => {
      const { cancel_url, success_url } = sessionOf(route.request().url())
      const here = (address: string) => address.replace("http://gateway.test", url)
      await route.fulfill({
        contentType: "text/html",
        body: `<a href="${here(success_url)}">Pay by card</a> <a href="${here(cancel_url)}">Leave</a>`
      })
    })
    await page.goto(`${url}/console/${workspaceId}/top-up`)
    return { context, page, workspaceId, session: () => sessionOf(page.url()) }
  }

  for (const width of [390, 1280]) {
    it(`pays a top-up, comes back and is credited, and keeps what was typed wrong, at ${width} px`, async () => {
      const { context, page, session } = await onTopUpPage(width)
      const amount = page.getByLabel("Amount in US dollars")
      const pay = page.getByRole("button", { name: "Go to payment" })
      await page.getByLabel("Save the card").check()
      for (const [typed, problem] of [
        ["2O", "must be dollars with at most six decimals"],
        ["-20", "must not be negative"],
        ["4.99", "must be between 5 and 10000 US dollars"],
        ["10000.01", "must be between 5 and 10000 US dollars"]
      ] as const) {
        await amount.fill(typed)
        await pay.click()
        await page.locator("#f-amountUsd-problem").getByText(problem).waitFor()
        assert.strictEqual(await amount.inputValue(), typed)
        assert.isTrue(await page.getByLabel("Save the card").isChecked())
      }
      assert.deepStrictEqual(await barriers(page), [])

      await amount.fill("$20")
      await pay.click()
      assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width)
      await page.getByRole("link", { name: "Pay $20.00" }).click()
      await page.getByText("Leave").click()
      await page.getByText("The checkout was left. Nothing was paid.").waitFor()
      await page.getByRole("link", { name: "Pay now" }).click()
      const { id } = session()
      assert.strictEqual(session().amount_total, 2_000)
      await deliver(on.stripe.pay(id))
      await page.getByText("Pay by card").click()
      await page.getByText("Thank you. The balance grows as soon as the payment is confirmed.").waitFor()
      assert.include(await page.locator(".tile", { hasText: "Available" }).innerText(), "$20.00")
      assert.include(await page.locator("tbody").innerText(), "paid")

      const rule = ["When less than this", "charge (US dollars)", "in a month at most"].map((label) =>
        page.getByLabel(label)
      )
      const set = async (...values: ReadonlyArray<string>) => {
        for (const [index, value] of values.entries()) await rule[index]?.fill(value)
        await page.getByRole("button", { name: /^(Switch on|Set the rule)$/ }).click()
      }
      const typed = () => Promise.all(rule.map((field) => field.inputValue()))
      await set("ten", "20", "100")
      await page.locator("#f-belowUsd-problem").waitFor()
      assert.deepStrictEqual(await typed(), ["ten", "20", "100"])
      await set("10", "3", "100")
      await page.locator("#f-automaticAmountUsd-problem").getByText("must be between 5 and 10000").waitFor()
      await set("10", "20", "15")
      await page.locator("#f-monthlyMaximumUsd-problem").waitFor()
      assert.deepStrictEqual(await typed(), ["10", "20", "15"])
      await set("10", "20", "100")
      await page.getByText("The rule of automatic top-ups is set.").waitFor()
      await page.getByText("active", { exact: true }).waitFor()
      assert.deepStrictEqual(await typed(), ["10", "20", "100"])
      await page.getByRole("button", { name: "Switch off" }).click()
      await page.getByText("Automatic top-ups are switched off.").waitFor()
      assert.deepStrictEqual(await typed(), ["", "", ""])
      assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width)
      await context.close()
    }, 60_000)
  }

  it("shows what a refund took back and what is owed, with the entries of the ledger, and what happens next", async () => {
    const { context, page, session, workspaceId } = await onTopUpPage(390)
    await page.getByLabel("Amount in US dollars").fill("20")
    await page.getByRole("button", { name: "Go to payment" }).click()
    await page.getByRole("link", { name: "Pay $20.00" }).click()
    const { id } = session()
    await deliver(on.stripe.pay(id))
    const reference = on.stripe.sessions.get(id).payment_intent
    const spent = { workspaceId, kind: "adjustment" as const, reason: "spent", topUpId: null, key: "spent" }
    await Effect.runPromise(
      Effect.flatMap(Wallet, (wallet) => wallet.credit({ ...spent, micros: -12_000_000 }, commandLine)).pipe(
        Effect.provide(on.gateway.services)
      )
    )
    const events = on.stripe.refund(reference, 1_500)
    await deliver(events)
    await page.getByText("Pay by card").click()
    assert.include(await page.locator(".tile", { hasText: "Owed for refunds" }).innerText(), "$7.00")
    const row = await page.locator("tbody tr").first().innerText()
    for (const shown of ["$8.00", "$7.00"]) assert.include(row, shown)
    await page.getByRole("link", { name: "Refunds and disputes" }).click()
    await page.waitForURL(/\/top-up\/top_/)
    const shown = await page.locator("main").innerText()
    const refundId = events[0].data.object.id
    for (const part of ["$7.00 of it is still owed", refundId, "paid back", "+$20.00", "-$8.00", `Refund ${refundId}`])
      assert.include(shown, part)
    assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), 390)
    assert.deepStrictEqual(await barriers(page), [])
    await page.goto(`${on.gateway.url}/console/${workspaceId}/ledger`)
    await page.getByText(`Refund ${refundId}`).waitFor()
    await page.locator('a[href*="/top-up/top_"]').first().click()
    await page.waitForURL(/\/top-up\/top_/)
    await context.close()
  }, 60_000)
})
