/**
 * Files that come with the program: catalog, assets and guides. The program runs from `src`, from `dist`, and bundled
 * (`scripts/build.mjs`), so only the folder of the package is a fixed place.
 */
import { existsSync } from "node:fs"

/** The nearest folder above with a `package.json`. */
const packageOf = (folder: URL): URL => {
  const parent = new URL("..", folder)
  return existsSync(new URL("package.json", folder)) || parent.href === folder.href ? folder : packageOf(parent)
}
const packageFolder = packageOf(new URL(".", import.meta.url))

/** Where a file or folder of the package belongs, such as `catalog`. */
export const inPackage = (path: string): URL => new URL(path, packageFolder)

/** Where a file of the package is, such as `assets/console.css`; null where it is missing. */
export const packagedFile = (path: string): URL | null => {
  const file = inPackage(path)
  return existsSync(file) ? file : null
}

/** How a command of the gateway starts where this package is: installed, a clone, or a folder with the build alone. */
export const commandPrefix = packageFolder.pathname.includes("/node_modules/")
  ? "npx provider-gateway"
  : existsSync(inPackage("src"))
    ? "npm run -s gateway --"
    : "node dist/cli.js"
