/**
 * `npm run bench:bounds`: does anything that a manifest, an import, a client or a provider can send hold up the event
 * loop, or fill the memory? Each of the worst inputs goes through the real code in a process of its own, several times.
 * Printed are the longest stall of the event loop, the least of all rounds (so that a busy machine does not count), and
 * how far the memory grew. Ends with 1 when a bound is exceeded. Words as arguments run only the cases whose names
 * contain one of them; `--rounds N` (3) says how often.
 */
import { fork } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { stallMillisMax } from "../chaos/stage/Bounds.js"
import { cases } from "./bounds/Cases.js"
import { calibrate, type Measured } from "./bounds/Measuring.js"
import { optionsOf } from "./Options.js"
import { environmentWith } from "./runs/Environment.js"
import { nodeFlags } from "./runs/Processes.js"

const memoryMegabytesMax = 100
/** For what runs while nobody else waits for the process. */
const aloneMillisMax = 2_000
/** What the calibration loop takes on a machine on which the bound holds as it is. */
const calibrationMillis = 25
const childMillisMax = 120_000

const { count, words } = optionsOf({ values: ["rounds"], words: true })
const rounds = count("rounds", 3)
const fruitless = words.filter((word) => !cases.some(({ name }) => name.includes(word)))
if (fruitless.length > 0) {
  console.error(`No case has a name with ${fruitless.join(", nor with ")}`)
  process.exit(2)
}
const chosen = cases.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

// The provider of the cases that are answers: its work must not stall the process that is measured.
const server = createServer((request, response) => {
  const answer = cases[Number(request.url?.slice(1))]?.answer?.()
  request.resume()
  response.writeHead(answer?.status ?? 200, { ...answer?.headers })
  response.end(answer?.body)
})
await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
const address = server.address()
const port = typeof address === "object" && address !== null ? address.port : 0

const measured = (at: number): Promise<Measured> =>
  new Promise((done, fail) => {
    const child = fork(fileURLToPath(new URL("./bounds/child.js", import.meta.url)), [], {
      execArgv: ["--expose-gc", ...nodeFlags],
      env: environmentWith({ BOUNDS_CASE: String(at), BOUNDS_PORT: String(port), BOUNDS_ROUNDS: String(rounds) })
    })
    const limit = setTimeout(() => child.kill("SIGKILL"), childMillisMax)
    child.once("message", (result: Measured) => done(result))
    child.once("exit", (code, signal) => {
      clearTimeout(limit)
      fail(new Error(`ended without a result (${code ?? signal})`))
    })
  })

const factor = Math.max(1, calibrate() / calibrationMillis)
const stallMax = stallMillisMax * factor
console.log(
  `A stall may take ${stallMax.toFixed(0)} ms on this machine (${stallMillisMax} ms times ${factor.toFixed(2)}), and ${(aloneMillisMax * factor).toFixed(0)} ms before a node serves and in the command line. Memory may grow by ${memoryMegabytesMax} MB.\n`
)
console.log(`${"stall ms".padStart(9)} ${"memory MB".padStart(10)} ${"total ms".padStart(9)}  case`)
let broken = 0
for (const one of chosen) {
  try {
    const { endedAs, memoryMegabytes, stallMillis, totalMillis } = await measured(cases.indexOf(one))
    const isBroken =
      stallMillis > (one.alone ? aloneMillisMax * factor : stallMax) || memoryMegabytes > memoryMegabytesMax
    broken += isBroken ? 1 : 0
    console.log(
      `${stallMillis.toFixed(1).padStart(9)} ${memoryMegabytes.toFixed(0).padStart(10)} ${totalMillis.toFixed(0).padStart(9)}  ${one.name}: ${endedAs}${isBroken ? "  TOO MUCH" : ""}`
    )
  } catch (error) {
    broken += 1
    console.log(`${"".padStart(30)}  ${one.name}: ${error instanceof Error ? error.message : String(error)}  TOO MUCH`)
  }
}
server.close()
console.log(`\n${chosen.length} cases, ${broken} above a bound.`)
process.exitCode = broken === 0 ? 0 : 1
