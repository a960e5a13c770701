/**
 * One HTTP exchange over pooled, vetted sockets. Promises: redirects are never followed, an answer is read under a byte
 * limit before and after decompression, everything that arrives on the socket is counted, one deadline covers
 * everything from connecting to the last byte, interruption aborts the socket, and a failure says exactly whether
 * request bytes may have left. Does not judge statuses or read bodies.
 */
import type { Socket } from "node:net"
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"
import { Data, Effect, Either, type Scope } from "effect"
import { Agent, buildConnector, Client, type Dispatcher, errors, Pool } from "undici"
import type { Json } from "../../domain/Json.js"
import { callsPerProviderMax } from "../../domain/limits/Nodes.js"
import { setMember } from "../../domain/Members.js"
import { ArrivingBytes } from "../../services/ArrivingBytes.js"
import type { DecodedText, TextKind } from "./AnswerText.js"
import { type Egress, TargetRefused } from "./Egress.js"

interface WireRequest {
  /** Scheme, host and port. */
  readonly origin: string
  readonly method: Dispatcher.HttpMethod
  /** Path and query, already encoded. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array | null
}

export interface WireAnswer {
  readonly status: number
  /** Names in lower case, repeated headers joined with a comma. */
  readonly headers: { readonly [name: string]: string }
  readonly bytes: Buffer
  /** What was read of it already, because it is large (`LargeAnswers.ts`). */
  readonly ahead?: ReadAhead
}

/** How an answer reads, worked out in slices. */
export interface ReadAhead {
  /** Of its bytes. */
  readonly digest?: string
  readonly json?: {
    /** Says why the text differs from the answer; null when it does not. */
    readonly note: string | null
    readonly read: Either.Either<{ readonly value: Json; readonly tooDeep: boolean }, string>
  }
  /** As a text, if it is one. */
  readonly text?: DecodedText & { readonly kind: TextKind }
  /** As XML or CSV, where the operation parses it. Left: why it is not readable as that. */
  readonly parsed?: Either.Either<Json, string>
}

export class WireFailure extends Data.TaggedError("WireFailure")<{
  /** `broken`: the answer began and cannot be completed; `lost`: no answer began. */
  readonly reason: "refused" | "unreachable" | "lost" | "broken" | "too_large" | "headers" | "timeout" | "unwritable"
  /** Whether request bytes may have left. */
  readonly sent: boolean
  /** Known when the head of an answer arrived. */
  readonly status: number | null
  readonly headers: { readonly [name: string]: string }
  /** A word for people, such as the socket's error code; never an address, a header or a body. */
  readonly word: string
}> {}

export interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

export interface Transport {
  readonly exchange: (request: WireRequest, limits: Limits) => Effect.Effect<WireAnswer, WireFailure>
}

const maxHeaderBytes = 16_384
const connectTimeoutMs = 10_000
/**
 * When the deadline fires this late, the thread stood still. Then this much time is left to read data that arrived
 * meanwhile.
 */
const stoodStillMillis = 500
const readFirstMillis = 1_000
/**
 * What may arrive on the socket for one answer: its body in chunks of a few bytes each, and its heads. What is no body
 * (chunk extensions, informational answers, trailers) would otherwise have no end.
 */
const wireBytesMax = (bodyBytesMax: number): number => 2 * bodyBytesMax + 4 * maxHeaderBytes
export const acceptedEncodings = "gzip, br, deflate"

/** `deflate` means zlib by its RFC and raw deflate by the habit of some servers; the first byte tells them apart. */
const decoderFor = (encoding: string, first: Buffer): Transform | undefined => {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip()
    case "br":
      return zlib.createBrotliDecompress()
    case "deflate":
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    default:
      return undefined
  }
}

const flatten = (headers: NodeJS.Dict<string | Array<string>>): { readonly [name: string]: string } => {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) setMember(flat, name, typeof value === "string" ? value : value.join(", "))
  }
  return flat
}

/** A whole answer, whose bytes are still to be put together. */
type Arrived = Omit<WireAnswer, "ahead" | "bytes"> & { readonly body: ArrivingBytes }

class Stopped extends Data.TaggedError("Stopped") {}

const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : error.name)

