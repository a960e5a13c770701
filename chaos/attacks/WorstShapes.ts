/**
 * A megabyte of the worst shapes, sent to every route that a gateway answers, with a token and without: as the body, as
 * each field of the body that the OpenAPI document knows, in messages to `/mcp`, as parameters and as headers. The
 * console is asked as a visitor who is not signed in. No single request may hold up the event loop for 50 ms or take 50
 * MB, and none is answered with a defect. A new route is covered by being in its list.
 */
import { Effect } from "effect"
import { request } from "undici"
import { audit } from "../stage/Audit.js"
import { stallMillisMax } from "../stage/Bounds.js"
import { type Findings, makeFindings, type Row } from "../stage/Findings.js"
import type { Node } from "../stage/Nodes.js"
import type { Stage } from "../stage/Stage.js"
import { allRoutes, renamed, requestsOf, type Sent } from "./WorstRequests.js"

const peakBytesMax = 50_000_000
/**
 * What is done for the first time is compiled then, and a full collection of garbage may come in between: the best of
 * so many counts.
 */
const tries = 3

/** The stage has no payment processor and nobody else who signs people in, and says so. */
const isMissingHere = ({ path }: Sent, status: number, text: string): boolean =>
  path.startsWith("/readyz") ||
  text.includes('"code":"billing_unavailable"') ||
  (status === 503 && /^\/console\/sign-in\/(?:openid|callback)/.test(path))

const send = (findings: Findings, node: Node, sent: Sent): Effect.Effect<void> =>
  Effect.promise(async () => {
    const name = `${sent.method} ${sent.path.slice(0, 60)} with ${sent.what}`
    try {
      const { body, statusCode } = await request(node.origin + sent.path, {
        method: sent.method as "GET",
        headers: sent.headers,
        ...(sent.body === undefined ? {} : { body: sent.body })
      })
      const text = await body.text()
      findings.hold(
        statusCode < 500 || isMissingHere(sent, statusCode, text),
        `${name} was answered ${statusCode} ${text.slice(0, 200)}`
      )
    } catch (cause) {
      findings.note(`${name} was not answered: ${String(cause)}`)
    }
  })

const judged = (findings: Findings, node: Node, sent: Sent): Effect.Effect<void> =>
  Effect.gen(function* () {
    let stall = Infinity
    let peak = Infinity
    for (let nth = 0; nth < tries && (stall >= stallMillisMax || peak >= peakBytesMax); nth++) {
      const cost = yield* node.costOf(send(findings, node, renamed(sent)))
      stall = Math.min(stall, cost.stallMillis)
      peak = Math.min(peak, cost.peakBytes)
    }
    const name = `${sent.method} ${sent.path.slice(0, 60)} with ${sent.what}`
    findings.hold(stall < stallMillisMax, `${name} held the event loop for ${stall.toFixed(0)} ms`)
    findings.hold(peak < peakBytesMax, `${name} took ${(peak / 1e6).toFixed(0)} MB`)
  })

/** Requests that are measured together; only when one of them is too dear are they measured one by one. */
const groupSize = 16

interface WorstShapesSize {
  /** Of the requests to each route every so-manieth is sent, another part of them in every route. */
  readonly every: number
}

export const worstShapes = (stage: Stage, { every }: WorstShapesSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const node = yield* stage.node(findings)
      const spender = yield* stage.fund(1_000_000_000)
      let operations = 0

      for (const [place, route] of allRoutes.entries()) {
        // Logging out would end the token that the others need, and the console knows no tokens.
        const callers = /^\/(?:v1\/logout$|console|approve)/.test(route.path) ? [null] : [null, spender.token]
        for (const token of callers) {
          const chosen = requestsOf(route, token).filter((_, index) => index % every === place % every)
          operations += chosen.length
          for (let at = 0; at < chosen.length; at += groupSize) {
            const group = chosen.slice(at, at + groupSize)
            const together = yield* node.costOf(
              Effect.forEach(group, (sent) => send(findings, node, sent), { discard: true })
            )
            if (together.stallMillis < stallMillisMax && together.peakBytes < peakBytesMax) continue
            for (const sent of group) yield* judged(findings, node, sent)
          }
        }
      }
      const { astrayMicros } = yield* audit(stage, findings, [spender])
      return {
        attack: "a megabyte of the worst shapes to every route",
        operations,
        faults: 0,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
