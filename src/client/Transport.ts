/**
 * One call of the gateway, over as many attempts as it takes.
 *
 * A call is sent again only where that can do no harm: it reads; or it carries an idempotency key, which was made
 * before the first attempt and stays the same, as its body does; or the gateway said 429, which means that it did
 * nothing. Everything else is sent once. Between attempts it waits as long as the gateway says, or longer with each
 * attempt.
 */
import { type Operations, routes } from "./api/Operations.js"
import type { Refusals, Run } from "./api/Schemas.js"
import { download } from "./Download.js"
import { Aborted, type OfRun, type RefusalCode, Refused, UnexpectedAnswer, Unreachable } from "./Failures.js"
import { headerText, type Settings } from "./Settings.js"
import { attemptLimit, now, pause } from "./Waiting.js"

export type OperationId = keyof Operations
export type Query<Id extends OperationId> = Operations[Id]["query"]
export type Body<Id extends OperationId> = Operations[Id]["body"]
export type Answer<Id extends OperationId> = Operations[Id]["answer"]

/** What is left out where the operation takes nothing of the kind. */
type Given<Name extends string, Value> = {} extends Value
  ? { readonly [_ in Name]?: Value | undefined }
  : Value extends undefined
    ? { readonly [_ in Name]?: undefined }
    : { readonly [_ in Name]: Value }

export type Call<Id extends OperationId> = Given<"path", Operations[Id]["path"]> &
  Given<"query", Query<Id>> &
  Given<"body", Body<Id>> & {
    readonly signal?: AbortSignal | undefined
    readonly idempotencyKey?: string | undefined
    /** Shorter than the client's own. */
    readonly retryForMillis?: number | undefined
    /** The run that this call only looks after: its failures are those of the call that made it. */
    readonly madeBefore?: { readonly run: Run; readonly idempotencyKey: string | null } | undefined
  }

export interface Transport {
  readonly send: <Id extends OperationId>(id: Id, call: Call<Id>) => Promise<Answer<Id>>
  readonly baseUrl: string
  /** For how long an attempt may wait for its answer. */
  readonly requestTimeoutMillis: number
}

/** These change nothing. */
const reads = (id: OperationId, method: string): boolean =>
  method === "GET" || id === "runs.quote" || id === "public-catalog.compare"
/** These change nothing more the second time. */
const harmless = (id: OperationId, method: string): boolean =>
  reads(id, method) || method === "PUT" || method === "DELETE" || id === "runs.cancel"

/** Statuses that a proxy answers while the gateway is away; the gateway's own answers say whether to try again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** So often is an address tried that has never answered, and may be wrong: for about 12 seconds. */
const attemptsAtUnknown = 7
const longestPauseMillis = 10_000

/** 250 ms, doubled with each attempt, and less by up to half, so that clients do not come back all at once. */
const backoff = (attempt: number) => Math.min(longestPauseMillis, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)

/** Seconds or a date, as RFC 9110 has it. */
const retryAfterMillis = (header: string | null): number | null => {
  if (header === null) return null
  const seconds = Number(header)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(millis) ? Math.max(0, millis) : null
}

/** What became of one attempt. */
type Attempt =
  | { readonly tag: "answered"; readonly value: unknown }
  | { readonly tag: "lost"; readonly cause: unknown; readonly mayHaveArrived: boolean }
  | {
      readonly tag: "refused"
      /** Made last: whether the call may have been done, all its attempts tell together. */
      readonly failure: (idempotencyKey: string | null, ofRun: OfRun) => Refused | UnexpectedAnswer
      readonly status: number
      readonly retryable: boolean
      readonly mayHaveArrived: boolean
      readonly afterMillis: number | null
    }

/** What Node says where nothing was sent: no connection, or no certificate that it believes. A browser says neither. */
const notConnected =
  /^(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|ERR_SSL_WRONG_VERSION_NUMBER|ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/
/** Of several addresses of a name, each has an error of its own. */
const wasSent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return true
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.some(wasSent)
  if ("code" in error && notConnected.test(String(error.code))) return false
  // The ports that no `fetch` asks.
  if (error.message === "bad port") return false
  return error.cause === undefined || wasSent(error.cause)
}

