/**
 * Canary secrets: a platform key and a customer's connection key are used against a provider that repeats whatever it
 * is sent, in every way it can, and then looked for in everything that the gateway has written, answered or logged.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Logger, LogLevel, Redacted } from "effect"
import { createServer } from "node:http"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { Connections } from "../../src/services/Connections.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { temporaryFolder } from "../support/folders.js"
import { spellingsOf } from "../support/spellings.js"
import { startGateway } from "../support/gateway.js"

const platform = "canary-platform-5f2c9e7b1d"
const own = "canary-own/key+8a41=c0ffee"
const spellings = [platform, own].flatMap(spellingsOf)

const placements = ["bearer", "header", "query", "basic", "body"] as const
const authOf = (placement: (typeof placements)[number]): string => {
  switch (placement) {
    case "header":
      return "{ type: header, name: X-Api-Key }"
    case "query":
      return "{ type: query, name: api_key }"
    case "basic":
      return "{ type: basic, passwordless: true }"
    case "body":
      return "{ type: body, name: api_key }"
    case "bearer":
      return "{ type: bearer }"
  }
}
const manifest = (placement: (typeof placements)[number], origin: string): string => `
id: parrot-${placement}
name: Parrot ${placement}
baseUrl: ${origin}
auth: ${authOf(placement)}
operations:
  - id: parrot-${placement}-say
    name: Say
    summary: Repeats what it is sent.
    method: POST
    path: /say
    input: { type: object, properties: { how: { type: string } } }
    price: { basis: per_call, micros: 1 }
    timeoutMs: 500
    contentTypes: [application/json, text/plain]
    response:
      errors: [{ when: "body.failed", message: "body.echo" }]
      requestId: headers."x-request-id"
`

/** Repeats the whole request in the way that the input asks for. */
const parrot = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    const echo = `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`
    const how = /"how":"([a-z0-9]+)"/.exec(body)?.[1]
    if (how === "hang") return
    if (how === "reset") return void request.socket.destroy()
    const status = how === "unauthorized" ? 401 : how === "down" ? 503 : how === "redirect" ? 302 : 200
    response.writeHead(status, {
      "content-type":
        how === "utf16"
          ? "application/json; charset=utf-16le"
          : how === "html"
            ? "text/html"
            : how === "text"
              ? "text/plain"
              : "application/json",
      "x-request-id": (request.headers.authorization ?? request.headers["x-api-key"] ?? "none")
        .toString()
        .slice(0, 100),
      ...(how === "redirect"
        ? { location: `https://elsewhere.example/?leak=${encodeURIComponent(echo).slice(0, 500)}` }
        : {})
    })
    const answer = JSON.stringify({ echo, headers: request.headers })
    if (how === "php") return void response.end(answer.replaceAll("/", "\\/"))
    if (how === "utf16") return void response.end(Buffer.from(answer, "utf16le"))
    if (how === "encoded")
      return void response.end(
        JSON.stringify({
          hex: Buffer.from(answer).toString("hex"),
          base64: Buffer.from(answer).toString("base64"),
          url: encodeURIComponent(answer).toLowerCase()
        })
      )
    if (how === "escaped")
      return void response.end(
        JSON.stringify({ echo }).replace(/[!-+\-.:-@_]/g, (sign) =>
          /[":{}]/.test(sign) ? sign : `\\u00${sign.charCodeAt(0).toString(16)}`
        )
      )
    response.end(
      how === "broken"
        ? `{"echo": ${JSON.stringify(echo)}`
        : how === "text"
          ? echo
          : JSON.stringify({ failed: how === "failed", echo, headers: request.headers, url: request.url })
    )
  })
})

