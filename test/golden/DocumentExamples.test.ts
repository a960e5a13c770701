/**
 * Records the examples of the OpenAPI document from real answers, and holds `assets/openapi-examples.json` against
 * them: an example that is no longer what the gateway answers fails. `npx vitest run test/golden -u` writes them anew.
 */
import { it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { format, resolveConfig } from "prettier"
import { expect } from "vitest"
import { client, type Loose } from "../support/httpGateway.js"
import { clockByHand, type DocumentGateway, documentGateway, type HandClock } from "./documentGateway.js"
import { type Asked, documentGateways, type DocumentScene, type Stage } from "./documentScenes.js"
import { eventually } from "../support/eventually.js"

const file = new URL("../../assets/openapi-examples.json", import.meta.url).pathname

const numbered = (n: number) => `01jz3w8m5q${String(n).padStart(16, "0")}`

/** Gives what is random the form of the examples in the rest of the document: the same thing the same name. */
const named = () => {
  const seen = new Map<string, string>()
  const once = (text: string, made: (n: number) => string): string => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const kind = text.slice(0, text.indexOf("_"))
    const count = [...seen.keys()].filter((each) => each.startsWith(`${kind}_`)).length
    const shown = made(count)
    seen.set(text, shown)
    return shown
  }
  return (text: string): string =>
    text
      .replace(/\bpgw_[0-9a-z]{40,}/g, (token) => once(token, (n) => `pgw_${numbered(n)}${"0".repeat(48)}4d3f1c2b`))
      .replace(/\b(run|att|rcp|led|top|cap|tok|ws|con|apr|med|req|aud)_[0-9a-z]{26}\b/g, (id, prefix: string) =>
        once(id, (n) => `${prefix}_${numbered(n)}`)
      )
      .replaceAll("127.0.0.1", "203.0.113.7")
      .replace(/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/g, "BCDF-GHJK")
      // A digest of what names the attempt too.
      .replace(/("requestDigest": ?)"([0-9a-f]{64})"/g, (_, name: string, digest: string) => {
        const shown = once(`digest_${digest}`, (n) => createHash("sha256").update(String(n)).digest("hex"))
        return `${name}"${shown}"`
      })
      .replace(/("device_code": ?)"[^"]+"/g, '$1"q2Xv0bq3yRkJm3v1y7n5fV8sT4hL6cW9zA0dE1gB2uI"')
      .replace(/("nextCursor": ?)"[^"]+"/g, '$1"ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"')
}

interface Kept {
  readonly operation: string
  readonly name: string
  readonly summary: string
  readonly request: string
  readonly body?: unknown
  readonly status: number
  readonly answer: unknown
}

const played = (slots: number | null, scenes: ReadonlyArray<DocumentScene>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const clock = yield* clockByHand
      const gateway = yield* documentGateway(clock, slots)
      return yield* Effect.forEach(scenes, (scene) => keptOf(scene, clock, gateway))
    })
  )

const keptOf = (
  { options: { providing = {}, usd = 25 }, play }: DocumentScene,
  clock: HandClock,
  { context, enter, port }: DocumentGateway
) =>
  Effect.gen(function* () {
    const { principal, token } = yield* enter(usd, providing)
    const http = client(`http://127.0.0.1:${port}`, port)
    const kept: Array<Kept> = []
    const send = (method: string, path: string, { at = path, body }: Asked = {}) =>
      http.send(method, at, {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : body instanceof URLSearchParams
            ? { body }
            : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
      })
    /** The clock stands still during a request, and goes on by a second to the next. */
    const sendLater: typeof send = (...parts) =>
      Effect.suspend(() => {
        clock.millis += 1_000
        return send(...parts)
      })
    const stage: Stage = {
      context,
      principal,
      ask: (method, path, asked) => Effect.map(sendLater(method, path, asked), ({ json }): Loose => json),
      keep: (operation, name, summary, asked = {}) =>
        Effect.gen(function* () {
          const [method = "", path = ""] = operation.split(" ")
          const { json, status, text } = yield* sendLater(method, path, asked)
          const wanted = asked.status === undefined ? status < 300 : status === asked.status
          if (json === undefined || !wanted) throw new Error(`${operation} ${name}: ${status} ${text}`)
          const { at = path, body } = asked
          kept.push({
            operation,
            name,
            summary,
            request: `${method} ${at}`,
            ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? Object.fromEntries(body) : body }),
            status,
            answer: json
          })
          return json
        }),
      until: (path, wanted) =>
        eventually(
          Effect.map(send("GET", path), ({ json }): Loose => json),
          wanted
        )
    }
    yield* play(stage)
    return JSON.parse(named()(JSON.stringify(kept))) as ReadonlyArray<Kept>
  })

it.live("the examples of the document are what a gateway answers", () =>
  Effect.gen(function* () {
    const all = (yield* Effect.forEach(documentGateways, ({ scenes, slots }) => played(slots, scenes))).flat(2)
    const byOperation: Record<string, Array<Omit<Kept, "operation">>> = {}
    for (const { operation, ...kept } of all) (byOperation[operation] ??= []).push(kept)
    yield* Effect.promise(async () => {
      const style = await resolveConfig(file)
      const text = await format(JSON.stringify(byOperation), { ...style, parser: "json" })
      await expect(text).toMatchFileSnapshot(file)
    })
  })
)