/** 128 random bits. `crypto.randomUUID` is missing in pages without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/**
 * The one place that takes the gateway at its word: an answer has the shape that its document gives. Whether the other
 * end is a gateway at all shows in whether it answers an object, and a page with its items.
 */
const isAnswer = <Id extends OperationId>(id: Id, value: unknown): value is Answer<Id> => {
  const route = routes[id]
  return value === undefined || (isObject(value) && (!("items" in route) || route.items in value))
}

/** Not every service that answers an `error` is a gateway. */
const isRefusal = (value: unknown): value is Refusals[RefusalCode] => {
  if (!isObject(value) || !("error" in value) || !isObject(value.error)) return false
  const error = new Map<string, unknown>(Object.entries(value.error))
  return (
    ["code", "message", "requestId"].every((name) => typeof error.get(name) === "string") &&
    typeof error.get("retryable") === "boolean"
  )
}

const filled = (path: string, values: { readonly [name: string]: string }) =>
  Object.entries(values).reduce((filling, [name, value]) => {
    // Each of these would make another route of this one. A program in plain JavaScript can give none at all.
    if (typeof value !== "string" || ["", ".", ".."].includes(value))
      throw new TypeError(`${name} is ${JSON.stringify(value)}; an id is needed`)
    return filling.replace(`{${name}}`, () => encodeURIComponent(value))
  }, path)

const queryText = (query: object): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

const parsed = (settings: Settings, text: string): { readonly value: unknown } | null => {
  try {
    return { value: settings.json.parse(text) }
  } catch {
    return null
  }
}

interface Request {
  readonly url: string
  readonly method: string
  readonly answers: "json" | "file" | "nothing"
  readonly body: string | null
  readonly idempotencyKey: string | null
}

const whatCame = (status: number, text: string, contentType: string): string => {
  if (status >= 300 && status < 400) return "a redirect, which is not followed: give the address behind it as baseUrl"
  if (/\bhtml\b/i.test(contentType)) return "a page of HTML"
  return text === "" ? "nothing" : "something that is no answer of a gateway"
}

const once = async (settings: Settings, request: Request, signal: AbortSignal | undefined): Promise<Attempt> => {
  const { answers, body, idempotencyKey, method, url } = request
  const limit = attemptLimit(settings.requestTimeoutMillis, signal)
  let ended = true
  try {
    const fetched = settings.fetch(url, {
      method,
      headers: {
        accept: answers === "file" ? "*/*" : "application/json",
        ...settings.headers,
        ...(body === null ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey })
      },
      ...(body === null ? {} : { body }),
      // Followed, a redirect would turn a POST into a GET.
      redirect: "manual",
      signal: limit.signal
    })
    const response = await limit.within(fetched)
    const { ok, status } = response
    if (ok && answers === "file") {
      limit.stopClock()
      ended = false
      return { tag: "answered", value: download(response, { end: limit.release, within: limit.piece }) }
    }
    const text = await limit.within(response.text())
    const json = text === "" ? null : parsed(settings, text)
    if (ok && answers === "nothing") return { tag: "answered", value: undefined }
    if (ok && json !== null) return { tag: "answered", value: json.value }
    const afterMillis = retryAfterMillis(response.headers.get("retry-after"))
    if (!ok && json !== null && isRefusal(json.value)) {
      const { value } = json
      const { code, retryable } = value.error
      return {
        tag: "refused",
        failure: (key, ofRun) => new Refused({ code, answer: value }, status, key, ofRun),
        status,
        retryable,
        // Below 500, and where no repetition helps, the gateway has decided and done nothing. Else nobody here knows.
        mayHaveArrived: retryable && status >= 500,
        afterMillis
      }
    }
    const contentType = response.headers.get("content-type") ?? ""
    // A success in JSON that cannot be read was cut on its way. Another page is there the next time too.
    const retryable = ok ? text === "" || /\bjson\b/i.test(contentType) : passing.has(status)
    const about = {
      what: whatCame(status, text, contentType),
      retryable,
      requestId: response.headers.get("x-request-id")
    }
    return {
      tag: "refused",
      failure: (key, ofRun) =>
        new UnexpectedAnswer(url, status, text.slice(0, 1000), { ...about, idempotencyKey: key }, ofRun),
      status,
      retryable,
      mayHaveArrived: ok || status >= 500,
      afterMillis
    }
  } catch (cause) {
    return { tag: "lost", cause, mayHaveArrived: wasSent(cause) }
  } finally {
    if (ended) limit.release()
  }
}