it.scopedLive(
  "no secret is in any answer, receipt, row, metric or log line, whatever a provider does with it",
  () =>
    Effect.gen(function* () {
      const port = yield* listenLocally(parrot, 0)
      const folder = yield* temporaryFolder("parrots-")
      mkdirSync(join(folder, "providers"))
      for (const placement of placements)
        writeFileSync(join(folder, "providers", `${placement}.yaml`), manifest(placement, `http://127.0.0.1:${port}`))

      const written: Array<string> = []
      const everything = Logger.replace(
        Logger.defaultLogger,
        Logger.make(
          ({ annotations, cause, message }) => void written.push(JSON.stringify([message, cause, [...annotations]]))
        )
      )
      yield* Effect.gen(function* () {
        const { call, funded, services } = yield* startGateway({
          catalogFolders: [folder],
          egressAllow: [`127.0.0.1:${port}`]
        })
        const { token, workspaceId } = yield* funded(1_000_000, { inflightLimit: 100 })
        // Without a connection of its own, so that it uses the platform's keys.
        const other = yield* funded(1_000_000, { inflightLimit: 100 })
        for (const placement of placements)
          yield* Context.get(services, PlatformKeys).set(`parrot-${placement}`, Redacted.make(platform), commandLine)
        const connections = yield* Effect.forEach(placements, (placement) =>
          Context.get(services, Connections).create(
            {
              workspaceId,
              providerId: `parrot-${placement}`,
              label: "own",
              secret: Redacted.make(own),
              expiresAt: null
            },
            commandLine
          )
        )

        const ways = [
          "hit",
          "failed",
          "unauthorized",
          "down",
          "redirect",
          "html",
          "text",
          "broken",
          "reset",
          "hang",
          "php",
          "utf16",
          "encoded",
          "escaped"
        ]
        const codes = new Set<string>()
        yield* Effect.forEach(
          placements,
          (placement, n) =>
            Effect.forEach(
              ways,
              (how) =>
                Effect.forEach([undefined, connections[n]?.connectionId], (connectionId) =>
                  Effect.gen(function* () {
                    const body = {
                      endpointId: `parrot-${placement}-say`,
                      input: { how },
                      ...(connectionId === undefined ? {} : { connectionId })
                    }
                    const caller = connectionId === undefined ? other.token : token
                    const made = yield* call("POST", "/v1/runs?wait=10", {
                      token: caller,
                      headers: { "idempotency-key": `${placement} ${how} ${connectionId ?? ""}` },
                      body
                    })
                    codes.add(made.json.error?.code ?? made.json.outcome ?? made.text)
                    written.push(
                      made.text,
                      (yield* call("GET", `/v1/runs/${made.json.runId}`, { token: caller })).text,
                      (yield* call("GET", `/v1/runs/${made.json.runId}/attempts`, { token: caller })).text
                    )
                  })
                ),
              { concurrency: 4 }
            ),
          { discard: true }
        )
        // The ways were really gone: otherwise there would be nothing to find.
        for (const code of [
          "hit",
          "provider_reported_error",
          "auth_error",
          "connection_invalid",
          "provider_error",
          "redirect_blocked",
          "unsupported_response_type",
          "invalid_response",
          "fetch_failed",
          "timeout"
        ]) {
          assert.include([...codes], code)
        }
        for (const path of [
          "/v1/runs?includeResult=true&limit=100",
          "/v1/ledger",
          "/v1/connections",
          "/v1/catalog/endpoints?provider=parrot-query",
          "/v1/operations/parrot-query-say",
          "/metrics"
        ]) {
          written.push((yield* call("GET", path, { token })).text)
        }
        const { query, sql } = Context.get(services, Database)
        const tables = yield* query(sql`select tablename as name from pg_tables where schemaname = 'public'`)
        for (const { name } of tables) {
          const rows = yield* query(sql`select t::text as text from ${sql(String(name))} t`)
          written.push(...rows.map(({ text }) => String(text)))
        }
      }).pipe(Effect.provide(everything), Logger.withMinimumLogLevel(LogLevel.All))

      for (const text of written) {
        for (const secret of spellings) assert.notInclude(text, secret)
      }
      assert.isAbove(written.length, 300)
    }),
  120_000
)
