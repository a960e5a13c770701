/**
 * What a call rejects with: one union, told apart by `kind`, and by `code` where the gateway gave one. All of them are
 * errors, so that they travel through `throw` and `await`; `isGatewayFailure` brings the type back in a `catch`.
 *
 * Wrong use of the client itself, such as a base URL that is none, is a `TypeError` and not one of these.
 */
import type { Refusals, Run, RunError } from "./api/Schemas.js"

/** The codes that the gateway's document names. A newer gateway may send others: keep a `default`. */
export type RefusalCode = keyof Refusals
export type RunFailureCode = RunError["code"]

/** What every failure says. */
interface About {
  /**
   * Whether the same call can succeed later. Where `mayStillRun`, send it with the idempotency key of this failure: a
   * new key would be a second run, with a second charge. After a failed run it takes a new one. False for a call
   * without a key that may have been done: it could be done twice.
   */
  readonly retryable: boolean
  /** One sentence: what to change, or how long to wait. */
  readonly retryHint: string
  /** For the operator of the gateway; null when no answer gave one. */
  readonly requestId: string | null
  /**
   * The key that every attempt of this call carried; null for calls that carry none. `run` made its run with it, so
   * that it stands in a failure of the waiting as well.
   */
  readonly idempotencyKey: string | null
  /**
   * Whether the call may have been done, and nobody here knows how it ends: a run that it made can go on and be
   * charged. The same call with the same idempotency key tells what became of it, and makes no other run.
   */
  readonly mayStillRun: boolean
}

/** What is known of the run of a call that gave no end of it. */
export interface OfRun {
  readonly run: Run | null
  readonly mayStillRun: boolean
}
const ofNoRun: OfRun = { run: null, mayStillRun: false }

const lookFirst = "It may have been done: look before you send it again."
/** The same call would be another one, and nothing tells whether this one was done. */
const couldBeSecond = ({ mayStillRun, run }: OfRun, idempotencyKey: string | null): boolean =>
  mayStillRun && run === null && idempotencyKey === null

/** What to do about a failure, and first of all how not to pay twice. */
const hintOf = (hint: string, ofRun: OfRun, idempotencyKey: string | null): string => {
  const { mayStillRun, run } = ofRun
  if (couldBeSecond(ofRun, idempotencyKey)) return lookFirst
  if (!mayStillRun || idempotencyKey === null) return hint
  return run === null
    ? `${hint} It may have been done: see with this idempotency key before you use another.`
    : `${hint} ${run.runId} may go on and be charged: read it with runs.get, or make the same call with this idempotency key.`
}

/** The message of a failure that came while its run was waited for. */
const messageOf = (message: string, { run }: OfRun): string =>
  run === null ? message : `${message}; ${run.runId} was ${run.status}`

abstract class Failure extends Error implements About {
  readonly retryable: boolean
  readonly retryHint: string
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly mayStillRun: boolean
  /**
   * The run of this call, as far as it is known: it ended badly, or it was made and then its end could not be read. Its
   * `runId` is what `runs.get` and `runs.wait` take.
   */
  abstract readonly run: Run | null

  constructor(message: string, about: About, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.retryable = about.retryable
    this.retryHint = about.retryHint
    this.requestId = about.requestId
    this.idempotencyKey = about.idempotencyKey
    this.mayStillRun = about.mayStillRun
  }
}

/**
 * The gateway refused a request. Unless `mayStillRun`, no run was made, and nothing was held or charged. Else the
 * gateway could not tell (a status of 500 and above), or no answer came to an attempt before, or the refused request
 * was one that waited for the end of `run`.
 */
export class Refused extends Failure {
  override readonly name = "Refused"
  readonly kind = "refused"
  readonly code: RefusalCode
  readonly status: number
  /** The whole body, with the fields that belong to this code, such as `topUpUrl`. */
  readonly answer: Refusals[RefusalCode]
  readonly run: Run | null

  constructor(
    refusal: { readonly code: RefusalCode; readonly answer: Refusals[RefusalCode] },
    status: number,
    idempotencyKey: string | null,
    ofRun: OfRun = ofNoRun
  ) {
    const { message, requestId, retryable, retryHint } = refusal.answer.error
    super(messageOf(`${message} (${refusal.code})`, ofRun), {
      retryable: retryable && !couldBeSecond(ofRun, idempotencyKey),
      retryHint: hintOf(retryHint, ofRun, idempotencyKey),
      requestId,
      idempotencyKey,
      mayStillRun: ofRun.mayStillRun
    })
    this.run = ofRun.run
    this.code = refusal.code
    this.status = status
    this.answer = refusal.answer
  }
}

/** A run that ended without an answer: `failed`, or `blocked` by a policy. */
export type FailedRun = Run & { readonly status: "failed" | "blocked"; readonly error: RunError }

/** The run was made and did not complete. */
export class RunFailed extends Failure {
  override readonly name = "RunFailed"
  readonly kind = "run_failed"
  readonly code: RunFailureCode
  readonly whoseError: RunError["whoseError"]

  constructor(
    readonly run: FailedRun,
    idempotencyKey: string | null
  ) {
    const { code, message, requestId, retryable, retryHint, whoseError } = run.error
    super(`${message} (${code}, ${run.runId})`, { retryable, retryHint, requestId, idempotencyKey, mayStillRun: false })
    this.code = code
    this.whoseError = whoseError
  }
}