/** The code as customers read it. Those of the client say nothing to anybody who does not know the client. */
const wordOf = (error: Error): string => {
  const code = codeOf(error)
  if (code === "UND_ERR_SOCKET") return "connection closed"
  return code.startsWith("UND_ERR_") ? code.slice("UND_ERR_".length).replaceAll("_", " ").toLowerCase() : code
}

/** Nobody asks for another protocol, so no connection is handed over to one. */
const otherProtocol = "it changed to another protocol"
/** How undici tells of a 101, unless it is stopped before: by words of its own, or by a broken promise of its own. */
const isUpgrade = (error: Error): boolean =>
  (error instanceof errors.SocketError && error.message === "bad upgrade") || codeOf(error) === "ERR_ASSERTION"

const ignored = (): void => undefined

/** One exchange in progress: undici's callbacks on one side, a single answer or failure on the other. */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private sent = false
  private status: number | null = null
  private headers: { readonly [name: string]: string } = {}
  private encoding = "identity"
  private decoder: Transform | undefined
  private body = new ArrivingBytes()
  private received = 0
  private over = false
  private socket: SocketMeter | undefined

  constructor(
    private readonly maxBytes: number,
    private done: (result: Either.Either<Arrived, WireFailure>) => void
  ) {}

  /** Called each time bytes arrive, with their number since the request began. */
  onArrival(bytes: number): void {
    if (bytes > wireBytesMax(this.maxBytes)) this.fail("too_large", "wire")
  }

  /** Sets the socket that the exchange will use. */
  goesOver(socket: SocketMeter): void {
    this.socket = socket
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request that was given up while it waited for a socket is stopped here, before any byte of it is written.
    if (this.over) return controller.abort(new Stopped())
    this.controller = controller
    this.sent = true
    this.socket?.begin(this)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: NodeJS.Dict<string | Array<string>>
  ): void {
    if (status === 101) return this.fail("broken", otherProtocol, controller)
    if (status < 200) return
    this.status = status
    this.headers = flatten(headers)
    this.encoding = (this.headers["content-encoding"] ?? "identity").trim().toLowerCase()
    const length = Number(this.headers["content-length"] ?? 0)
    if (length > this.maxBytes) this.fail("too_large", "content-length", controller)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.received += chunk.length
    if (this.received > this.maxBytes) return this.fail("too_large", "body", controller)
    if (this.encoding === "identity" || this.encoding === "") {
      this.body.add(chunk)
      return
    }
    if (this.decoder === undefined) {
      const decoder = decoderFor(this.encoding, chunk)
      if (decoder === undefined) return this.fail("broken", "content-encoding", controller)
      decoder.on("data", (part: Buffer) => {
        if (this.body.length + part.length > this.maxBytes)
          return this.fail("too_large", "decompressed body", controller)
        this.body.add(part)
      })
      decoder.on("drain", () => controller.resume())
      decoder.on("error", () => this.fail("broken", "compressed body", controller))
      decoder.on("end", () => this.finish())
      this.decoder = decoder
    }
    if (!this.decoder.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.decoder === undefined) this.finish()
    else this.decoder.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (error instanceof TargetRefused) this.fail("refused", error.range)
    else if (codeOf(error) === "UND_ERR_HEADERS_OVERFLOW") this.fail("headers", "headers too large")
    else if (codeOf(error) === "UND_ERR_INVALID_ARG") this.fail("unwritable", "header value")
    else if (!this.sent) this.fail("unreachable", wordOf(error))
    else if (isUpgrade(error)) this.fail("broken", otherProtocol)
    // Bytes that the parser refuses did arrive: this is an answer that cannot be read, not a lost one.
    else
      this.fail(this.status === null && !(error instanceof errors.HTTPParserError) ? "lost" : "broken", wordOf(error))
  }

  /** Ends the exchange from outside, because of the deadline or an interruption. */
  stop(): WireFailure {
    this.over = true
    this.release(this.controller)
    return this.failure("timeout", "deadline")
  }

  private finish(): void {
    if (this.over) return
    this.over = true
    this.tell(Either.right({ status: this.status ?? 0, headers: this.headers, body: this.body }))
  }

  private fail(reason: WireFailure["reason"], word: string, controller = this.controller): void {
    if (this.over) return
    this.over = true
    this.release(controller)
    this.tell(Either.left(this.failure(reason, word)))
  }

  /** The connection keeps this exchange until its next one, and with it neither the answer nor who waited for it. */
  private tell(result: Either.Either<Arrived, WireFailure>): void {
    const { done } = this
    this.body = new ArrivingBytes()
    this.done = ignored
    done(result)
  }

  private release(controller: Dispatcher.DispatchController | undefined): void {
    this.decoder?.destroy()
    if (controller !== undefined && !controller.aborted) controller.abort(new Stopped())
  }

  private failure(reason: WireFailure["reason"], word: string): WireFailure {
    return new WireFailure({ reason, word, sent: this.sent, status: this.status, headers: this.headers })
  }
}

