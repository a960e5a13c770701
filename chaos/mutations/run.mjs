// The mutation check (`npm run mutations`): puts one deliberate defect at a time into a copy of the source and runs the
// tests that must notice it. Ends with a table, and fails when a defect survives, no longer applies, or a test fails
// without any. Arguments: words; only defects whose name has one of them are tried.
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clearTimeout, setTimeout } from "node:timers"
import { fileURLToPath } from "node:url"
import { defects } from "./defects.mjs"

const parallel = 2
const minutesMax = 5
const root = fileURLToPath(new URL("../..", import.meta.url))
const copied = ["src", "test", "assets", "catalog", "package.json", "tsconfig.json", "vitest.config.ts"]

const copy = () => {
  const place = mkdtempSync(join(tmpdir(), "provider-gateway-mutation-"))
  for (const name of copied) cpSync(join(root, name), join(place, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"))
  return place
}

/** Runs test files in a copy: how many tests passed and failed, or why that cannot be said. */
const runTests = (place, files, ...flags) =>
  new Promise((resolve) => {
    const report = join(place, "report.json")
    rmSync(report, { force: true })
    const child = spawn(
      process.execPath,
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        ...files,
        ...flags,
        "--reporter=json",
        `--outputFile=${report}`
      ],
      {
        cwd: place,
        stdio: ["ignore", "ignore", "pipe"]
      }
    )
    let said = ""
    child.stderr.on("data", (text) => (said = (said + text).slice(-2_000)))
    const late = setTimeout(() => child.kill("SIGTERM"), minutesMax * 60_000)
    child.on("exit", () => {
      clearTimeout(late)
      try {
        const { numFailedTests: failed, numPassedTests: passed, testResults } = JSON.parse(readFileSync(report, "utf8"))
        const broken = testResults.find((file) => file.status === "failed" && file.assertionResults.length === 0)
        const by = testResults.flatMap((file) => file.assertionResults).find((test) => test.status === "failed")?.title
        resolve(
          broken === undefined
            ? { passed, failed, by }
            : { trouble: `${broken.name} cannot be loaded: ${broken.message}` }
        )
      } catch {
        resolve({ trouble: said.trim() || "no report" })
      }
    })
  })

const attempt = async (place, { edits, name, tests }) => {
  const before = new Map(edits.map(([file]) => [file, readFileSync(join(place, file), "utf8")]))
  const after = new Map(before)
  for (const [file, text, replacement] of edits) {
    const parts = after.get(file).split(text)
    if (parts.length !== 2)
      return { name, verdict: "does not apply", by: `${file}: the text occurs ${parts.length - 1} times` }
    after.set(file, parts.join(replacement))
  }
  for (const [file, text] of after) writeFileSync(join(place, file), text)
  const { by, failed, trouble } = await runTests(place, tests, "--bail=1")
  for (const [file, text] of before) writeFileSync(join(place, file), text)
  if (trouble !== undefined) return { name, verdict: "no verdict", by: trouble }
  return failed > 0 ? { name, verdict: "killed", by } : { name, verdict: "SURVIVED", by: `${tests.join(", ")} passed` }
}

const words = process.argv.slice(2)
const chosen = defects.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
const unmatched = words.filter((word) => !defects.some(({ name }) => name.includes(word)))
if (unmatched.length > 0) {
  console.error(`No defect has a name with ${unmatched.map((word) => `"${word}"`).join(" or ")} in it.`)
  process.exit(1)
}
const places = Array.from({ length: parallel }, copy)
process.on("exit", () => places.forEach((place) => rmSync(place, { recursive: true, force: true })))
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1))

const sound = await runTests(places[0], [...new Set(chosen.flatMap(({ tests }) => tests))])
if (sound.trouble !== undefined || sound.failed > 0 || sound.passed === 0) {
  console.error(`The tests must pass without any defect first: ${sound.trouble ?? sound.by ?? "there are none"}`)
  process.exit(1)
}

const waiting = [...chosen]
const results = []
await Promise.all(
  places.map(async (place) => {
    for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift()) {
      const result = await attempt(place, defect)
      results.push(result)
      console.error(`${results.length}/${chosen.length} ${result.verdict}: ${result.name}`)
    }
  })
)

const width = Math.max(...results.map(({ name }) => name.length))
const order = new Map(chosen.map(({ name }, index) => [name, index]))
console.log(`${"defect".padEnd(width)}  ${"verdict".padEnd(14)}  by`)
for (const { by, name, verdict } of results.sort((a, b) => order.get(a.name) - order.get(b.name)))
  console.log(`${name.padEnd(width)}  ${verdict.padEnd(14)}  ${by ?? ""}`)
const killed = results.filter(({ verdict }) => verdict === "killed").length
console.log(`${killed} of ${results.length} defects killed`)
process.exit(killed === results.length ? 0 : 1)