/** Nobody knows yet whether the provider did it: the hold stays until an operator has decided. */
export class RunUncertain extends Failure {
  override readonly name = "RunUncertain"
  readonly kind = "run_uncertain"

  constructor(
    readonly run: Run,
    idempotencyKey: string | null
  ) {
    super(`Whether the provider carried out ${run.runId} is not known yet`, {
      retryable: false,
      retryHint: "Do not run it again: read this run later, after the operator of the gateway has decided.",
      requestId: run.error?.requestId ?? null,
      idempotencyKey,
      mayStillRun: true
    })
  }
}

interface AboutAborted extends OfRun {
  readonly idempotencyKey: string | null
  /** False where the gateway did not let this token look for the run. */
  readonly mayLook?: boolean
}

/** A call that only waited has no key: a new one would be another run beside the one that goes on. */
const abortedHint = ({ idempotencyKey, mayLook = true, mayStillRun, run }: AboutAborted): string => {
  if (!mayStillRun)
    return idempotencyKey === null
      ? "Nothing was done: send it again if you still want it."
      : "Send it with a new idempotency key if you still want it."
  if (idempotencyKey !== null) {
    const look = mayLook
      ? "for a run, runs.list with the key only looks."
      : "to look for the run, and so to cancel it, the token needs the scope runs:read."
    return `It may still run. The same call with this idempotency key answers what became of it, or does it now if it never arrived; ${look}`
  }
  return run === null
    ? lookFirst
    : `Only the waiting ended: ${run.runId} goes on and can be charged. Read it with runs.get.`
}

/** The caller's signal ended the call. Its name is that of every aborted call in JavaScript, its `cause` the reason. */
export class Aborted extends Failure {
  override readonly name = "AbortError"
  readonly kind = "aborted"
  /**
   * The run as the cancellation left it: what was charged stands in it. Null when no run was made, or when the gateway
   * could not be asked; `mayStillRun` tells the two apart.
   */
  readonly run: Run | null

  constructor(about: AboutAborted & { readonly reason: unknown }) {
    const { idempotencyKey, mayStillRun, reason, run } = about
    super(
      run === null ? "The call was aborted" : `The call was aborted; ${run.runId} is ${run.status}`,
      {
        retryable: false,
        retryHint: abortedHint(about),
        requestId: null,
        idempotencyKey,
        mayStillRun
      },
      reason
    )
    this.run = run
  }
}

/**
 * No whole answer came, after every attempt. What was asked may have been done; with `run`, it was done, and only the
 * end of that run could not be read. `cause` is the last error of `fetch`.
 */
export class Unreachable extends Failure {
  override readonly name = "Unreachable"
  readonly kind = "unreachable"
  readonly run: Run | null

  constructor(
    readonly url: string,
    readonly attempts: number,
    idempotencyKey: string | null,
    cause: unknown,
    ofRun: OfRun = ofNoRun
  ) {
    const why = cause instanceof Error ? `: ${reasonOf(cause)}` : ""
    const hint =
      idempotencyKey === null
        ? "Check the base URL and the network, then send it again."
        : "Check the base URL and the network, then send it again with this idempotency key."
    super(
      messageOf(
        `No answer came from ${url}, ${attempts === 1 ? "asked once" : `asked ${attempts} times`}${why}`,
        ofRun
      ),
      {
        retryable: !couldBeSecond(ofRun, idempotencyKey),
        retryHint: hintOf(hint, ofRun, idempotencyKey),
        requestId: null,
        idempotencyKey,
        mayStillRun: ofRun.mayStillRun
      },
      cause
    )
    this.run = ofRun.run
  }
}

/** Node's `fetch` says no more than "fetch failed" itself; its cause says why. */
const reasonOf = (error: Error): string =>
  error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message

/** The answer is not the gateway's: a proxy's page, a redirect, or another service at this address. */
export class UnexpectedAnswer extends Failure {
  override readonly name = "UnexpectedAnswer"
  readonly kind = "unexpected_answer"
  readonly run: Run | null

  constructor(
    readonly url: string,
    readonly status: number,
    /** The answer's text, up to its first thousand characters. */
    readonly text: string,
    about: {
      readonly what: string
      readonly retryable: boolean
      readonly requestId: string | null
      readonly idempotencyKey: string | null
    },
    ofRun: OfRun = ofNoRun
  ) {
    const hint = about.retryable
      ? "Wait a little, then send it again, with the same idempotency key if it had one."
      : "Check the base URL, which is the address of the gateway without /v1, and the proxies on the way to it."
    super(messageOf(`${url} answered ${status} with ${about.what}`, ofRun), {
      retryable: about.retryable && !couldBeSecond(ofRun, about.idempotencyKey),
      retryHint: hintOf(hint, ofRun, about.idempotencyKey),
      requestId: about.requestId,
      idempotencyKey: about.idempotencyKey,
      mayStillRun: ofRun.mayStillRun
    })
    this.run = ofRun.run
  }
}

/** A refusal whose `code` says which fields its `answer` has. `isGatewayFailure` brings it; `instanceof` does not. */
export type GatewayRefusal = {
  readonly [Code in RefusalCode]: Refused & { readonly code: Code; readonly answer: Refusals[Code] }
}[RefusalCode]

/** Everything that a call rejects with. */
export type GatewayFailure = GatewayRefusal | RunFailed | RunUncertain | Aborted | Unreachable | UnexpectedAnswer

export const isGatewayFailure = (error: unknown): error is GatewayFailure => error instanceof Failure
