/** Files that are packed beside the program: assets and guides. */
import { existsSync } from "node:fs"

/** The package's folder is two folders up or, where the program was built beside others, one or two more. */
const folders = ["../../", "../../../", "../../../../"]

/** Where a file of the package is, such as `assets/console.css`; null where it is missing. */
export const packagedFile = (path: string): URL | null =>
  folders.map((folder) => new URL(folder + path, import.meta.url)).find((url) => existsSync(url)) ?? null
