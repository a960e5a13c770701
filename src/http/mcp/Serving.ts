/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, stateless, for the newest revision and the older ones
 * that the SDK serves. The SDK speaks the protocol. Here stand the checks in front of it (Host, Origin, token, rate,
 * body) and the way from a call to a tool. There is no session and no open stream: an answer is sent whole, and any
 * node can give it. The SDK is loaded with the first request, so that a gateway without agents does not pay for it.
 */
import { isIP } from "node:net"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer, Runtime, Schema } from "effect"
import type { CallToolResult, Server } from "@modelcontextprotocol/server"
import { agentInstructions, productName, productVersion } from "../../domain/Product.js"
import { type TokenRevoked, type Unauthorized, ValidationError } from "../../domain/ApiErrors.js"
import { cutText } from "../../domain/Characters.js"
import { isObject, type Json, ParsedObject } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { bodyValuesMax } from "../../domain/limits/Requests.js"
import { batchValuesMax } from "../../domain/limits/AgentTools.js"
import { readUrl } from "../../domain/Url.js"
import type { Accounts } from "../../services/Accounts.js"
import { RateLimiter } from "../../services/RateLimiter.js"
import { nextSlice } from "../../services/Slices.js"
import { plainRoute, type Route } from "../Access.js"
import { bearerToken, makeAuthenticate } from "../Auth.js"
import { anyJsonBody } from "../Body.js"
import { messageBudget } from "../BodyBudget.js"
import { errorResponse } from "../ErrorAnswers.js"
import { spendBatch, spendPublic } from "../RequestRate.js"
import { stateOf, type RequestState } from "../RequestState.js"
import { agentCounter } from "../runs/ServiceAgents.js"
import { route, Routes } from "../serving/Routes.js"
import { HttpSettings } from "../Settings.js"
import { type ExactContent, makeExactContent } from "./ExactContent.js"
import type { ToolAnswer, Visit } from "./Tool.js"
import { callTool, maySee, tools, type ToolServices } from "./Tools.js"

const path = "/mcp"
/** RFC 9728, section 3.1: the well-known name stands before the path of the resource. */
const metadataPath = `/.well-known/oauth-protected-resource${path}`

/** As the boundary knows routes. GET and DELETE are 405, as a server without sessions answers them. */
export const mcpRoutes: ReadonlyArray<Route> = [
  plainRoute("POST", path, "any-token"),
  plainRoute("GET", metadataPath, "public")
]

const sdk = Effect.promise(() => import("@modelcontextprotocol/server"))
type Sdk = Effect.Effect.Success<typeof sdk>

const isArguments = Schema.is(ParsedObject)

/** The JSON, cut where it is long, of an id that two requests of a batch have; null where each has its own. */
const repeatedId = (batch: ReadonlyArray<Json>): string | null => {
  const seen = new Set<string>()
  for (const message of batch) {
    const id = isObject(message) && "method" in message ? message["id"] : undefined
    if (id === undefined) continue
    const text = writeJson(id)
    if (seen.has(text)) return cutText(text, 100)
    seen.add(text)
  }
  return null
}

/** Values outside of the `input` of a tool, which is the client's own. Depth and number of all are bounded before. */
const valuesBesideInput = (message: Json): number => {
  const count = (value: Json, path: ReadonlyArray<string> | null): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + count(item, null), 1)
    if (!isObject(value)) return 1
    return Object.entries(value).reduce((sum, [name, inner]) => {
      const goesOn = path !== null && name === inputPath[path.length]
      return goesOn && path.length === inputPath.length - 1
        ? sum + 1
        : sum + count(inner, goesOn ? [...path, name] : null)
    }, 1)
  }
  return count(message, [])
}
const inputPath = ["params", "arguments", "input"]

/**
 * What is wrong with the size of messages. The SDK looks at every value of a message, and each field that a tool does
 * not know is a problem of its own: thousands of them would take a tenth of a second.
 */
const tooLarge = (messages: ReadonlyArray<Json>): ValidationError | null => {
  const values = messages.map(valuesBesideInput)
  return values.some((count) => count > bodyValuesMax)
    ? ValidationError.of("body", `may hold at most ${bodyValuesMax} values in a message, beside the input of a tool`)
    : values.reduce((sum, count) => sum + count, 0) > batchValuesMax
      ? ValidationError.of("body", `may hold at most ${batchValuesMax} values, beside the inputs of tools`)
      : null
}

const resultOf = ({ failed, value }: ToolAnswer, { markOf }: ExactContent): CallToolResult => {
  const text = writeJson(value)
  return {
    content: [{ type: "text", text }],
    structuredContent: markOf(text),
    ...(failed ? { isError: true } : {})
  }
}

/** One server for one request: what it shows and does is what its caller may. */
const serverFor = (
  { Server: Made }: Sdk,
  { caller }: Visit,
  {
    call,
    turn
  }: {
    readonly call: (name: string, args: unknown) => Promise<CallToolResult>
    /** Before the work of a message. */
    readonly turn: () => Promise<void>
  }
): Server => {
  const server = new Made(
    { name: "provider-gateway", title: productName, version: productVersion },
    { capabilities: { tools: {} }, instructions: agentInstructions }
  )
  server.setRequestHandler("tools/list", async () => {
    await turn()
    return {
      tools: tools
        .filter((tool) => maySee(caller.scopes, tool))
        .map(({ annotations, description, inputSchema, name, outputSchema, title }) => ({
          name,
          title,
          description,
          inputSchema,
          outputSchema,
          annotations
        }))
    }
  })
  server.setRequestHandler("tools/call", ({ params }) => call(params.name, params.arguments ?? {}))
  return server
}

const webHeaders = (request: HttpServerRequest.HttpServerRequest): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, value)
  return headers
}

