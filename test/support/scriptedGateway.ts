/** A whole gateway over HTTP whose providers answer what the test says; storage is memory. */
import { Context, Effect, Either, Layer } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { readRule } from "../../src/domain/WorkspacePolicy.js"
import {
  Accounts,
  Address,
  Caller,
  testGateway,
  type TestGatewayOptions,
  type TestServices
} from "../../src/testing.js"
import { client, type Answer, type Loose } from "./httpGateway.js"

export interface Stage {
  readonly services: Context.Context<TestServices>
  readonly get: (path: string) => Effect.Effect<Answer>
  readonly del: (path: string) => Effect.Effect<Answer>
  /** With an idempotency key of its own unless one is given. */
  readonly post: (path: string, body: object, key?: string) => Effect.Effect<Answer>
  /** The run of this body, waited for. */
  readonly run: (body: object, key?: string) => Effect.Effect<Loose>
  /** What the provider was given by the call made last. */
  readonly given: () => unknown
  /** How many calls providers have had. */
  readonly calls: () => number
  /** Gives the caller's workspace a policy of these rules and no others. */
  readonly policy: (rules: {
    readonly allow?: ReadonlyArray<string>
    readonly deny?: ReadonlyArray<string>
  }) => Effect.Effect<void>
}

const rulesOf = (texts: ReadonlyArray<string>) => texts.map((text) => Either.getOrThrow(readRule(text)))

export const onGateway = (options: TestGatewayOptions, use: (stage: Stage) => Effect.Effect<void>) => {
  const gateway = testGateway(options)
  return Effect.scoped(
    Effect.gen(function* () {
      const services = yield* Layer.build(gateway.http)
      const { url } = Context.get(services, Address)
      const { principal, token } = Context.get(services, Caller)
      const accounts = Context.get(services, Accounts)
      const http = client(url, Number(new URL(url).port))
      const sending = { authorization: `Bearer ${token}` }
      let made = 0
      const post: Stage["post"] = (path, body, key = `k${made++}`) =>
        http.post(path, body, { ...sending, headers: { "idempotency-key": key } })
      yield* use({
        services,
        del: (path) => http.send("DELETE", path, sending),
        get: (path) => http.get(path, sending),
        post,
        run: (body, key) => Effect.map(post("/v1/runs?wait=10", body, key), ({ json }) => json),
        given: () => gateway.calls().at(-1)?.input,
        calls: () => gateway.calls().length,
        policy: ({ allow = [], deny = [] }) =>
          Effect.orDie(
            accounts.setPolicy(
              principal.workspaceId,
              { reset: true, allow: rulesOf(allow), deny: rulesOf(deny) },
              commandLine
            )
          )
      })
    })
  )
}
