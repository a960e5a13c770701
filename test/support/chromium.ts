/** Chromium for tests of pages: `CHROMIUM_PATH`, or where Debian has it; null where there is none. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

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
