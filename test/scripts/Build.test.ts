/** What a build does beside programs that run from `dist`, in a small project of its own. */
import { execFile, execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

const root = resolve(import.meta.dirname, "../..")

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "provider-gateway-build-"))
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    for (const name of ["build", "object-spreads", "parse-catalog", "unreached"])
      cpSync(join(root, "scripts", `${name}.mjs`), join(folder, "scripts", `${name}.mjs`))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    write(
      "package.json",
      JSON.stringify({
        name: "built",
        version: "1.0.0",
        type: "module",
        exports: { "./testing": { default: "./dist/testing.js" }, "./package.json": "./package.json" },
        files: ["dist"],
        dependencies: {}
      })
    )
    const compilerOptions = { module: "NodeNext", target: "ES2022", rootDir: "src", outDir: "dist", incremental: true }
    write("tsconfig.json", "{}")
    write(
      "tsconfig.build.json",
      JSON.stringify({
        compilerOptions: { ...compilerOptions, types: [], tsBuildInfoFile: "dist/.tsbuildinfo" },
        include: ["src"]
      })
    )
    write("catalog/one.yaml", "id: one\n")
    write("src/main.ts", 'export const late = import("./Late.js")\n')
    write("src/cli.ts", 'export const late = import("./Late.js")\n')
    write("src/testing.ts", 'export const kept = import("./Kept.js")\n')
    write("src/Kept.ts", "export const kept = 1\n")
    write("src/Late.ts", "export const late = 1\n")
    write("src/Gone.ts", "export const gone = 1\n")
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const build = ["scripts/build.mjs", "--quiet"]

class Built extends Context.Tag("test/scripts/Built")<Built, string>() {}

/** A project whose first build found the turn of another, which had been killed long before. */
const built = Layer.scoped(
  Built,
  Effect.map(project, (folder) => {
    const turn = join(folder, ".building")
    writeFileSync(turn, String(process.pid))
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(turn, longAgo, longAgo)
    execFileSync(process.execPath, build, { cwd: folder })
    return folder
  })
)

layer(built, { excludeTestServices: true, timeout: "60 seconds" })("a build", (it) => {
  it.effect("takes the turn of one that was killed, also where another process has its number by now", () =>
    Effect.map(Built, (folder) => {
      assert.isTrue(existsSync(join(folder, "dist", "main.js")))
      assert.isFalse(existsSync(join(folder, ".building")))
    })
  )

  it.effect("leaves a program that runs its files until they are replaced, and takes away those of gone sources", () =>
    Effect.gen(function* () {
      const folder = yield* Built
      const inDist = (name: string) => join(folder, "dist", name)
      const needed = [
        inDist("main.js"),
        inDist("Late.js"),
        inDist("catalog.json"),
        ...readdirSync(inDist("chunks")).map((chunk) => inDist(join("chunks", chunk)))
      ]
      const missing = yield* Effect.async<ReadonlySet<string>>((resume) => {
        const found = new Set<string>()
        const look = setInterval(() => needed.filter((file) => !existsSync(file)).forEach((file) => found.add(file)), 2)
        execFile(process.execPath, [...build, "--force"], { cwd: folder }, (error) => {
          clearInterval(look)
          resume(error === null ? Effect.succeed(found) : Effect.die(error))
        })
      })
      assert.deepStrictEqual([...missing], [])
      assert.isTrue(existsSync(inDist("Gone.js")))
      rmSync(join(folder, "src", "Gone.ts"))
      writeFileSync(join(folder, "src", "Late.ts"), "export const late = 2\n")
      execFileSync(process.execPath, build, { cwd: folder })
      assert.isFalse(existsSync(inDist("Gone.js")))
      assert.isTrue(needed.every((file) => existsSync(file)))
      const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"]
      })
      for (const there of ["dist/chunks/", "dist/main.js", "dist/testing.js", "dist/Kept.js"])
        assert.include(packed, `"${there}`)
      // It is part of the bundle, and no import of the package leads to it.
      assert.notInclude(packed, '"dist/Late.js')
      const chunksBefore = needed.filter((file) => file.startsWith(inDist("chunks")))
      const shipped = chunksBefore.filter((file) => packed.includes(file.slice(folder.length + 1)))
      assert.deepStrictEqual(shipped, [], "a package holds nothing of the builds before")
    })
  )
})
