/**
 * The package as another project has it: packed, put into an empty project, and used there by its program and its
 * imports. Here the dependencies are those of this clone, linked; `npm run test:package` has npm install them.
 */
import { execFile, spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { pathsNamedBy } from "../../scripts/unreached.mjs"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { program, root } from "../support/program.js"

const byNpm = process.env["INSTALL"] === "registry"
const call = promisify(execFile)
const npm = (cwd: string, ...args: ReadonlyArray<string>) =>
  call("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund"], { cwd, maxBuffer: 2 ** 24 })
const manifest: {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const place = mkdtempSync(join(tmpdir(), "gateway-installed-"))
// Root's Postgres runs as another user, who must pass.
chmodSync(place, 0o711)
const project = join(place, "project")
const installed = join(project, "node_modules", "provider-gateway")
let tarball = ""

/** Everything that an install without development dependencies brings, and nothing else at the top. */
const linkDependencies = () => {
  const { packages }: { packages: Readonly<Record<string, { dev?: boolean }>> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8")
  )
  for (const [path, { dev }] of Object.entries(packages)) {
    if (dev === true || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(project, path)), { recursive: true })
    symlinkSync(join(root, path), join(project, path))
  }
}

const linkPrograms = () => {
  mkdirSync(join(project, "node_modules", ".bin"))
  for (const [name, file] of Object.entries(manifest.bin)) {
    chmodSync(join(installed, file), 0o755)
    symlinkSync(join("..", "provider-gateway", file), join(project, "node_modules", ".bin", name))
  }
}

beforeAll(async () => {
  program("cli")
  const { stdout } = await npm(root, "pack", "--json", "--pack-destination", place)
  const [{ filename }]: [{ readonly filename: string }] = JSON.parse(stdout)
  tarball = join(place, filename)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
  const runners = ["effect", "@effect/vitest", "vitest"]
  if (byNpm) {
    const { dependencies, devDependencies } = manifest
    const versions = runners.map((name) => `${name}@${{ ...dependencies, ...devDependencies }[name] ?? ""}`)
    return void (await npm(project, "install", "--prefer-offline", tarball, ...versions))
  }
  mkdirSync(installed, { recursive: true })
  await call("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"])
  linkDependencies()
  for (const name of runners.filter((each) => !existsSync(join(project, "node_modules", each)))) {
    mkdirSync(dirname(join(project, "node_modules", name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name))
  }
  linkPrograms()
}, 300_000)

afterAll(async () => {
  await Effect.runPromise(Effect.ignore(EmbeddedPostgres.destroy(join(project, ".data"))))
  rmSync(place, { recursive: true, force: true })
}, 30_000)

/** Only what any shell has: no setting of the gateway. */
const env = { PATH: process.env["PATH"], HOME: place, npm_config_update_notifier: "false" }

/** Writes a module into the project and answers what it prints. */
const runsThere = async (name: string, text: string) => {
  writeFileSync(join(project, name), text)
  const { stdout } = await call(process.execPath, [name], { cwd: project, env })
  return stdout.trim()
}

const script = `
import { hit, testGateway } from "provider-gateway/testing"
import { createClient } from "provider-gateway/client"
const gateway = testGateway({ providers: { "mock-email-find": hit({ found: true, email: "ada@example.com", status: "deliverable" }) } })
const { url, token, close } = await gateway.listen()
const client = createClient({ baseUrl: url, token })
const run = await client.run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } })
console.log(run.status, run.outcome, gateway.calls().length)
await close()
`