/** What the SDK answers, as this server sends it. Its streams end with the answer, so they are read whole. */
const answerOf = async (response: Response, { put }: ExactContent): Promise<HttpServerResponse.HttpServerResponse> => {
  const text = put(await response.text())
  const { status } = response
  return text === ""
    ? HttpServerResponse.empty({ status })
    : HttpServerResponse.text(text, {
        status,
        contentType: response.headers.get("content-type") ?? "application/json"
      })
}

const hostnameOf = (authority: string): string => readUrl(`http://${authority}`)?.hostname ?? ""

/** A page that was led here by a name of its own (DNS rebinding) names that name; an address cannot be rebound. */
const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, "")) !== 0

export const mcpLayer: Layer.Layer<never, never, Accounts | HttpSettings | RateLimiter | Routes | ToolServices> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const run = Runtime.runPromise(yield* Effect.runtime<ToolServices>())
      const settings = yield* HttpSettings
      const limiter = yield* RateLimiter
      const authenticate = yield* makeAuthenticate
      const countAgent = agentCounter(settings.serviceAgents)
      const { publicUrl, trustProxy } = settings
      const metadataUrl = `${publicUrl}${metadataPath}`

      /** Answers a request whose `Host` or `Origin` is none of this gateway. */
      const stranger = ({ hostHeaderValidationResponse, localhostAllowedHostnames, originValidationResponse }: Sdk) => {
        const known = [hostnameOf(new URL(publicUrl).host), settings.host, ...localhostAllowedHostnames()]
        return (request: Request): Response | undefined => {
          const own = hostnameOf(request.headers.get("host") ?? "")
          const names = isAddress(own) ? [...known, own] : known
          return hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names)
        }
      }

      /** Says where a client reads how to get a token (RFC 9728, section 5.1). */
      const challenge = (error: Unauthorized | TokenRevoked, request: HttpServerRequest.HttpServerRequest) => {
        const { requestId } = stateOf(request)
        const refused = errorResponse(error, { requestId, accept: request.headers["accept"], publicUrl })
        if (refused === null) return Effect.fail(error)
        const scheme = refused.headers["www-authenticate"] ?? "Bearer"
        const parameter = `resource_metadata="${metadataUrl}"`
        return Effect.succeed(
          HttpServerResponse.setHeader(
            refused,
            "www-authenticate",
            scheme.includes(" ") ? `${scheme}, ${parameter}` : `${scheme} ${parameter}`
          )
        )
      }

      const entered = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, state: RequestState) {
        const loaded = yield* sdk
        const headers = webHeaders(request)
        const url = new URL(path, publicUrl)
        const strange = stranger(loaded)(new Request(url, { method: "POST", headers }))
        if (strange !== undefined) {
          yield* spendPublic(limiter, request, trustProxy, state)
          return yield* Effect.promise(() => answerOf(strange, makeExactContent()))
        }
        const caller = yield* authenticate(request, bearerToken(request.headers["authorization"] ?? ""), state)
        const parsedBody = yield* anyJsonBody(request, messageBudget)
        const isBatch = Array.isArray(parsedBody)
        const size = tooLarge(isBatch ? parsedBody : [parsedBody])
        if (size !== null) return yield* size
        // Older revisions may send several messages in one request. Each is a request.
        if (isBatch) {
          const { limit } = state.rate ?? { limit: Infinity }
          // No wait would let them through.
          if (parsedBody.length > limit)
            return yield* ValidationError.of(
              "body",
              `may hold at most ${limit} messages, as many as may be sent at once`
            )
          const twice = repeatedId(parsedBody)
          // Both would be done, and one of them would have no answer.
          if (twice !== null) return yield* ValidationError.of("body", `has two requests with the id ${twice}`)
          yield* spendBatch(limiter, caller.workspaceId, parsedBody.length, state)
        }
        const visit: Visit = {
          caller,
          requestId: state.requestId,
          state,
          rate: state.rate,
          publicUrl,
          countRunRequest: () => countAgent(request.headers["x-service-agent"])
        }
        return yield* Effect.promise(async (signal) => {
          const content = makeExactContent()
          // The SDK begins all messages of a batch in one step.
          const turn = async () => (isBatch ? run(nextSlice, { signal }) : undefined)
          const call = async (name: string, args: unknown) => {
            await turn()
            return resultOf(
              await run(callTool(name, isArguments(args) ? args : null, visit, { request, state }), { signal }),
              content
            )
          }
          const handler = loaded.createMcpHandler(() => serverFor(loaded, visit, { call, turn }), {
            // Nothing that a client could subscribe to ever changes.
            maxSubscriptions: 0,
            keepAliveMs: 0
          })
          return answerOf(
            await handler.fetch(new Request(url, { method: "POST", headers, signal }), { parsedBody }),
            content
          )
        })
      })

      // It names no authorization server: `logins/AuthorizationServer.ts` says why.
      const metadata = HttpServerResponse.unsafeJson({
        resource: `${publicUrl}${path}`,
        resource_name: productName,
        resource_documentation: `${publicUrl}/docs`,
        bearer_methods_supported: ["header"],
        scopes_supported: [...new Set(tools.flatMap(({ scope }) => (scope === null ? [] : [scope])))]
      })

      yield* (yield* Routes).add(
        route({ method: "POST", path }, Context.empty(), ({ request, state }) =>
          entered(request, state).pipe(
            Effect.catchTags({
              unauthorized: (error) => challenge(error, request),
              token_revoked: (error) => challenge(error, request)
            })
          )
        ),
        route({ method: "GET", path: metadataPath }, Context.empty(), ({ request, state }) =>
          Effect.as(spendPublic(limiter, request, trustProxy, state), metadata)
        )
      )
    })
  )
