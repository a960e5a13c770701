// Builds src to dist when a source has changed since the last build. It compares contents, because the times of files
// in copies and checkouts say nothing. `--force` builds anyway, `--quiet` prints nothing when all is well. It needs the
// compiler only when there is something to build: a production install has none and runs the dist that it was given.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const stamp = join(dist, ".built-from")
const force = process.argv.includes("--force")
const say = process.argv.includes("--quiet") ? () => undefined : console.log

const fail = (message) => {
  console.error(message)
  process.exit(1)
}

/** One line per source: its hash and its path. */
const sources = () => {
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return [...files, join(root, "tsconfig.json"), join(root, "tsconfig.build.json")]
    .map((file) => `${createHash("sha1").update(readFileSync(file)).digest("hex")} ${file.slice(root.length)}`)
    .sort()
    .join("\n")
}

const pathsOf = (text) => new Set(text.split("\n").map((line) => line.slice(41)))

if (!existsSync(join(root, "src"))) {
  if (!existsSync(dist)) fail("There is neither src nor dist: nothing to build and nothing to run.")
  process.exit(0)
}

const now = sources()
const before = existsSync(stamp) ? readFileSync(stamp, "utf8") : ""
if (!force && now === before) process.exit(0)

const tsc = (() => {
  try {
    return createRequire(import.meta.url).resolve("typescript/bin/tsc")
  } catch {
    return fail(
      `dist is ${before === "" ? "missing" : "older than src"} and the compiler is not installed. Run \`npm ci --include=dev\`, or build elsewhere (\`npm run build\`) and bring dist along.`
    )
  }
})()

say("Building …")
// Otherwise dist would keep what was built from sources that are gone.
const present = pathsOf(now)
if (force || [...pathsOf(before)].some((path) => !present.has(path))) rmSync(dist, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json"), "--noEmitOnError"], {
  stdio: "inherit"
})
if (status !== 0) fail("The build failed; dist is not up to date.")
writeFileSync(stamp, now)
say("Built.")
