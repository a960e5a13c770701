/** Ends the output of a run with one plain line, "N passed, M failed", taken from vitest's own results. */
import type { Reporter, TestModule } from "vitest/node"

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((each) => each === state).length
    // A file that could not be loaded, and an error outside of any test, have no test to count them.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const skipped = count("skipped")
    const line = `${count("passed")} passed, ${count("failed") + broken + unhandled.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
    // After the last words of the reporters before this one.
    process.once("exit", () => process.stdout.write(`${line}\n`))
  }
}
