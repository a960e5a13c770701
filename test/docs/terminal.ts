/**
 * A reader's terminal: a folder that looks like a built clone, a gateway that was started there with `npm start` and
 * has a Postgres of its own, and a shell for each page that keeps its variables from block to block, as the reader's.
 *
 * Two things are not as they are for a reader. `npm start` takes a port of this process, which then stands where the
 * pages say 8080. And `node dist/cli.js`, which the pages call a few dozen times, is answered by the same command line
 * in this process: a program takes a second of CPU to start.
 */
import { Effect } from "effect"
import { execFile, spawn, type ChildProcess } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Ended } from "../cli/commandLine.js"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { root } from "../support/program.js"
import type { Block } from "./pages.js"

/** What a shell block printed, and the commands of it that ended with an error. */
export interface Ran {
  readonly out: string
  readonly err: string
  readonly failed: ReadonlyArray<string>
}

/** Answers one call of the command line. */
export type Answering = (
  args: ReadonlyArray<string>,
  input: string,
  env: Readonly<Record<string, string>>
) => Promise<Ended>

const address = "http://127.0.0.1:8080"
/** The file that a page tells its reader to save the block in. */
export const savedAs = ({ before }: Block): string | undefined =>
  /[Ss]ave (?:this|it|them) as\s+`([^`]+)`[^`]*$/.exec(before)?.[1]

const withoutComment = (line: string): string => line.replace(/ +#.*$/, "").trim()

/** Below the ports that systems give out by themselves, so that nothing takes it before the gateway does. */
const portOfThisProcess = 20_000 + (process.pid % 10_000)

const nodeStandIn = (node: string, folder: string) => `#!/usr/bin/env bash
if [ "\${1-}" != dist/cli.js ] || [ "\${2-}" = mcp ]; then exec "${node}" "$@"; fi
shift
asked=$(mktemp -d "${folder}/command-XXXXXX")
printf '%s\\0' "$@" > "$asked/args"
env -0 > "$asked/env"
cat > "$asked/in"
code=$(curl -s --unix-socket "${folder}/commands" "http://commands$asked")
cat "$asked/out"
cat "$asked/err" >&2
exit "$code"
`

/** Commands of the stand-in, answered one by one. */
const listenForCommands = (folder: string, answering: Answering) => {
  const texts = (file: string) => readFileSync(file, "utf8").split("\0").slice(0, -1)
  const server = createServer((request, response) => {
    const asked = String(request.url)
    const env = Object.fromEntries(
      texts(`${asked}/env`).map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)])
    )
    const lines = (list: ReadonlyArray<string>) => list.map((line) => `${line}\n`).join("")
    void answering(texts(`${asked}/args`), readFileSync(`${asked}/in`, "utf8"), env)
      .catch((defect: unknown): Ended => ({ code: 70, out: [], err: [String(defect)] }))
      .then(({ code, err, out }) => {
        writeFileSync(`${asked}/out`, lines(out))
        writeFileSync(`${asked}/err`, lines(err))
        response.end(String(code))
      })
  })
  return new Promise<() => void>((resolve) =>
    server.listen(`${folder}/commands`, () => resolve(() => void server.close()))
  )
}