describe("the installed package", () => {
  it("is small, and names its licence and the versions of Node that run it", () => {
    // The word table of the search is a third of it: bytes without a pattern do not get smaller when packed. Another
    // third are the bundled programs, which hold Effect once more.
    assert.isBelow(statSync(tarball).size, 4_700_000)
    const found = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    assert.notProperty(found, "private")
    assert.match(found.version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/)
    assert.deepInclude(found, { name: "provider-gateway", license: "MIT", type: "module" })
    assert.match(found.engines.node, /^>=\d+\.\d+/)
    assert.includeMembers(readdirSync(installed), ["LICENSE", "CHANGELOG.md", "README.md"])
  })

  it("has every module that one of its own names, code and types", () => {
    const modules = readdirSync(join(installed, "dist"), { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.(js|d\.ts)$/.test(name))
      .map(({ name, parentPath }) => join(parentPath, name))
    const missing = modules.flatMap((file) =>
      pathsNamedBy(file)
        .map((path) => (file.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path))
        .filter((path) => !existsSync(path))
    )
    assert.deepStrictEqual(missing, [])
    assert.isAbove(modules.length, 500)
  })

  it("starts a gateway with a Postgres of its own in an empty folder, beside which its commands work", async () => {
    // In a group of its own, so that the signal reaches npx and the gateway, as Ctrl-C does.
    const child = spawn("npx", ["--no", "--", "provider-gateway", "serve", "--json"], {
      cwd: project,
      env: { ...env, PORT: "0" },
      detached: true,
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = new Promise((resolve) => child.once("close", resolve))
    let said = ""
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout.on("data", (bytes) => {
          said += bytes
          const found = /Listening on (http:[^"]+)/.exec(said)?.[1]
          if (found !== undefined) resolve(found)
        })
        child.once("close", () => reject(new Error(`it ended: ${said}`)))
      })
      const token = readFileSync(join(project, ".data", "dev-token"), "utf8").trim()
      const response = await fetch(`${url}/v1/runs?wait=true`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "one" },
        body: JSON.stringify({
          endpointId: "job:people.email.find",
          input: { name: "Ada Example", domain: "example.com" }
        })
      })
      assert.deepInclude(await response.json(), { status: "completed", outcome: "hit" })
      const command = (...args: ReadonlyArray<string>) =>
        call("npx", ["--no", "--", "provider-gateway", ...args], { cwd: project, env })
      assert.match((await command("workspace", "list")).stdout, /^ws_\w+ .* demo\n$/)
      assert.include((await command("--version")).stdout, manifest.version)
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
      await ended
    }
    assert.isFalse(existsSync(join(project, ".data", "postgres", "cluster", "postmaster.pid")))
  }, 120_000)

  it("gives a test its gateway and a program its client", async () => {
    assert.strictEqual(await runsThere("used.mjs", script), "completed hit 1")
  }, 60_000)

  const examples = (): ReadonlyArray<string> =>
    readdirSync(join(installed, "examples")).filter((name) => /\.m?[jt]s$/.test(name))

  /**
   * What the compiler says of `used.ts`, the examples and all types that they reach, those of packages too. It
   * is asked once: most of its time goes into the types of the packages.
   */
  const compiled = (() => {
    let said: Promise<string> | undefined
    const compile = async () => {
      writeFileSync(join(project, "used.ts"), script)
      for (const name of examples()) copyFileSync(join(installed, "examples", name), join(project, name))
      const compilerOptions = {
        strict: true,
        module: "nodenext",
        target: "es2022",
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(root, "node_modules", "@types")],
        outDir: "built"
      }
      const files = ["used.ts", ...examples().filter((name) => name.endsWith(".ts"))]
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
      const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
      const { stdout } = await call(process.execPath, [tsc, "-p", project], { cwd: project }).catch(
        (failed: { readonly stdout: string }) => failed
      )
      return stdout
    }
    return () => (said ??= compile())
  })()

  it("declares the types of both, without those of a browser or of its own sources", async () => {
    assert.strictEqual(await compiled(), "")
  }, 120_000)

  it("has examples that compile and run, as they are, in a project that copies them", async () => {
    assert.includeMembers([...examples()], ["client.ts", "whole-gateway.test.mjs"])
    assert.strictEqual(await compiled(), "")
    const run = (file: string, ...args: ReadonlyArray<string>) =>
      call(process.execPath, [file, ...args], { cwd: project, env })
    assert.match((await run("--test", "whole-gateway.test.mjs")).stdout, /^# pass 1$/m)
    const vitest = join("node_modules", "vitest", "vitest.mjs")
    assert.match(
      (await run(vitest, "run", "--testTimeout=60000", ...examples().filter((name) => name.endsWith(".test.ts"))))
        .stdout,
      /2 passed/
    )
    // Node of 20 reads no TypeScript, so it gets what the compiler made of it. Nothing listens on the port.
    const failed = (await call(process.execPath, [join("built", "client.js")], {
      cwd: project,
      env: { ...env, GATEWAY_URL: "http://127.0.0.1:1", GATEWAY_TOKEN: "none" }
    }).catch((error: unknown) => error)) as { readonly code: number; readonly stdout: string }
    assert.strictEqual(failed.code, 1)
    assert.match(failed.stdout, /^No answer came from .*\n$/)
  }, 240_000)
})
