/**
 * `mcp`: the tools of a gateway for an agent's host that starts a program and talks to it over stdin and stdout. The
 * SDK speaks the protocol with the host, in any revision; each question goes on to `POST /mcp` of the gateway as one
 * request. Standard output carries the protocol and nothing else. No tool does a thing twice (`run_operation` takes an
 * idempotency key), so a request whose answer was lost is sent again as it was.
 */
import * as Command from "@effect/cli/Command"
import { Deferred, Effect, Exit, FiberSet, Option, Schema } from "effect"
import type {
  CallToolResult,
  JSONRPCMessage,
  ListToolsResult,
  RequestId,
  Transport
} from "@modelcontextprotocol/server"
import { agentInstructions, productVersion } from "../../domain/Product.js"
import { secret } from "../../layers/node/ConfigValues.js"
import { isObject, type Json, type JsonObject, ParsedObject } from "../../domain/Json.js"
import { counted } from "../../domain/Counted.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { Screen } from "../Screen.js"
import { type ExactLines, makeExactLines } from "./ExactLines.js"
import {
  addressFor,
  answerWithin,
  gatewayAt,
  type LoggedIn,
  loggedIn,
  sendAgain,
  urlOption,
  warnOfPlainHttp
} from "./GatewayClient.js"
import { type GatewayRefused, GatewayUnreachable } from "./GatewayFailures.js"

const sdk = Effect.promise(async () => ({
  ...(await import("@modelcontextprotocol/server")),
  ...(await import("@modelcontextprotocol/server/stdio"))
}))
type Sdk = Effect.Effect.Success<typeof sdk>

/** The revision in which this program asks the gateway: an answer is one JSON document. */
const revision = "2026-07-28"
const itself = { name: "gateway mcp", version: productVersion }

/** `GATEWAY_TOKEN` is for the gateway that this program was started for, also by `--url`. */
const gatewayFor = (url: Option.Option<string>) =>
  Effect.gen(function* () {
    const given = yield* secret("GATEWAY_TOKEN")
    const address = yield* addressFor(url)
    if (Option.isNone(given) || address === null) return yield* loggedIn(url)
    return gatewayAt(address, given.value)
  })

const Answer = Schema.decodeUnknownOption(Schema.Struct({ result: ParsedObject }))
const Refused = Schema.decodeUnknownOption(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))

/** The result of one question to the gateway. */
const asked = (gateway: LoggedIn, known: Sdk, method: string, params: JsonObject) =>
  Effect.flatMap(
    sendAgain(
      gateway.send({
        method: "POST",
        path: "/mcp",
        headers: {
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": revision,
          "mcp-method": method,
          ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {})
        },
        body: {
          jsonrpc: "2.0",
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              [known.PROTOCOL_VERSION_META_KEY]: revision,
              [known.CLIENT_INFO_META_KEY]: itself,
              [known.CLIENT_CAPABILITIES_META_KEY]: {}
            }
          }
        }
      })
    ),
    (json): Effect.Effect<JsonObject, GatewayUnreachable> =>
      Option.match(Answer(json), {
        onSome: ({ result }) => Effect.succeed(result),
        onNone: () =>
          new GatewayUnreachable({
            url: gateway.url,
            why: Option.match(Refused(json), { onNone: () => "no such answer", onSome: ({ error }) => error.message })
          })
      })
  )

/** What a language model reads of a call that did not come through, in the shape of the gateway's own errors. */
const notDone = (error: GatewayRefused | GatewayUnreachable): CallToolResult => {
  const value =
    error._tag === "GatewayRefused"
      ? { error: { ...error.told, whoseError: error.status < 500 ? "customer" : "gateway" } }
      : {
          error: {
            code: "gateway_unreachable",
            message: error.message,
            retryable: true,
            retryHint:
              "Whether it was carried out is not known. Send the same call again; a run with the same idempotencyKey.",
            whoseError: "gateway"
          }
        }
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value, isError: true }
}