/** Waits until a started gateway says where it listens. */
const listening = (child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let said = ""
    child.stdout?.on("data", (bytes) => {
      said += bytes
      const found = /(?:Address\s+|Listening on )(http:\/\/[\w.:]+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once("close", () => reject(new Error(`it ended: ${said}`)))
  })

/** Ends a process with everything that it started, as Ctrl-C does. */
const stop = ({ exitCode, pid }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGTERM")
}

/** Without the programs of the packages here, which no reader has. */
const pathOfReader = String(process.env["PATH"])
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .join(":")

export interface Terminal {
  readonly place: string
  readonly url: string
  readonly token: string
  /** Runs the shell blocks of one page, in order, in one shell. Blocks to save are saved where they stand. */
  readonly run: (blocks: ReadonlyArray<Block>) => Promise<ReadonlyMap<Block, Ran>>
  /** Runs a block that starts a gateway, with this database, until `work` is done. */
  readonly serve: (block: Block, databaseUrl: string, work: (url: string) => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

/** `never` are lines of blocks that are not run here, `once` those that are run where they stand first. */
export const openTerminal = async (
  answering: Answering,
  { never, once }: { readonly never: ReadonlySet<string>; readonly once: ReadonlySet<string> }
): Promise<Terminal> => {
  const typed = new Set<string>()
  const isTyped = (line: string): boolean => {
    const command = withoutComment(line)
    const again = typed.has(command)
    typed.add(command)
    return !never.has(command) && !(again && once.has(command))
  }
  const place = mkdtempSync(join(tmpdir(), "gateway-docs-"))
  // Root's Postgres runs as another user, who must pass.
  chmodSync(place, 0o711)
  for (const name of ["package.json", "dist", "scripts", "catalog", "deploy", "examples"])
    symlinkSync(join(root, name), join(place, name))
  const programs = join(place, ".programs")
  mkdirSync(programs)
  writeFileSync(join(programs, "node"), nodeStandIn(process.execPath, programs), { mode: 0o755 })
  // An answer that is an error ends curl with an error.
  writeFileSync(join(place, ".curlrc"), "fail-with-body\n")
  const own = {
    HOME: place,
    XDG_CONFIG_HOME: join(place, ".config"),
    PORT: String(portOfThisProcess),
    npm_config_update_notifier: "false"
  }

  // Not waited for in one piece: a build takes long, and this process has to answer the runner of the tests meanwhile.
  await promisify(execFile)(process.execPath, [join(root, "scripts", "build.mjs"), "--quiet"])
  // In a group of its own, so that the signal reaches npm and the gateway, as Ctrl-C does.
  const gateway = spawn("npm", ["start"], {
    cwd: place,
    env: { ...own, PATH: pathOfReader },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => gateway.once("close", resolve))
  const stopListening = await listenForCommands(programs, answering)
  const close = async () => {
    stop(gateway)
    await ended
    stopListening()
    await Effect.runPromise(Effect.ignore(EmbeddedPostgres.destroy(join(place, ".data"))))
    rmSync(place, { recursive: true, force: true })
  }
  const url = await listening(gateway).catch(async (problem: unknown) => {
    await close()
    throw problem
  })

  const run: Terminal["run"] = async (blocks) => {
    const folder = mkdtempSync(join(programs, "page-"))
    const [first] = blocks
    if (first === undefined) return new Map()
    const script = blocks.map((block, at) => {
      const text = block.text.replaceAll(address, url)
      const file = join(folder, String(at))
      if (block.language === "bash") {
        const lines = text.split("\n").filter(isTyped)
        return `FAILED="${file}.failed"\n{ :\n${lines.join("\n")}\n} >"${file}.out" 2>"${file}.err" </dev/null\n`
      }
      writeFileSync(file, text)
      const target = savedAs(block) ?? ""
      return `mkdir -p "$(dirname "${target}")" && cp "${file}" "${target}"\n`
    })
    // Notes the line of this script in which a command failed, also where a function of the page ran it.
    const note = 'at=$LINENO; [ -z "${FUNCNAME[0]-}" ] || at=${BASH_LINENO[${#FUNCNAME[@]}-2]}; echo "$at" >>"$FAILED"'
    const head = `set -uE -o pipefail\ntrap '${note}' ERR\n`
    const whole = `${head}${script.join("")}exit 0\n`
    writeFileSync(join(folder, "script"), whole)
    const shell = spawn("bash", [join(folder, "script")], {
      cwd: place,
      env: { ...own, PATH: `${programs}:${pathOfReader}` },
      detached: true,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    shell.stderr.on("data", (bytes) => (said += bytes))
    // A command that waits for somebody would wait for ever.
    const limit = setTimeout(() => stop(shell), 90_000)
    await new Promise((resolve) => shell.once("close", resolve))
    clearTimeout(limit)
    const textOf = (at: number, kind: string) => {
      const file = join(folder, `${at}.${kind}`)
      return existsSync(file) ? readFileSync(file, "utf8") : ""
    }
    // The shell ends early where a variable is not set, or where it was stopped.
    if (shell.exitCode !== 0 || said !== "") {
      const last = blocks.reduce((found, _, at) => (existsSync(join(folder, `${at}.err`)) ? at : found), 0)
      throw new Error(`${first.page}:${blocks[last]?.line}: ${said}${textOf(last, "out")}${textOf(last, "err")}`)
    }
    return new Map(
      blocks.map((block, at) => [
        block,
        {
          out: textOf(at, "out"),
          err: textOf(at, "err"),
          failed: [...new Set(textOf(at, "failed").trim().split("\n"))]
            .filter((line) => line !== "")
            .map((line) => withoutComment(whole.split("\n")[Number(line) - 1] ?? ""))
        }
      ])
    )
  }
  const serve: Terminal["serve"] = async ({ text }, databaseUrl, work) => {
    const shell = spawn("bash", ["-c", text.replace(/\bpostgres:\/\/\S+/, databaseUrl)], {
      cwd: place,
      env: { ...own, PATH: pathOfReader, PORT: "0", GATEWAY_STOP_PAUSE_MILLIS: "0" },
      detached: true,
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = new Promise((resolve) => shell.once("close", resolve))
    try {
      await work((await listening(shell)).replace("0.0.0.0", "127.0.0.1"))
    } finally {
      stop(shell)
      await ended
    }
  }
  const token = readFileSync(join(place, ".data", "dev-token"), "utf8").trim()
  return { place, url, token, run, serve, close }
}
