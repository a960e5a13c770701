// `npm run image:check`: the image without an engine. Reads the Dockerfile, builds the file system of its stages in a
// folder, looks at what is in the last one, and starts the gateway from it as the user of the image (or as whoever runs
// this, who is not root), against a Postgres of its own or that of DATABASE_URL. What only an engine has is not there:
// the base image with its version of Node, and the limits that an engine sets. Needs Linux and npm's registry or cache.
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { lockOf, problemsOf, sizesOf } from "./image/contents.mjs"
import { readDockerfile, readDockerignore } from "./image/dockerfile.mjs"
import { buildStages } from "./image/stage.mjs"
import { freePort, postgresPrograms } from "./postgres-programs.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const place = mkdtempSync(join(tmpdir(), "gateway-image-"))
chmodSync(place, 0o755)
const isRoot = process.getuid() === 0
const said = (what) => console.log(`ok    ${what}`)
const must = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
  said(what)
}

/** As a user without rights, with these variables and no others. */
const as = ({ group, user }, words, { cwd, env }) => {
  const [program, ...rest] = isRoot
    ? ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups", "--no-new-privs", ...words]
    : words
  return spawn(program, rest, { cwd, env: { PATH: process.env.PATH, HOME: "/nonexistent", ...env } })
}

const outputOf = async (child) => {
  const out = []
  const err = []
  child.stdout.on("data", (text) => out.push(text))
  child.stderr.on("data", (text) => err.push(text))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}: ${Buffer.concat([...out, ...err])}`)
  return Buffer.concat(out).toString()
}

/** A cluster in the folder, and how to stop it; none where DATABASE_URL names one. */
const startPostgres = async () => {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} }
  const bin = postgresPrograms()
  if (bin === null) throw new Error("There is no Postgres here: install one, or set DATABASE_URL")
  const home = join(place, "postgres")
  const owner = { user: 65534, group: 65534 }
  mkdirSync(home, { mode: 0o700 })
  const password = randomBytes(18).toString("hex")
  writeFileSync(join(home, "password"), password)
  if (isRoot && spawnSync("chown", ["-R", `${owner.user}:${owner.group}`, home]).status !== 0)
    throw new Error("chown failed")
  const port = await freePort()
  const inHome = { cwd: home, env: {} }
  const data = join(home, "data")
  const initdb = [join(bin, "initdb"), "-D", data, "-U", "gateway", "-A", "scram-sha-256"]
  await outputOf(as(owner, [...initdb, `--pwfile=${join(home, "password")}`, "-E", "UTF8"], inHome))
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`
  const control = [join(bin, "pg_ctl"), "-D", data, "-w"]
  await outputOf(as(owner, [...control, "-l", join(home, "log"), "-o", options, "start"], inHome))
  return {
    url: `postgres://gateway:${password}@127.0.0.1:${port}/postgres`,
    stop: () => outputOf(as(owner, [...control, "-m", "fast", "stop"], inHome))
  }
}

const ready = async (url, child) => {
  const until = Date.now() + 120_000
  while (Date.now() < until && child.exitCode === null) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0
    )
    if (status === 200) return true
    await sleep(100)
  }
  return false
}

const check = async () => {
  const stages = readDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"))
  const last = stages.at(-1).instructions
  const one = (kind) => last.find((instruction) => instruction.kind === kind)
  const built = buildStages(stages, {
    context: root,
    place,
    reaches: readDockerignore(readFileSync(join(root, ".dockerignore"), "utf8")),
    say: console.log
  })
  // As in an image, the files are root's, and the user of the image may only read them.
  if (spawnSync("chmod", ["-R", "a+rX,go-w", built.root]).status !== 0) throw new Error("chmod failed")
  const problems = problemsOf(built.home, lockOf(root))
  must(
    problems.length === 0,
    problems.length === 0 ? "nothing is there that only development needs" : problems.join("; ")
  )
  said(sizesOf(built.home))

  const postgres = await startPostgres()
  const running = []
  try {
    const user = one("USER")
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const keys = join(place, "sealing-keys")
    writeFileSync(keys, `k1:${randomBytes(32).toString("base64")}\n`)
    const env = {
      ...built.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE_URL: postgres.url,
      GATEWAY_SEALING_KEYS_FILE: keys,
      // The one provider that is here: a run needs one.
      GATEWAY_FIXTURES: "on",
      GATEWAY_STOP_PAUSE_MILLIS: "1000"
    }
    const inImage = { cwd: built.home, env }
    const began = performance.now()
    const gateway = as(user, one("CMD").command, inImage)
    running.push(gateway)
    const log = []
    for (const stream of [gateway.stdout, gateway.stderr]) stream.on("data", (text) => log.push(text))
    if (!(await ready(url, gateway))) throw new Error(`The gateway is not ready: ${Buffer.concat(log)}`)
    const whose = isRoot ? user.user : process.getuid()
    said(`ready after ${Math.round(performance.now() - began)} ms, as user ${whose}, with NODE_ENV=${env.NODE_ENV}`)
    await outputOf(as(user, one("HEALTHCHECK").command, inImage))
    said("the health check of the image is content")

    const page = await fetch(`${url}/console`)
    must(page.status === 200 && (await page.text()).includes("<html"), "the console answers with a page")
    const guide = await fetch(`${url}/docs`)
    must(guide.status === 200, "the documentation answers")

    const gatewayCli = async (...words) =>
      JSON.parse(await outputOf(as(user, ["node", "dist/cli.js", ...words, "--json"], inImage)))
    const { workspaceId } = await gatewayCli("workspace", "create", "acme")
    await gatewayCli("credit", "--workspace", workspaceId, "--usd", "5", "--reason", "check")
    const { token } = await gatewayCli(
      ...["token", "create", "--workspace", workspaceId, "--label", "check", "--scope", "runs:execute"]
    )
    const answer = await fetch(`${url}/v1/runs?wait=true`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "check-1" },
      body: JSON.stringify({
        endpointId: "mock-email-find",
        input: { name: "Ada Example", domain: "example.com" }
      })
    })
    const run = await answer.json()
    must(run.status === "completed", `a run is ${run.status ?? JSON.stringify(run)}`)
    must((await gatewayCli("ledger", "verify")).ok === true, "the ledger adds up")

    const stopping = performance.now()
    gateway.kill(one("STOPSIGNAL").signal)
    const [code] = await once(gateway, "close")
    const took = Math.round(performance.now() - stopping)
    must(code === 0, `${one("STOPSIGNAL").signal} ended it with ${code} after ${took} ms`)
    must(took < 30_000, "which is in time")
    running.pop()
    const node = /:([\d.]+)/.exec(stages.at(-1).image)[1]
    console.log(
      `This ran with Node ${process.versions.node}; the image brings ${node}, and no engine has built it here.`
    )
  } finally {
    for (const child of running) child.kill("SIGKILL")
    await postgres.stop()
  }
}

try {
  await check()
} catch (error) {
  console.error(`WRONG ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(place, { recursive: true, force: true })
}