const isArguments = Schema.is(ParsedObject)
const listed = (value: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((each: Json) => isObject(each)) : []

const serverFor = (
  known: Sdk,
  gateway: LoggedIn,
  { argumentsFor }: Pick<ExactLines, "argumentsFor">,
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
) => {
  const server = new known.Server(itself, { capabilities: { tools: {} }, instructions: agentInstructions })
  server.setRequestHandler("tools/list", () =>
    run(
      Effect.flatMap(asked(gateway, known, "tools/list", {}), (result) => {
        const found = { tools: listed(result["tools"]) }
        return known.isSpecType.ListToolsResult(found)
          ? Effect.succeed<ListToolsResult>(found)
          : new GatewayUnreachable({ url: gateway.url, why: "no list of tools" })
      })
    )
  )
  server.setRequestHandler("tools/call", ({ params: { arguments: read = {}, name } }) =>
    run(
      Effect.flatMap(
        asked(gateway, known, "tools/call", {
          name,
          arguments: (isArguments(read) ? argumentsFor(read) : null) ?? null
        }),
        (result) => {
          const { content, isError, structuredContent } = result
          const found: unknown = {
            content,
            ...(structuredContent === undefined ? {} : { structuredContent }),
            ...(isError === true ? { isError } : {})
          }
          return known.isCallToolResult(found)
            ? Effect.succeed<CallToolResult>(found)
            : new GatewayUnreachable({ url: gateway.url, why: "no answer of a tool" })
        }
      ).pipe(Effect.catchAll((error) => Effect.succeed(notDone(error))))
    )
  )
  return server
}

/** A subscription is open until the connection ends: nobody waits for its answer. */
const neverAnswered = "subscriptions/listen"

/**
 * Standard input and output. The SDK drops what is under way when the input ends, although the gateway does it and
 * charges for it; so it does not hear of that end here, and `ended` comes to whoever closes the connection.
 */
const openWire = (known: Sdk, { lines }: Pick<ExactLines, "lines">) =>
  Effect.gen(function* () {
    /** Requests that were read and have no answer yet. */
    const waiting = new Set<RequestId>()
    const inputEnded = yield* Deferred.make<void>()
    const nothingWaits = yield* Deferred.make<void>()
    let allRead = false
    const settle = (id: RequestId | undefined): void => {
      if (id !== undefined) waiting.delete(id)
      if (allRead && waiting.size === 0) Deferred.unsafeDone(nothingWaits, Exit.void)
    }
    const stdio = new (class extends known.StdioServerTransport {
      override _onstdinclose = (): void => {
        // The last line may lack its end.
        if (!allRead) this._ondata(Buffer.from("\n"))
        allRead = true
        Deferred.unsafeDone(inputEnded, Exit.void)
        settle(undefined)
      }
      /** The SDK's own would make texts of numbers that JavaScript cannot hold. */
      override send = (message: JSONRPCMessage): Promise<void> =>
        new Promise((resolve, reject) => {
          process.stdout.write(`${writeJson(message)}\n`, (error) => (error ? reject(error) : resolve()))
        })
    })(process.stdin.pipe(lines))
    const read = (message: JSONRPCMessage): void => {
      if (known.isJSONRPCRequest(message)) {
        if (message.method !== neverAnswered) waiting.add(message.id)
      } else if (known.isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        const cancelled = message.params?.["requestId"]
        if (typeof cancelled === "string" || typeof cancelled === "number") settle(cancelled)
      }
      wire.onmessage?.(message)
    }
    const wire: Transport = {
      start: () => stdio.start(),
      send: async (message) => {
        await stdio.send(message)
        if (known.isJSONRPCResponse(message)) settle(message.id)
      },
      close: () => stdio.close()
    }
    stdio.onmessage = read
    stdio.onerror = (error) => wire.onerror?.(error)
    stdio.onclose = () => {
      // Nobody reads the output any more, or what came is too long to be read.
      for (const each of [inputEnded, nothingWaits]) Deferred.unsafeDone(each, Exit.void)
      wire.onclose?.()
    }
    /** The host ends the program by closing its input; what it asked before that is answered. */
    const ended = Effect.zipRight(
      Deferred.await(inputEnded),
      Deferred.await(nothingWaits).pipe(
        Effect.timeoutOption(answerWithin),
        Effect.tap((answered) =>
          Option.isSome(answered)
            ? Effect.void
            : Effect.flatMap(Screen, ({ note }) =>
                note(
                  `${counted(waiting.size, "request")} without an answer in time; whether the gateway did them is not known`
                )
              )
        )
      )
    )
    return { wire, ended }
  })

export const mcp = Command.make("mcp", { url: urlOption }, ({ url }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* gatewayFor(url)
      yield* warnOfPlainHttp(gateway.url)
      const known = yield* sdk
      // What is not done at the end is given up: an open request would keep the program going.
      const run = yield* FiberSet.makeRuntimePromise<never, unknown, unknown>()
      const exact = makeExactLines()
      const { ended, wire } = yield* openWire(known, exact)
      yield* Effect.acquireRelease(
        Effect.sync(() => known.serveStdio(() => serverFor(known, gateway, exact, run), { transport: wire })),
        (serving) => Effect.promise(() => serving.close())
      )
      yield* ended
    })
  )
).pipe(
  Command.withDescription(
    "The tools of a gateway for agents, over stdin and stdout; the token is GATEWAY_TOKEN, else that of the login"
  )
)
