/**
 * Ends the output of a run with one plain line, "N passed, M failed", taken from vitest's own results. Also looks
 * through everything that was logged in the whole run: a secret in it, of the tests (they begin with `canary-`) or an
 * access token, is one more failure.
 */
import type { UserConsoleLog } from "vitest"
import type { Reporter, TestModule } from "vitest/node"

const secrets = /canary-[\w/+=-]+|pgw_[0-9a-z]{26}[0-9a-f]{56}/

export default class ClosingLine implements Reporter {
  private readonly leaks: Array<string> = []

  onUserConsoleLog({ content }: UserConsoleLog): void {
    const found = content.split("\n").find((line) => secrets.test(line))
    if (found !== undefined) this.leaks.push(found)
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((each) => each === state).length
    // A file that could not be loaded and an error outside of all tests are no tests, and count as failures too.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const skipped = count("skipped")
    const line = `${count("passed")} passed, ${count("failed") + broken + unhandled.length + this.leaks.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
    if (this.leaks.length > 0) process.exitCode = 1
    for (const leak of this.leaks) console.error(`a secret was logged: ${leak.slice(0, 500)}`)
    // After the last words of the reporters before this one.
    process.once("exit", () => process.stdout.write(`${line}\n`))
  }
}
