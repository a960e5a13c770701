// docs/errors.md says what the classes say: status, code, meaning and retry of every error, in both tables.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { isBlocking } from "../../src/domain/FailedRun.js"
import { readsAtOnceMax, readsWaitingMax, readWaitMillisMax } from "../../src/domain/Limits.js"
import { runFailures } from "../../src/domain/RunFailures.js"
import { wireErrors } from "../../src/http/Envelope.js"
import { rowsOf } from "./tables.js"

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
const yesNo = (is: boolean) => (is ? "yes" : "no")

describe("docs/errors.md", () => {
  it("lists every refusal as its class has it: status, code, meaning, retry, and what to do", () => {
    const rows = rowsOf(page, "Refused requests")
    assert.sameDeepMembers(
      rows,
      [...wireErrors.values()].map(({ code, retryable, retryHint, status, title }) => [
        String(status),
        `\`${code}\``,
        title,
        yesNo(retryable),
        retryHint
      ])
    )
  })

  it("lists every failed-run code as its class has it", () => {
    assert.sameDeepMembers(
      rowsOf(page, "Failed runs"),
      runFailures.map(({ code, facts: { retryHint, retryable, summary, whoseError } }) => [
        `\`${code}\``,
        summary,
        whoseError,
        yesNo(retryable),
        isBlocking(code) ? "blocked" : "failed",
        retryHint
      ])
    )
  })

  it("says how many reads of a workspace a node works on, how many wait, and how long", () => {
    const words = page.replace(/\s+/g, " ")
    assert.include(words, `works on ${readsAtOnceMax} of them at once`)
    assert.include(words, `up to ${readsWaitingMax} more wait`)
    assert.include(words, `\`x-ratelimit-limit\` is ${readsAtOnceMax} then`)
    assert.include(words, `waited for ${readWaitMillisMax / 1000} s`)
  })
})
