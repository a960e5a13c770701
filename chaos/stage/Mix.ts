/**
 * Runs of every kind by number: answers, misses, failures, fallback, cancels and write actions, some of whose answers
 * are lost.
 */
import { Effect, Option } from "effect"
import { type Answer, ask, insist } from "./Client.js"
import type { Findings } from "./Findings.js"
import type { Node } from "./Nodes.js"
import type { Spender } from "./Stage.js"

const person = { first_name: "Ada", last_name: "Example", domain: "example.com" }
const job = "job:people.email.find"

interface Kind {
  readonly body: object
  readonly cancel?: boolean
  /** How the run may end when nothing goes wrong. */
  readonly status: ReadonlyArray<string>
}

export const find = (script: object = {}): object => ({ endpointId: job, input: { ...person, _mock: script } })
/** The same for one price: a job may turn to another provider when the first has failed too often. */
export const findPinned = (script: object = {}): object => ({ ...find(script), endpointId: "mock-email-find" })
export const sendMessage = (script: object = {}): object => ({
  endpointId: "mock-send-message",
  input: { to: "ada@example.com", text: "hello", _mock: script }
})

const kinds: ReadonlyArray<Kind> = [
  { body: find(), status: ["completed"] },
  { body: find({ delayMs: 60 }), status: ["completed"] },
  { body: find({ outcome: "miss" }), status: ["completed"] },
  { body: find({ costMicros: 1_234 }), status: ["completed"] },
  { body: sendMessage({ delayMs: 40 }), status: ["completed"] },
  { body: find({ status: 500 }), status: ["failed"] },
  {
    body: { ...find({ outcome: "weak", delayMs: 10 }), fallback: { enabled: true, maxAttempts: 2 } },
    status: ["completed"]
  },
  { body: find({ delayMs: 400 }), cancel: true, status: ["completed", "failed"] },
  { body: sendMessage(), status: ["completed"] },
  { body: sendMessage({ drop: true }), status: ["reconciliation_pending"] },
  { body: sendMessage({ delayMs: 150 }), cancel: true, status: ["completed"] },
  { body: { endpointId: "mock-web-search", input: { query: "gateway", limit: 7 } }, status: ["completed"] }
]

/**
 * The n-th run of a load, to its answer. The key is its own; the node that is asked to cancel is another than the one
 * asked to run.
 */
export const mixed = (
  findings: Findings,
  nodes: () => ReadonlyArray<Node>,
  spender: Spender,
  n: number,
  key: string,
  waitSeconds = 20
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const kind = kinds[n % kinds.length] ?? { body: find(), status: [] }
    const { token } = spender
    const answer = yield* insist(
      findings,
      nodes,
      { token, body: kind.body, key, wait: kind.cancel === true ? 0 : waitSeconds },
      n
    )
    findings.hold(
      answer.httpStatus === 201,
      `a funded run was answered ${answer.httpStatus} ${answer.error?.code ?? ""}`
    )
    if (kind.cancel === true && answer.runId !== undefined) {
      const alive = nodes().filter((node) => node.isAlive())
      const other = alive[(n + 1) % Math.max(1, alive.length)]
      if (other !== undefined) {
        const cancelled = yield* ask(findings, other, "POST", `/v1/runs/${answer.runId}/cancel`, { token })
        if (Option.isSome(cancelled) && cancelled.value.httpStatus < 500) {
          findings.hold(cancelled.value.httpStatus === 200, `a cancel was answered ${cancelled.value.httpStatus}`)
        }
      }
    }
    return answer
  })

/** Statuses that the n-th run may have in quiet weather; a provider's circuit may open under so many failures. */
export const expectedOf = (n: number): ReadonlyArray<string> => [...(kinds[n % kinds.length]?.status ?? []), "failed"]
