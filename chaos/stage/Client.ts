/**
 * A client as the contract wants one: a refusal of the storage or a lost connection is met with the same key, until
 * there is an answer.
 */
import { Effect, Option, Schema } from "effect"
import { Agent, request } from "undici"
import type { Findings } from "./Findings.js"
import type { Node } from "./Nodes.js"

const RunBody = Schema.Struct({
  runId: Schema.optional(Schema.String),
  status: Schema.optional(Schema.String),
  outcome: Schema.optional(Schema.NullOr(Schema.String)),
  replayed: Schema.optional(Schema.Boolean),
  completedAt: Schema.optional(Schema.NullOr(Schema.DateFromString)),
  error: Schema.optional(Schema.NullOr(Schema.Struct({ code: Schema.String })))
})
const decode = Schema.decodeUnknownOption(Schema.parseJson(RunBody))

type RunAnswer = Schema.Schema.Type<typeof RunBody>

export interface Answer extends RunAnswer {
  readonly httpStatus: number
  readonly millis: number
  /** From the end of the run, by the node's clock, to the arrival of this answer; null when the run has not ended. */
  readonly lateMillis: number | null
}

export interface Ask {
  readonly token: string
  readonly body?: object
  readonly key?: string
  readonly wait?: number
  /** Ends the request from the client's side. */
  readonly signal?: AbortSignal
}

const agent = new Agent({ connections: 512, headersTimeout: 90_000, bodyTimeout: 90_000 })
const troubles = new Set(["storage_busy", "storage_uncertain", "runtime_bridge_timeout"])

/** One exchange; none when no complete answer came. Notes every answer that storage trouble must not look like. */
export const ask = (
  findings: Findings,
  node: Pick<Node, "origin">,
  method: "GET" | "POST",
  path: string,
  options: Ask
): Effect.Effect<Option.Option<Answer>> =>
  Effect.promise(async () => {
    const started = performance.now()
    try {
      const {
        body: stream,
        headers,
        statusCode
      } = await request(`${node.origin}${path}${options.wait === undefined ? "" : `?wait=${options.wait}`}`, {
        dispatcher: agent,
        method,
        headers: {
          authorization: `Bearer ${options.token}`,
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...(options.key === undefined ? {} : { "idempotency-key": options.key })
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.signal === undefined ? {} : { signal: options.signal })
      })
      const text = await stream.text()
      const body: RunAnswer = Option.getOrElse(decode(text), () => ({}))
      const lateMillis =
        body.completedAt === undefined || body.completedAt === null ? null : Date.now() - body.completedAt.getTime()
      const answer = { ...body, httpStatus: statusCode, millis: performance.now() - started, lateMillis }
      const code = answer.error?.code
      if (statusCode >= 500 && !(statusCode === 503 && troubles.has(code ?? "")))
        findings.note(`${method} ${path.split("/")[2]} was answered ${statusCode} ${text.slice(0, 300)}`)
      if (statusCode === 503 && headers["retry-after"] === undefined) findings.note(`503 ${code} without retry-after`)
      return Option.some(answer)
    } catch {
      return Option.none()
    }
  })

const again = "100 millis"
/** Longer than any attack keeps the storage or the nodes away. */
const answeredWithinSeconds = 180

/**
 * Asks one node after the other with the same key until one gives an answer that is not a storage trouble. Notes it
 * when there is none in time; the answer then has the status 0.
 */
export const insist = (
  findings: Findings,
  nodes: () => ReadonlyArray<Pick<Node, "isAlive" | "origin">>,
  options: Ask,
  first = 0
): Effect.Effect<Answer> => {
  const step = (turn: number): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const alive = nodes().filter((node) => node.isAlive())
      const node = alive[turn % Math.max(1, alive.length)]
      return node === undefined ? Effect.succeedNone : ask(findings, node, "POST", "/v1/runs", options)
    }).pipe(
      Effect.flatMap((answer) =>
        Option.isSome(answer) && answer.value.httpStatus < 500
          ? Effect.succeed(answer.value)
          : Effect.zipRight(Effect.sleep(again), step(turn + 1))
      )
    )
  return Effect.timeoutTo(step(first), {
    duration: answeredWithinSeconds * 1_000,
    onSuccess: (answer) => answer,
    onTimeout: (): Answer => {
      findings.note(`a request had no answer in ${answeredWithinSeconds} s, with the same key again and again`)
      return { httpStatus: 0, millis: answeredWithinSeconds * 1_000, lateMillis: null }
    }
  })
}