/**
 * Counts the bytes that arrive for the current exchange of a socket. Pipelining is off, so a socket has one exchange at
 * a time.
 */
class SocketMeter {
  private socket: Socket | undefined
  private exchange: Exchange | undefined
  private before = 0

  /** The client has a new socket. */
  watch(socket: Socket): void {
    this.socket = socket
    socket.on("readable", () => this.exchange?.onArrival(socket.bytesRead - this.before))
  }

  begin(exchange: Exchange): void {
    this.exchange = exchange
    this.before = this.socket?.bytesRead ?? 0
  }
}

/**
 * The exchange of each dispatch. On the way to a client the handler is wrapped but the options are not, so the options
 * are the key.
 */
const exchanges = new WeakMap<object, Exchange>()

class MeteredClient extends Client {
  private readonly meter: SocketMeter

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const meter = new SocketMeter()
    super(origin, {
      ...options,
      connect: (target, done) =>
        connect(target, (...connected) => {
          if (connected[0] === null) meter.watch(connected[1])
          done(...connected)
        })
    })
    this.meter = meter
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    exchanges.get(options)?.goesOver(this.meter)
    return super.dispatch(options, handler)
  }
}

const exchangeWith = (agent: Agent, request: WireRequest, limits: Limits): Effect.Effect<Arrived, WireFailure> =>
  Effect.async((resume) => {
    const exchange = new Exchange(limits.maxBytes, (result) => {
      clearTimeout(deadline)
      resume(result)
    })
    const started = performance.now()
    const end = (): void => resume(Effect.fail(exchange.stop()))
    // If this thread stood still, the answer may lie in the socket, and timers run before sockets. So the socket is
    // read first.
    const over = (): void => {
      if (performance.now() - started < limits.timeoutMs + stoodStillMillis) return end()
      // eslint-disable-next-line no-restricted-globals
      deadline = setTimeout(end, readFirstMillis)
    }
    // A timer of the socket's own, because a race against a sleep could end nothing where the caller may not be
    // interrupted.
    // eslint-disable-next-line no-restricted-globals
    let deadline = setTimeout(over, limits.timeoutMs)
    const options = { ...request, headers: { ...request.headers } }
    exchanges.set(options, exchange)
    agent.dispatch(options, exchange)
    return Effect.sync(() => {
      clearTimeout(deadline)
      exchange.stop()
    })
  })

/** The sockets close with the scope. */
export const makeTransport = (egress: Egress): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            factory: (origin) => {
              const url = new URL(origin)
              const connect = buildConnector({
                lookup: egress.lookupFor(url),
                autoSelectFamily: true,
                timeout: connectTimeoutMs
              })
              const options: Client.Options = {
                pipelining: 1,
                maxHeaderSize: maxHeaderBytes,
                // The deadline of the exchange is the only time limit: two limits could disagree about the outcome.
                headersTimeout: 0,
                bodyTimeout: 0,
                // Short, because an answer is lost when the provider closes an idle socket just as a request uses it. A
                // provider may ask for longer.
                keepAliveTimeout: 4_000,
                keepAliveMaxTimeout: 60_000
              }
              return new Pool(url.origin, {
                connections: callsPerProviderMax,
                factory: (target) => new MeteredClient(target, options, connect)
              })
            }
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent): Transport => ({
      exchange: (request, limits) =>
        Either.match(egress.vetOrigin(request.origin), {
          onLeft: (refused) =>
            Effect.fail(
              new WireFailure({ reason: "refused", word: refused.range, sent: false, status: null, headers: {} })
            ),
          onRight: () =>
            Effect.flatMap(exchangeWith(agent, request, limits), ({ body, headers, status }) =>
              Effect.map(body.whole, (bytes): WireAnswer => ({ status, headers, bytes }))
            )
        })
    })
  )
