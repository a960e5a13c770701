// The processes of the benchmark: each alone in its own, as in production, started here and stopped with it.
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import { request } from "undici"
import { environmentWith } from "./Environment.js"

const { scripts } = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))
)(readFileSync("package.json", "utf8"))

/** The flags that `npm start` gives Node. */
export const nodeFlags: ReadonlyArray<string> = scripts.start.match(/--\S+/g) ?? []

const started: Array<ChildProcess> = []
// Also when the benchmark fails half-way.
process.once("exit", () => started.forEach((child) => child.kill("SIGINT")))

export const start = (args: ReadonlyArray<string>, settings: Readonly<Record<string, string>>): ChildProcess => {
  const env = environmentWith(settings)
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  let words = ""
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000)
  }
  child.stdout.on("data", listen)
  child.stderr.on("data", listen)
  child.once("exit", (code) => {
    if (code !== 0 && code !== null) console.error(`${args[0]} ended with ${code}:\n${words}`)
  })
  started.push(child)
  return child
}

export const ready = async (url: string): Promise<void> => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await request(url).catch(() => undefined)
    await answer?.body.dump()
    if (answer !== undefined && answer.statusCode < 500) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} is not ready after 30 s`)
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", resolve))

export const stopAll = async (): Promise<void> => {
  for (const child of started) child.kill("SIGINT")
  await Promise.all(started.map(ended))
}
