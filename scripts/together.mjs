// Runs scripts of package.json beside each other: `node scripts/together.mjs lint check`. Prints what each said when it
// is over, with its time, and fails when one of them failed.
import { spawn } from "node:child_process"

const run = (name) =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn("npm", ["run", "-s", name], { stdio: ["ignore", "pipe", "pipe"] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said.push(text))
    child.once("error", (error) => said.push(Buffer.from(`${error.message}\n`)))
    child.once("close", (code) => {
      process.stdout.write(Buffer.concat(said))
      console.log(`${name}: ${code === 0 ? "passed" : "failed"} in ${Math.round((performance.now() - began) / 1000)} s`)
      resolve(code === 0)
    })
  })

const passed = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = passed.every(Boolean) ? 0 : 1
