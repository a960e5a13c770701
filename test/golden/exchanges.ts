/** Sends requests to a gateway and keeps each with its answer, for a golden file. */
import { Effect } from "effect"
import { client, type Answer, type Loose } from "../support/httpGateway.js"
import { eventually } from "../support/eventually.js"

export interface Sending {
  /** Null for none. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  readonly token?: string | null
}

export interface Recording {
  readonly get: (path: string, sending?: Sending) => Effect.Effect<Loose>
  /** With the idempotency key `key` unless another is given. */
  readonly post: (path: string, body?: unknown, sending?: Sending) => Effect.Effect<Loose>
  /** A run waited for, then what `GET` says of it, and its attempts when it has some. */
  readonly run: (body: object, sending?: Sending) => Effect.Effect<Loose>
  /** Asks without keeping the answer, until it is as wanted. */
  readonly until: (path: string, wanted: (answer: Loose) => boolean) => Effect.Effect<Loose>
  /** What was kept so far, oldest first. */
  readonly exchanges: ReadonlyArray<Exchange>
}

export interface Exchange {
  readonly request: string
  readonly headers: Record<string, string> | undefined
  readonly body: unknown
  readonly status: number
  readonly answerHeaders: Record<string, string> | undefined
  readonly answer: unknown
}

/** What every answer has, whatever it says. */
const usual: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "content-type",
  "x-content-type-options",
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "cache-control",
  "vary",
  "etag"
])
const unusual = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => !usual.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)))
const unlessEmpty = (value: Record<string, string>): Record<string, string> | undefined =>
  Object.keys(value).length === 0 ? undefined : value
const withoutReplayed = ({ replayed: _, ...run }: Loose): Loose => run

/** As the owner of `token`, unless a request says otherwise. */
export const recording = (url: string, token: string): Recording => {
  const exchanges: Array<Exchange> = []
  const http = client(url, Number(new URL(url).port))
  const send = (
    method: string,
    path: string,
    body: unknown,
    { headers = {}, key = null, token: other = token }: Sending
  ) =>
    http.send(method, path, {
      authorization: other === null ? null : `Bearer ${other}`,
      headers: {
        "x-request-id": "req_golden",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === null ? {} : { "idempotency-key": key }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
  const keep = (
    request: string,
    body: unknown,
    { headers = {}, key }: Sending,
    answer: Answer,
    shown: unknown = answer.json ?? answer.text
  ) => {
    const sent = {
      ...(key === undefined || key === null ? {} : { "idempotency-key": key }),
      ...headers
    }
    exchanges.push({
      request,
      headers: unlessEmpty(sent),
      body,
      status: answer.status,
      answerHeaders: unlessEmpty(unusual(answer)),
      answer: shown
    })
  }
  const kept = (method: string, path: string, body: unknown, sending: Sending) =>
    Effect.map(send(method, path, body, sending), (answer): Loose => {
      keep(`${method} ${path}`, body, sending, answer)
      return answer.json
    })
  const get: Recording["get"] = (path, sending = {}) => kept("GET", path, undefined, sending)
  const post: Recording["post"] = (path, body, sending = {}) => kept("POST", path, body, sending)
  const run: Recording["run"] = (body, sending = {}) =>
    Effect.gen(function* () {
      const made = yield* post("/v1/runs?wait=10", body, {
        key: "key",
        ...sending
      })
      if (made.runId === undefined) return made
      const path = `/v1/runs/${made.runId}`
      const again = yield* send("GET", path, undefined, {})
      const same = JSON.stringify(again.json) === JSON.stringify(withoutReplayed(made))
      keep(`GET ${path}`, undefined, {}, again, same ? "the same without replayed" : again.json)
      const attempts = yield* send("GET", `${path}/attempts`, undefined, {})
      if (attempts.json.attempts.length > 0) keep(`GET ${path}/attempts`, undefined, {}, attempts)
      return made
    })
  const until: Recording["until"] = (path, wanted) =>
    eventually(
      Effect.map(send("GET", path, undefined, {}), ({ json }): Loose => json),
      wanted
    )
  return { get, post, run, until, exchanges }
}