export const makeTransport = (settings: Settings): Transport => {
  let everAnswered = false
  const send: Transport["send"] = async (id, call) => {
    const { keyed, method, path, answers } = routes[id]
    const idempotencyKey = keyed ? headerText("idempotencyKey", call.idempotencyKey ?? newKey()) : null
    const request: Request = {
      url: `${settings.baseUrl}${filled(path, call.path ?? {})}${queryText(call.query ?? {})}`,
      method,
      answers,
      // Once for all attempts: a retry must be the same request to the letter.
      body: call.body === undefined ? null : settings.json.stringify(call.body),
      idempotencyKey
    }
    const repeatable = idempotencyKey !== null || harmless(id, method)
    const until = now() + (call.retryForMillis ?? settings.retryForMillis)
    let mayHaveArrived = false
    // The request of a call that looks after a run carries no key; what its caller can go on with is the run's.
    const keyToGoOn = call.madeBefore?.idempotencyKey ?? idempotencyKey
    const ofRun = (): OfRun =>
      call.madeBefore === undefined
        ? { run: null, mayStillRun: mayHaveArrived && !harmless(id, method) }
        : { run: call.madeBefore.run, mayStillRun: true }
    const stopIfAborted = () => {
      if (call.signal?.aborted !== true) return
      const mayStillRun = mayHaveArrived && !reads(id, method)
      const found = call.madeBefore === undefined ? { run: null, mayStillRun } : ofRun()
      throw new Aborted({ reason: call.signal.reason, ...found, idempotencyKey: keyToGoOn })
    }
    // A caller who aborts in the turn of the call has sent nothing: `fetch` would not tell.
    await Promise.resolve()
    for (let attempt = 1; ; attempt++) {
      stopIfAborted()
      const result = await once(settings, request, call.signal)
      if (result.tag !== "lost") everAnswered = true
      if (result.tag === "answered") {
        if (isAnswer(id, result.value)) return result.value
        mayHaveArrived = true
        const about = { what: "something that is no answer of a gateway", retryable: false, requestId: null }
        const text = settings.json.stringify(result.value).slice(0, 1000)
        throw new UnexpectedAnswer(request.url, 200, text, { ...about, idempotencyKey: keyToGoOn }, ofRun())
      }
      // It is gone, and an attempt before this one may have done it.
      if (result.tag === "refused" && result.status === 404 && method === "DELETE" && mayHaveArrived) return undefined
      if (result.mayHaveArrived) mayHaveArrived = true
      stopIfAborted()
      const failure =
        result.tag === "lost"
          ? new Unreachable(request.url, attempt, keyToGoOn, result.cause, ofRun())
          : result.failure(keyToGoOn, ofRun())
      const may = failure.retryable && (repeatable || (result.tag === "refused" && result.status === 429))
      const wait = Math.max(backoff(attempt), (result.tag === "refused" ? result.afterMillis : null) ?? 0)
      if (!may || (!everAnswered && attempt >= attemptsAtUnknown) || now() + wait > until) throw failure
      await pause(wait, call.signal)
    }
  }
  return { send, baseUrl: settings.baseUrl, requestTimeoutMillis: settings.requestTimeoutMillis }
}
