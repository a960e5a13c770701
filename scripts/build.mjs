// Builds src to dist when a source has changed since the last build, and parses the built-in catalog ahead when that
// did. The gateway and the command line are bundled, so that they start in half the time: each loads 900 modules. It
// compares contents, because the times of files in copies and checkouts say nothing. `--force` builds anyway, `--quiet`
// prints nothing when all is well. It needs the compiler only when there is something to compile: a production install
// has none and runs the dist that it was given. Builds of one folder take turns, so that no program starts from a file
// that another build is writing.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { createRequire } from "node:module"
import { basename, join } from "node:path"
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

const filesIn = (folder, name) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** One line per source: its hash and its path. */
const sources = () =>
  [
    ...filesIn("src", /\.(ts|mjs)$/),
    ...filesIn("catalog", /\.ya?ml$/),
    join(root, "tsconfig.json"),
    join(root, "tsconfig.build.json"),
    join(root, "scripts", "build.mjs"),
    join(root, "scripts", "object-spreads.mjs"),
    join(root, "scripts", "unreached.mjs")
  ]
    .map((file) => `${createHash("sha1").update(readFileSync(file)).digest("hex")} ${file.slice(root.length)}`)
    .sort()
    .join("\n")

/** The lines of what is compiled. */
const codeOf = (text) => text.split("\n").filter((line) => !line.slice(41).startsWith("catalog"))
const pathsOf = (lines) => new Set(lines.map((line) => line.slice(41)))

if (!existsSync(join(root, "src"))) {
  if (!existsSync(dist)) fail("There is neither src nor dist: nothing to build and nothing to run.")
  process.exit(0)
}

const now = sources()
const built = () => (existsSync(stamp) ? readFileSync(stamp, "utf8") : "")
if (!force && now === built()) process.exit(0)

const turn = join(root, ".building")
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}
/** Whether nobody else builds; a build that was killed leaves its turn behind. */
const tookTurn = () => {
  try {
    writeFileSync(turn, `${process.pid}`, { flag: "wx" })
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    const other = Number(existsSync(turn) ? readFileSync(turn, "utf8") : "")
    if (isLeftBehind(other)) rmSync(turn, { force: true })
    return false
  }
}
/** Its process is gone, or another one has its number by now: no build takes so long. */
const isLeftBehind = (pid) =>
  (pid > 0 && !isAlive(pid)) ||
  Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > turnMillisMax
const turnMillisMax = 600_000
for (let waited = 0; !tookTurn(); waited += 100) {
  if (waited === 5_000) console.error(`Another build is under way, as ${turn} says: waiting for it …`)
  await sleep(100)
}
process.once("exit", () => rmSync(turn, { force: true }))
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))

const before = built()
if (!force && now === before) process.exit(0)

const compile = () => {
  const tsc = (() => {
    try {
      return createRequire(import.meta.url).resolve("typescript/bin/tsc")
    } catch {
      return fail(
        `dist is ${before === "" ? "missing" : "older than src"} and the compiler is not installed. Run \`npm ci --include=dev\`, or build elsewhere (\`npm run build\`) and bring dist along.`
      )
    }
  })()
  say("Building, which takes about a minute …")
  // Without its notes the compiler writes everything anew.
  if (force) rmSync(join(dist, ".tsbuildinfo"), { force: true })
  const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json"), "--noEmitOnError"], {
    stdio: "inherit"
  })
  if (status !== 0) fail("The build failed; dist is not up to date.")
}

/**
 * Takes away what was built from sources that are gone. Everything else is replaced file by file, so that a gateway
 * that runs, or a command, finds its files while a build is under way.
 */
const removeGone = () => {
  const present = pathsOf(codeOf(now))
  for (const file of filesIn("dist", /\.(js|d\.ts)(\.map)?$/)) {
    const path = file.slice(dist.length + 1)
    const source = `src/${path.replace(/\.(js|d\.ts)(\.map)?$/, "")}`
    const isOther = path.startsWith("chunks/") || path.startsWith("chaos/")
    if (!isOther && !present.has(`${source}.ts`) && !present.has(`${source}.mjs`)) rmSync(file)
  }
}

/** Kept for programs of before that still run and load some of them late; a package leaves them out. */
const chunksKeptMillis = 86_400_000
const ignored = ".npmignore"

/** The programs, each of which becomes one file with its chunks. */
const bundled = ["main", "cli"]

/**
 * Replaces the entry points that the compiler wrote. What is bundled is the sources and Effect, of which a program uses
 * a third; the other packages stay as they were installed.
 */
const bundle = async () => {
  const { build } = await import("esbuild")
  const { sharingClasses } = await import("./object-spreads.mjs")
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const installed = Object.keys(dependencies).filter((name) => !/^(effect$|@effect\/)/.test(name))
  const chunks = join(dist, "chunks")
  const { outputFiles } = await build({
    write: false,
    absWorkingDir: root,
    entryPoints: bundled.map((program) => `src/${program}.ts`),
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.12",
    external: installed,
    // Packages of CommonJS inside of the bundle, such as `pg-cursor`, ask for others.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"\nconst require = requireFrom(import.meta.url)'
    },
    sourcemap: true,
    logLevel: "warning"
  })
  mkdirSync(chunks, { recursive: true })
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith(".js") ? sharingClasses(text) : text)
  const own = new Set(outputFiles.map(({ path }) => basename(path)))
  const before = readdirSync(chunks).filter((name) => name !== ignored && !own.has(name))
  const isOld = (name) => statSync(join(chunks, name)).mtimeMs < Date.now() - chunksKeptMillis
  for (const name of before.filter(isOld)) rmSync(join(chunks, name))
  writeFileSync(join(chunks, ignored), before.map((name) => `${name}\n`).join(""))
}

/** Leaves out of a package what was compiled for the bundle alone. */
const leaveOutUnreached = async () => {
  const { unreached } = await import("./unreached.mjs")
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const imported = Object.values(exports).flatMap((paths) => (typeof paths === "string" ? [] : Object.values(paths)))
  const compiled = filesIn("dist", /\.(js|d\.m?ts)$/).filter((file) => !/\/dist\/(chunks|chaos)\//.test(file))
  const entries = [...imported, ...bundled.map((program) => `dist/${program}.js`)].map((entry) => join(root, entry))
  const names = unreached(compiled, entries).map((file) => `/${file.slice(dist.length + 1)}\n`)
  writeFileSync(join(dist, ignored), names.join(""))
}

if (force || codeOf(now).join("\n") !== codeOf(before).join("\n")) {
  compile()
  await bundle()
  removeGone()
  await leaveOutUnreached()
}
const { parsedCatalog } = await import("./parse-catalog.mjs")
writeFileSync(join(dist, "catalog.json"), parsedCatalog(join(root, "catalog")))
writeFileSync(stamp, now)
say("Built.")
