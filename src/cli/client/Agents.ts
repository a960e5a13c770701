/**
 * `mcp`: the tools of a gateway for an agent's host that starts a program and talks to it over stdin and stdout. The
 * SDK speaks the protocol with the host, in any revision; each question goes on to `POST /mcp` of the gateway as one
 * request. Standard output carries the protocol and nothing else. No tool does a thing twice (`run_operation` takes an
 * idempotency key), so a request whose answer was lost is sent again as it was.
 */
import * as Command from "@effect/cli/Command"
import { Effect, Option, Runtime, Schema } from "effect"
import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server"
import { agentInstructions, productVersion } from "../../domain/Product.js"
import { secret } from "../../layers/node/ConfigValues.js"
import { isObject, type Json, type JsonObject, ParsedObject } from "../../domain/Json.js"
import {
  addressFor,
  type GatewayRefused,
  GatewayUnreachable,
  type LoggedIn,
  loggedIn,
  send,
  sendAgain,
  urlOption,
  warnOfPlainHttp
} from "./GatewayClient.js"

const sdk = Effect.promise(async () => ({
  ...(await import("@modelcontextprotocol/server")),
  ...(await import("@modelcontextprotocol/server/stdio"))
}))
type Sdk = Effect.Effect.Success<typeof sdk>

/** The revision in which this program asks the gateway: an answer is one JSON document. */
const revision = "2026-07-28"
const itself = { name: "gateway mcp", version: productVersion }

/** `GATEWAY_TOKEN` is for a token of the agent's own; without it the agent has the login of this machine. */
const gatewayFor = (url: Option.Option<string>) =>
  Effect.gen(function* () {
    const given = yield* secret("GATEWAY_TOKEN")
    const address = yield* addressFor(url)
    if (Option.isNone(given) || address === null) return yield* loggedIn(url)
    const it: LoggedIn = { url: address, token: given.value, send: (request) => send(address, given.value, request) }
    return it
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
      ? {
          error: {
            code: error.code,
            message: error.words,
            retryable: error.retryable,
            whoseError: error.status < 500 ? "customer" : "gateway"
          }
        }
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

const serverFor = (known: Sdk, gateway: LoggedIn, run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>) => {
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
  server.setRequestHandler("tools/call", ({ params: { arguments: args = {}, name } }) =>
    run(
      Effect.flatMap(
        asked(gateway, known, "tools/call", { name, arguments: isArguments(args) ? args : null }),
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

export const mcp = Command.make("mcp", { url: urlOption }, ({ url }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* gatewayFor(url)
      yield* warnOfPlainHttp(gateway.url)
      const known = yield* sdk
      const run = Runtime.runPromise(yield* Effect.runtime<never>())
      yield* Effect.acquireRelease(
        Effect.sync(() => known.serveStdio(() => serverFor(known, gateway, run))),
        (serving) => Effect.promise(() => serving.close())
      )
      // The host ends the program by closing its input.
      yield* Effect.async<void>((resume) => {
        const ended = () => resume(Effect.void)
        process.stdin.once("end", ended)
        process.stdin.once("close", ended)
      })
    })
  )
).pipe(
  Command.withDescription(
    "The tools of a gateway for agents, over stdin and stdout; the token is GATEWAY_TOKEN, else that of the login"
  )
)
