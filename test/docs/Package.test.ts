/** What `npm pack` puts into the package: what runs and what explains it, nothing that builds or tests it. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { productVersion } from "../../src/domain/Product.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const manifest: {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))

/** What compiler, bundler and chaos tests leave in dist, empty: the build itself would take half a minute. */
const built = [
  ...filesIn("src").flatMap((file) => {
    const made = file.replace(/^src/, "dist")
    return made.endsWith(".mjs")
      ? [made, made.replace(/mjs$/, "d.mts")]
      : [".js", ".js.map", ".d.ts"].map((ending) => made.replace(/\.ts$/, ending))
  }),
  "dist/.tsbuildinfo",
  "dist/.built-from",
  "dist/catalog.json",
  "dist/chunks/chunk-A.js",
  "dist/chunks/chunk-A.js.map",
  "dist/chaos/chaos/gateway.js"
]

const place = mkdtempSync(join(tmpdir(), "gateway-pack-"))
let packed: ReadonlyArray<string> = []

beforeAll(() => {
  for (const name of readdirSync(root)) {
    if (["node_modules", ".git", ".data", "dist", ".bench"].includes(name)) continue
    cpSync(join(root, name), join(place, name), { recursive: true })
  }
  for (const file of built) {
    mkdirSync(dirname(join(place, file)), { recursive: true })
    writeFileSync(join(place, file), "")
  }
  const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: place,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [{ files }]: [{ readonly files: ReadonlyArray<{ readonly path: string }> }] = JSON.parse(told)
  packed = files.map(({ path }) => path)
}, 60_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

describe("the package", () => {
  it("has the version that the program says it has", () => {
    assert.strictEqual(manifest.version, productVersion)
  })

  it("holds everything that runs: the programs, the lease thread, the migrations, the whole catalog", () => {
    const programs = filesIn("src").map((file) => file.replace(/^src/, "dist").replace(/\.ts$/, ".js"))
    const docs = filesIn("docs").filter((file) => file.endsWith(".md") && !file.startsWith("docs/images/"))
    assert.includeMembers([...packed], [...programs, ...filesIn("catalog"), ...docs, "scripts/build.mjs"])
    assert.includeMembers(
      [...packed],
      [
        ...Object.values(manifest.bin),
        ...Object.values(manifest.exports)
          .flatMap((paths) => (typeof paths === "string" ? [paths] : Object.values(paths)))
          .map((path) => path.slice(2)),
        "dist/catalog.json",
        "dist/chunks/chunk-A.js",
        "dist/layers/postgres/leases/LeaseThread.mjs",
        "dist/layers/postgres/migrations/index.js",
        "README.md",
        "LICENSE",
        "CHANGELOG.md"
      ]
    )
  })

  it("holds nothing that only builds or tests it", () => {
    const wanted =
      /^(assets|dist|catalog|deploy\/(grafana|prometheus)|docs|examples)\/|^(scripts\/build\.mjs|package\.json|LICENSE|[A-Z]+\.md)$/
    const unwanted = /\.map$|\.png$|\.tsbuildinfo|\.built-from|^dist\/chaos|(^|\/)(test|bench|chaos|src)\//
    assert.deepStrictEqual(
      packed.filter((path) => !wanted.test(path) || unwanted.test(path)),
      []
    )
  })
})
