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

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(found === undefined ? {} : { executablePath: found }),
    // In a container there is no sandbox to be had; the only pages opened are our own.
    args: ["--no-sandbox", "--disable-dev-shm-usage"]
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
