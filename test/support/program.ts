/**
 * The programs of the package as they are started from a shell. Built first where a source has changed, so that a test
 * of a process runs what is shipped, and starts it as fast.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The file to start with Node. */
export const program = (name: "cli" | "main"): string => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs"), "--quiet"])
  if (status !== 0) throw new Error(`the build failed: ${String(stderr)}`)
  return join(root, "dist", `${name}.js`)
}
