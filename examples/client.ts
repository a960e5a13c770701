/**
 * A small client in one file, to copy: runs an operation, waits for its end, and tells every ending apart. It needs
 * nothing but `fetch`. A lost connection, a full gateway or a busy storage is tried again with the same key, which can
 * never run or charge twice.
 */

export interface RunRequest {
  /** `job:<job id>` or the id of a tool. */
  readonly endpointId: string
  readonly input: { readonly [field: string]: unknown }
  readonly fallback?: boolean
}

/** What of a run this client looks at; the gateway sends more. */
export interface Run {
  readonly runId: string
  readonly status: "queued" | "running" | "completed" | "failed" | "blocked" | "reconciliation_pending"
  readonly outcome?: "hit" | "weak" | "miss" | "error" | "rejected"
  readonly result?: unknown
  readonly normalized?: { readonly fields: { readonly [field: string]: unknown } }
  readonly pricing: { readonly finalChargeMicros?: number }
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly retryable: boolean
    readonly retryHint: string
    readonly requestId: string
  }
  readonly replayed?: boolean
}

/** The gateway refused the request: no run was made, nothing was held or charged. */
export class GatewayRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    /** Where to top up, with `insufficient_balance`. */
    readonly topUpUrl: string | null
  ) {
    super(`${code}: ${message}`)
  }
}

/** The run was made and did not complete; `run.error` says whose error it was and what to do. */
export class RunFailed extends Error {
  constructor(readonly run: Run) {
    super(
      run.error === undefined
        ? `${run.runId} is ${run.status}`
        : `${run.error.code}: ${run.error.message} ${run.error.retryHint}`
    )
  }
}

export interface ClientOptions {
  readonly url: string
  readonly token: string
  /** How often one request is tried. */
  readonly attempts?: number
  /** How long to wait for a run that is under way. */
  readonly deadlineMillis?: number
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string
    readonly message?: string
    readonly requestId?: string
    readonly retryable?: boolean
  }
  readonly retryAfterSeconds?: number
  readonly topUpUrl?: string | null
}

const pause = (millis: number) => new Promise<void>((resume) => setTimeout(resume, millis))
/** Every request brings a deadline of its own, longer than the gateway waits. */
const requestMillis = 30_000
const ended = (run: Run) => run.status !== "queued" && run.status !== "running"

export const gatewayClient = ({ attempts = 5, deadlineMillis = 120_000, token, url }: ClientOptions) => {
  const send = async <A>(method: "GET" | "POST", path: string, body?: object, idempotencyKey?: string): Promise<A> => {
    for (let attempt = 1; ; attempt++) {
      const backoff = Math.min(10_000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2)
      let response: Response
      let text: string
      try {
        response = await fetch(url + path, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(requestMillis)
        })
        text = await response.text()
      } catch (lost) {
        // Nobody knows whether it arrived; the key makes it safe to ask again.
        if (attempt >= attempts) throw lost
        await pause(backoff)
        continue
      }
      const answer: unknown = text.startsWith("{") ? JSON.parse(text) : {}
      if (response.ok) return answer as A
      const { error = {}, retryAfterSeconds, topUpUrl = null } = answer as ErrorBody
      if (error.retryable === true && attempt < attempts) {
        await pause(retryAfterSeconds === undefined ? backoff : retryAfterSeconds * 1000)
        continue
      }
      throw new GatewayRefusal(
        response.status,
        error.code ?? "unknown",
        error.message ?? text,
        error.requestId ?? null,
        topUpUrl
      )
    }
  }

  return {
    send,
    /** Gives the run when it completed, a miss included; otherwise rejects with `GatewayRefusal` or `RunFailed`. */
    run: async (request: RunRequest, idempotencyKey: string = crypto.randomUUID()): Promise<Run> => {
      const until = Date.now() + deadlineMillis
      let run = await send<Run>("POST", "/v1/runs?wait=20", request, idempotencyKey)
      for (let waits = 0; !ended(run) && Date.now() < until; waits++) {
        await pause(Math.min(5_000, 250 * 2 ** waits))
        run = await send<Run>("GET", `/v1/runs/${run.runId}`)
      }
      if (run.status !== "completed") throw new RunFailed(run)
      return run
    }
  }
}
