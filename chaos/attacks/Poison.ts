/**
 * A run that ends every node that works on it: after the second it is set apart, and the third node and everybody
 * else's runs live on.
 */
import { Effect, Option } from "effect"
import { audit } from "../stage/Audit.js"
import { ask, insist } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { find, sendMessage } from "../stage/Mix.js"
import type { Stage } from "../stage/Stage.js"

const within = "40 seconds"

export const poison = (stage: Stage): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(10_000_000)
      const kinds = [
        { body: find(), point: "dispatch.before_send", status: "failed", code: "contract_invalid" },
        { body: sendMessage(), point: "dispatch.after_send", status: "reconciliation_pending", code: undefined }
      ]
      for (const [index, { body, code, point, status }] of kinds.entries()) {
        const sent = stage.fixture.calls.of("mock-send-message")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const mortal = yield* stage.mortalNode(findings, { GATEWAY_FAULT_POINT: `${point}:1` })
            if (Option.isNone(mortal)) return findings.note("a node died before anybody asked it anything")
            yield* ask(findings, mortal.value, "POST", "/v1/runs", {
              token: spender.token,
              body,
              key: `poison ${index}`,
              wait: 0
            })
            yield* Effect.timeoutTo(mortal.value.ended, {
              duration: within,
              onSuccess: () => undefined,
              onTimeout: () => findings.note(`the first node did not die at ${point}`)
            })
            if (index === 0) {
              // It takes the run over, and dies of it too.
              const second = yield* stage.mortalNode(findings, { GATEWAY_FAULT_POINT: `${point}:1` })
              if (Option.isSome(second)) {
                yield* Effect.timeoutTo(second.value.ended, {
                  duration: within,
                  onSuccess: () => undefined,
                  onTimeout: () => findings.note(`the second node did not die at ${point}`)
                })
              }
            }
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const third = yield* stage.node(findings)
            const again = insist(findings, () => [third], {
              token: spender.token,
              body,
              key: `poison ${index}`,
              wait: 1
            })
            const ended = yield* Effect.repeat(again, {
              until: (answer) => answer.status !== "running" && answer.status !== "queued",
              times: 40
            })
            findings.hold(
              ended.status === status && ended.error?.code === code,
              `the run ended ${ended.status} ${ended.error?.code ?? ""}, not ${status} ${code ?? ""}`
            )
            const other = yield* insist(findings, () => [third], {
              token: spender.token,
              body: find(),
              key: `beside ${index}`,
              wait: 20
            })
            findings.hold(other.status === "completed", `a run beside it ended ${other.status}`)
            findings.hold(third.isAlive(), "the third node died too")
          })
        )
        const calls = stage.fixture.calls.of("mock-send-message") - sent
        findings.hold(calls <= 1, `a run with an effect was called ${calls} times`)
      }
      const { astrayMicros, runs } = yield* audit(stage, findings, [spender])
      return {
        attack: "runs that end their nodes",
        operations: runs,
        faults: 3,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
