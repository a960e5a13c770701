// docs/errors.md says what the classes say: status, code, meaning and retry of every error, in both tables.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { isBlocking } from "../../src/domain/FailedRun.js"
import { readsAtOnceMax, readsSharedMax, readsWaitingMax, readWaitMillisMax } from "../../src/domain/limits/Requests.js"
import { refusedRunsPerMinuteMax } from "../../src/domain/limits/Runs.js"
import { runFailures } from "../../src/domain/RunFailures.js"
import { wireErrors } from "../../src/http/Envelope.js"
import { rowsOf } from "./tables.js"

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
const document: {
  readonly components: { readonly schemas: { readonly [name: string]: { readonly properties?: object } } }
} = JSON.parse(readFileSync(new URL("../golden/files/openapi.json", import.meta.url), "utf8"))
/** The fields of the code's answer, without `error` itself. */
const besideOf = (code: string): ReadonlyArray<string> =>
  Object.keys(document.components.schemas[`Error_${code}`]?.properties ?? {}).filter((name) => name !== "error")
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
        retryHint,
        besideOf(code)
          .map((name) => `\`${name}\``)
          .join(", ")
      ])
    )
    assert.sameMembers(
      rowsOf(page, "The fields beside `error`").map(([name = ""]) => name.replaceAll("`", "")),
      [...new Set([...wireErrors.keys()].flatMap(besideOf))]
    )
  })

  it("says by which code in the result a job is refused", () => {
    const made = readFileSync(new URL("../../src/layers/runs/planning/RouteRefusals.ts", import.meta.url), "utf8")
    const codes = [...made.matchAll(/(?:refuseJob\(\s*|result: \{ code: |case )"(\w+)"/g)].map(
      ([, code]) => `\`${code}\``
    )
    assert.sameMembers(
      rowsOf(page, "Refused jobs").map(([code = ""]) => code),
      [...new Set(codes)]
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
    assert.include(words, `works on ${readsAtOnceMax} reads of a workspace at once`)
    assert.include(words, `Up to ${readsWaitingMax} more wait`)
    assert.include(words, `its \`x-ratelimit-limit\` is ${readsAtOnceMax}.`)
    assert.include(
      words,
      `answered together: ${readsSharedMax} of them at once, and again up to ${readsWaitingMax} wait`
    )
    assert.include(words, `the \`x-ratelimit-limit\` of the next one is ${readsSharedMax}.`)
    assert.include(words, `at most ${refusedRunsPerMinuteMax} runs of a workspace`)
    assert.include(words, `its \`x-ratelimit-limit\` is ${refusedRunsPerMinuteMax}.`)
    assert.include(words, `waited for ${readWaitMillisMax / 1000} s`)
  })
})
