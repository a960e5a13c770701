/** Chromium for tests of pages: `CHROMIUM_PATH`, or where Debian has it; null where there is none. */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import { type Browser, chromium, type Page } from "playwright-core"

const named = process.env["CHROMIUM_PATH"]
const found = [...(named === undefined ? [] : [named]), "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) =>
  existsSync(path)
)

export const chromiumPath: string | null = found ?? null

/** `hosts` are names that lead to an address of this machine, such as `gateway.test` to `127.0.0.1:4000`. */
export const openBrowser = (hosts: { readonly [name: string]: string } = {}): Promise<Browser> =>
  chromium.launch({
    ...(found === undefined ? {} : { executablePath: found }),
    // In a container there is no sandbox to be had; the only pages opened are our own.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      ...Object.entries(hosts).map(([name, address]) => `--host-resolver-rules=MAP ${name} ${address}`)
    ]
  })

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe finds serious or critical on the page. */
export const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const results: AxeResults = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
}

/** Texts that are not all to be seen, because they are cut or stick out of what they stand in. */
export const clipped = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`[...document.querySelectorAll("header *, nav *, main *, footer *")].flatMap((each) => {
    if (each.closest(".unseen, .brand span, svg, thead, select, input, textarea") !== null) return []
    const told = (why) => [why + ": " + each.outerHTML.slice(0, 200)]
    const box = each.getBoundingClientRect()
    if (box.width === 0 || box.height === 0) return []
    const holder = each.parentElement.closest("td, .card, .tile, section, .scroll, dd, nav, body")
    const around = holder.getBoundingClientRect()
    if (box.right > around.right + 1 || box.left < around.left - 1) return told("sticks out")
    const { display, textOverflow } = getComputedStyle(each)
    // The bar shortens a long name, and says so with an ellipsis.
    return display !== "inline" && textOverflow !== "ellipsis" && each.scrollWidth > each.clientWidth + 1
      ? told("is cut")
      : []
  })`)
