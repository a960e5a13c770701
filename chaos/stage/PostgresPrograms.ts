/** `scripts/postgres-programs.mjs`, for programs that are compiled to a folder elsewhere. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { projectFolder } from "./Program.js"

interface Found {
  readonly postgresPrograms: () => string | null
  readonly freePort: () => Promise<number>
}

const found: Found = await import(pathToFileURL(join(projectFolder, "scripts", "postgres-programs.mjs")).href)

export const { freePort, postgresPrograms } = found
