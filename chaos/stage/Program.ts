/**
 * The gateway program of the attacks as one file, made of the sources as they are with their packages: it starts in
 * half the time.
 */
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The nearest folder above this file with a package.json, wherever this file was compiled to. */
export const projectFolder = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder)
  return folder
})()

interface Bundler {
  readonly build: (options: object) => Promise<unknown>
}

/** esbuild comes with vitest by way of vite, each of which is asked where it has the next. */
const bundler = async (): Promise<Bundler> => {
  const vitest = createRequire(join(projectFolder, "package.json")).resolve("vitest/package.json")
  const vite = createRequire(vitest).resolve("vite/package.json")
  const { default: esbuild } = await import(pathToFileURL(createRequire(vite).resolve("esbuild")).href)
  return esbuild
}

/** The thread that renews leases is started from its own file, beside the program's. */
const leaseThread = "LeaseThread.mjs"

const cache = join("node_modules", ".cache", "chaos")

/**
 * Builds it three levels below the project, as deep as `catalog/BuiltInCatalog.ts` stands, so that it finds the
 * catalog. No other build cleans up there. Answers its path. The project may be one of another commit.
 */
export const buildProgram = async (name: string, entry = "gateway.ts", project = projectFolder): Promise<string> => {
  const folder = join(project, cache)
  const outfile = join(folder, `${name}.js`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(project, "src", "layers", "postgres", "leases", leaseThread), join(folder, leaseThread))
  await (
    await bundler()
  ).build({
    entryPoints: [join(project, "chaos", entry)],
    outfile,
    bundle: true,
    external: ["pg-native"],
    // Packages written for CommonJS ask for node's own modules with it.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
    },
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error"
  })
  return outfile
}

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", projectFolder, ...args], { encoding: "utf8" }).trim()

/** The commit that a name stands for; without one, the last commit before the newest migration. */
export const commitOf = (name?: string): string =>
  git("rev-parse", name ?? `${git("log", "-1", "--format=%H", "--", "src/layers/postgres/migrations/index.ts")}^`)

/**
 * The sources of a commit, in a folder below the packages of this one, which it uses. Its packages of then are not
 * installed: the dependencies of two neighbouring versions hardly differ.
 */
export const sourcesOf = (commit: string): string => {
  const folder = join(projectFolder, cache, "before")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync("tar", ["-x", "-C", folder], {
    input: execFileSync("git", ["-C", projectFolder, "archive", commit], { maxBuffer: 1_000_000_000 })
  })
  return folder
}
