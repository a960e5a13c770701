/**
 * Runs as a client sees them, in each state: what `POST /v1/runs` answers, what `GET` says afterwards, attempts with
 * receipts, cancels, refusals, quotes and lists. Providers are scripted; everything else is the gateway itself.
 */
import { it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import {
  Accounts,
  drop,
  fail,
  failures,
  hit,
  type Manifest,
  miss,
  PlatformKeys,
  ProviderHealth,
  Reconciliation,
  silence,
  type Step,
  type TestGatewayOptions,
  unreachable,
  weak
} from "../../src/testing.js"
import { guest, playAll, scene, type Stage } from "./scenes.js"

const person = {
  first_name: "Ada",
  last_name: "Example",
  domain: "example.com"
}
const tool = { endpointId: "mock-email-find", input: person }
const job = { endpointId: "job:people.email.find", input: person }
const message = {
  endpointId: "mock-send-message",
  input: { to: "ada@example.com", text: "Hello" }
}
const both = (first: Step, second: Step): TestGatewayOptions => ({
  providers: { "mock-email-find": first, "mock-slow-email-find": second }
})

/** Runs after a first one of the e-mail finder, which never ends by itself, stay queued. */
const oneSlot: TestGatewayOptions = {
  dispatcher: { slots: 1 },
  providers: { "mock-email-find": silence }
}

const lookup = (id: string, more: object = {}, operation: object = {}): Manifest =>
  JSON.stringify({
    id,
    name: `Provider ${id}`,
    baseUrl: `https://api.${id}.test`,
    auth: { type: "bearer" },
    operations: [
      {
        id: `${id}-lookup`,
        name: "Lookup",
        summary: "Looks things up.",
        job: "acme.things.find",
        method: "GET",
        path: "/lookup",
        input: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string", description: "Whose." },
            size: { type: "integer", maximum: 10, description: "How big." }
          }
        },
        price: { basis: "per_call", micros: 300 },
        output: { fields: { thing: "body.thing" } },
        ...operation
      }
    ],
    ...more
  })
const things = JSON.stringify({
  id: "acme.things.find",
  title: "Find things",
  category: "things",
  platform: "acme",
  description: "Finds things.",
  exampleInput: { name: "spoon" },
  fields: { thing: "The thing." }
})
const own = (...providers: ReadonlyArray<Manifest>): TestGatewayOptions => ({
  manifests: [things, ...providers]
})
const spoon = { endpointId: "acme-lookup", input: { name: "spoon" } }
const thing = { endpointId: "job:acme.things.find", input: { name: "spoon" } }

const setState = ({ services }: Stage, provider: string, state: "enabled" | "draining" | "disabled") =>
  Effect.orDie(Context.get(services, ProviderHealth).setState(provider, state, commandLine))
const setLimits = ({ services, workspaceId }: Stage, limits: Parameters<Accounts["Type"]["setLimits"]>[1]) =>
  Effect.orDie(Context.get(services, Accounts).setLimits(workspaceId, limits, commandLine))

it.live("runs of a tool answer the same", () =>
  playAll("runs-of-tools", [
    guest("a hit", {}, (stage) => stage.run(tool)),
    guest(
      "a hit of which only parts are asked for",
      {
        providers: {
          "mock-web-search": hit({
            confidence: 95,
            results: [1, 2, 3].map((n) => ({
              title: `Result ${n}`,
              url: `https://example.com/${n}`,
              snippet: "x"
            }))
          })
        }
      },
      (stage) =>
        Effect.gen(function* () {
          const { runId } = yield* stage.run({
            endpointId: "mock-web-search",
            input: { query: "gateway", limit: 3 }
          })
          yield* stage.get(`/v1/runs/${runId}?fields=results.title&max_items=2`)
          yield* stage.get(`/v1/runs/${runId}?max_items=0`)
        })
    ),
    guest("a weak answer", { providers: { "mock-email-find": weak() } }, (stage) => stage.run(tool)),
    guest("a miss", { providers: { "mock-email-find": miss() } }, (stage) => stage.run(tool)),
    guest("a tool without a job", {}, (stage) =>
      stage.run({
        endpointId: "mock-echo",
        input: { anything: [1, null, "x"] }
      })
    ),
    guest(
      "the costs that the provider names: less, more than the hold, below zero, no number",
      {
        providers: {
          "mock-email-find": [1_200, 9_999, -1, "much"].map((costMicros) => hit(undefined, { costMicros }))
        }
      },
      (stage) => Effect.forEach(["less", "more", "below", "none"], (key) => stage.run(tool, { key }), { discard: true })
    ),
    scene("on a connection of one's own", own(lookup("acme")), (stage) =>
      Effect.gen(function* () {
        const { connectionId } = yield* stage.post("/v1/connections", {
          providerId: "acme",
          label: "mine",
          secret: "sk-canary"
        })
        yield* stage.run({ ...spoon, connectionId })
      })
    ),
    guest("not waited for", { providers: { "mock-email-find": silence } }, (stage) =>
      Effect.gen(function* () {
        const { runId } = yield* stage.post("/v1/runs", tool, { key: "key" })
        yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "running")
        yield* stage.get(`/v1/runs/${runId}`)
        yield* stage.get(`/v1/runs/${runId}/attempts`)
      })
    )
  ])
)

it.live("runs of a job answer the same", () =>
  playAll("runs-of-jobs", [
    scene("without fallback", {}, (stage) => stage.run(job)),
    scene("without fallback, and a miss", both(miss(), hit()), (stage) => stage.run(job)),
    scene("a miss, then a hit", both(miss(), hit()), (stage) => stage.run({ ...job, fallback: true })),
    scene(
      "a failure, then a hit",
      both(
        fail(
          new failures.RateLimited({
            providerStatus: 429,
            retryAfterSeconds: 7
          })
        ),
        hit()
      ),
      (stage) => stage.run({ ...job, fallback: true })
    ),
    scene("a weak answer, then a miss", both(weak(), miss()), (stage) => stage.run({ ...job, fallback: true })),
    scene("two misses", both(miss(), miss()), (stage) => stage.run({ ...job, fallback: true })),
    scene("two failures", both(fail(new failures.ProviderError({ providerStatus: 500 })), unreachable()), (stage) =>
      stage.run({ ...job, fallback: true })
    ),
    scene(
      "two misses that are billed",
      both(miss(undefined, { costMicros: 100 }), miss(undefined, { costMicros: 200 })),
      (stage) => stage.run({ ...job, fallback: true })
    ),
    scene("stopped at the first miss", both(miss(), hit()), (stage) =>
      stage.run({ ...job, fallback: { stopAtFirstMiss: true } })
    ),
    scene("of one attempt", both(miss(), hit()), (stage) => stage.run({ ...job, fallback: { maxAttempts: 1 } })),
    scene("under a cap that leaves the dearer provider out", both(miss(), hit()), (stage) =>
      stage.run({ ...job, fallback: { maxCostUsd: 0.006 } })
    ),
    scene("with an excluded provider", both(miss(), hit()), (stage) =>
      stage.run({ ...job, fallback: { exclude: ["mock"] } })
    ),
    ...(["cheapest", "fastest", "reliable"] as const).map((prefer) =>
      scene(`preferring the ${prefer}`, {}, (stage) => stage.run({ ...job, fallback: { prefer } }))
    ),
    scene(
      "whose real provider comes before a fixture",
      {
        manifests: [
          lookup(
            "acme",
            {},
            {
              job: "people.email.find",
              output: { fields: { email: "body.email" } }
            }
          )
        ],
        providers: { "acme-lookup": hit({ email: "ada@acme.test" }) }
      },
      (stage) =>
        stage.run({
          ...job,
          input: { ...person, name: "Ada Example" },
          fallback: true
        })
    )
  ])
)

it.live("failed runs answer the same", () =>
  playAll("runs-failed", [
    ...[
      new failures.ProviderError({ providerStatus: 502 }),
      new failures.ProviderReportedError({ detail: "No credits are left." }),
      new failures.ProviderHttpError({ providerStatus: 422 }),
      new failures.Timeout(),
      new failures.RateLimited({
        providerStatus: 429,
        retryAfterSeconds: 30
      }),
      new failures.AuthError({ providerStatus: 401 }),
      new failures.InvalidResponse({ providerStatus: 200 }),
      new failures.UnsupportedResponseType({ providerStatus: 200 }),
      new failures.ResponseTooLarge(),
      new failures.RedirectBlocked({ providerStatus: 302 }),
      new failures.OutputMappingError({ providerStatus: 200 }),
      new failures.CapacityExhausted(),
      new failures.RouteDenied(),
      new failures.ValidationError({
        detail: "input.domain: the provider refuses it"
      })
    ].map((failure) =>
      scene(
        `the provider's call fails with ${failure.code}`,
        { providers: { "mock-email-find": fail(failure) } },
        (stage) => stage.run(tool)
      )
    ),
    scene(
      "the provider names a cost for its failure",
      {
        providers: {
          "mock-email-find": fail(new failures.ProviderReportedError(), {
            costMicros: 700
          })
        }
      },
      (stage) => stage.run(tool)
    ),
    scene("the provider cannot be reached", { providers: { "mock-email-find": unreachable() } }, (stage) =>
      stage.run(tool)
    ),
    scene("the answer of a read-only call is lost", { providers: { "mock-email-find": drop() } }, (stage) =>
      stage.run(tool)
    ),
    scene("an effectful call is never sent", { providers: { "mock-send-message": unreachable() } }, (stage) =>
      stage.run(message)
    ),
    scene(
      "an effectful call is refused by the provider",
      {
        providers: {
          "mock-send-message": fail(new failures.ProviderHttpError({ providerStatus: 422 }))
        }
      },
      (stage) => stage.run(message)
    ),
    scene("the key is gone when the run is dispatched", { ...own(lookup("acme")), ...oneSlot }, (stage) =>
      Effect.gen(function* () {
        const before = yield* stage.post("/v1/runs", tool, { key: "before" })
        const { runId } = yield* stage.post("/v1/runs", spoon, {
          key: "key"
        })
        yield* Effect.orDie(Context.get(stage.services, PlatformKeys).remove("acme", commandLine))
        yield* stage.post(`/v1/runs/${before.runId}/cancel`)
        yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "failed")
        yield* stage.get(`/v1/runs/${runId}`)
        yield* stage.get(`/v1/runs/${runId}/attempts`)
      })
    ),
    scene(
      "no slot comes free in time",
      {
        ...oneSlot,
        dispatcher: { slots: 1, queueMillisMax: 50, pollMillis: 50 }
      },
      (stage) =>
        Effect.gen(function* () {
          const before = yield* stage.post("/v1/runs", tool, { key: "before" })
          const { runId } = yield* stage.post("/v1/runs", { endpointId: "mock-echo", input: {} }, { key: "key" })
          yield* Effect.sleep(200)
          yield* stage.post(`/v1/runs/${before.runId}/cancel`)
          yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "failed")
          yield* stage.get(`/v1/runs/${runId}`)
          yield* stage.get(`/v1/runs/${runId}/attempts`)
        })
    )
  ])
)

/** Each request with its quote, then as a run: as a guest where the usual gateway refuses it as it is. */
const refused = (
  title: string,
  body: object,
  options?: TestGatewayOptions,
  before: (stage: Stage) => Effect.Effect<unknown> = () => Effect.void
) => {
  const play = (stage: Stage) =>
    before(stage).pipe(
      Effect.zipRight(stage.post("/v1/runs/quote", body)),
      Effect.zipRight(stage.run(body)),
      Effect.asVoid
    )
  return options === undefined ? guest(title, {}, play) : scene(title, options, play)
}

it.live("runs and quotes that are refused before anything is sent answer the same", () =>
  playAll("runs-refused", [
    refused("validation_error: fields are missing", {
      endpointId: "mock-email-find",
      input: { first_name: "Ada" }
    }),
    refused("validation_error: a field is of the wrong type", {
      endpointId: "mock-web-search",
      input: { query: 7, limit: "many" }
    }),
    refused("validation_error: more results than the operation gives", {
      endpointId: "mock-web-search",
      input: { query: "x", limit: 101 }
    }),
    refused(
      "validation_error: a field that the fixed price does not cover",
      { endpointId: "acme-lookup", input: { name: "spoon", colour: "red" } },
      own(lookup("acme"))
    ),
    refused("endpoint_not_found", {
      endpointId: "nobody-knows-this",
      input: {}
    }),
    refused("endpoint_not_found: a job is meant", {
      endpointId: "people.email.find",
      input: person
    }),
    refused("route_capped", { ...job, fallback: { maxCostUsd: 0.001 } }),
    refused(
      "route_no_fit",
      {
        endpointId: "job:acme.things.find",
        input: { name: "spoon", size: 11 }
      },
      own(lookup("acme"))
    ),
    refused("route_no_fit: all excluded", {
      ...job,
      fallback: { exclude: ["mock", "mock-slow-email-find"] }
    }),
    refused("needs_input", {
      endpointId: "job:people.email.find",
      input: { first_name: "Ada" }
    }),
    refused("needs_input: nothing is given", {
      endpointId: "job:people.email.find",
      input: {}
    }),
    refused("unknown_job, with a suggestion", {
      endpointId: "job:people.email.fnd",
      input: person
    }),
    refused("unknown_job, without", { endpointId: "job:zzz.qqq", input: {} }),
    refused("unknown_job, not even an id", {
      endpointId: "job:What?",
      input: {}
    }),
    refused("no_supply_for_job", thing, { manifests: [things] }),
    refused(
      "no_runnable_provider: a key would help",
      thing,
      own(lookup("acme"), lookup("bolt", { ownKey: false })),
      ({ services }) => {
        const keys = Context.get(services, PlatformKeys)
        return Effect.orDie(Effect.zipRight(keys.remove("acme", commandLine), keys.remove("bolt", commandLine)))
      }
    ),
    refused("no_runnable_provider: all are switched off", thing, own(lookup("acme"), lookup("bolt")), (stage) =>
      Effect.zipRight(setState(stage, "acme", "disabled"), setState(stage, "bolt", "draining"))
    ),
    scene(
      "no_runnable_provider: a connection to a provider that does not do the job",
      own(lookup("acme"), lookup("bolt", {}, { job: undefined })),
      (stage) =>
        Effect.gen(function* () {
          const { connectionId } = yield* stage.post("/v1/connections", {
            providerId: "bolt",
            label: "mine",
            secret: "sk-canary"
          })
          yield* stage.post("/v1/runs/quote", { ...thing, connectionId })
          yield* stage.run({ ...thing, connectionId })
        })
    ),
    refused(
      "connection_not_found: of a job",
      { ...thing, connectionId: "con_00000000000000000000000000" },
      own(lookup("acme"))
    ),
    scene(
      "no_runnable_provider: the only one asked for a pause",
      {
        ...own(lookup("acme")),
        providers: {
          "acme-lookup": fail(
            new failures.RateLimited({
              providerStatus: 429,
              retryAfterSeconds: 60
            })
          )
        }
      },
      (stage) =>
        Effect.gen(function* () {
          yield* stage.post("/v1/runs?wait=10", thing, { key: "before" })
          yield* stage.post("/v1/runs/quote", thing)
          yield* stage.run(thing)
        })
    ),
    refused("provider_disabled", tool, {}, (stage) => setState(stage, "mock", "disabled")),
    refused("provider_draining", tool, {}, (stage) => setState(stage, "mock", "draining")),
    refused("activation_blocked", spoon, own(lookup("acme", {}, { activated: false }))),
    refused("platform_key_missing", spoon, own(lookup("acme")), ({ services }) =>
      Effect.orDie(Context.get(services, PlatformKeys).remove("acme", commandLine))
    ),
    refused("connection_not_found", { ...spoon, connectionId: "con_00000000000000000000000000" }, own(lookup("acme"))),
    refused(
      "connection_not_found: the provider wants a key of one's own",
      spoon,
      own(lookup("acme", { platformKey: false }))
    ),
    refused(
      "credential_placement_unsupported",
      spoon,
      own(
        lookup("acme", {
          auth: { type: "unsupported", placement: "a signed request" }
        })
      )
    ),
    scene("credential_denied: a connection to another provider", own(lookup("acme"), lookup("bolt")), (stage) =>
      Effect.gen(function* () {
        const { connectionId } = yield* stage.post("/v1/connections", {
          providerId: "bolt",
          label: "mine",
          secret: "sk-canary"
        })
        yield* stage.post("/v1/runs/quote", { ...spoon, connectionId })
        yield* stage.run({ ...spoon, connectionId })
      })
    ),
    refused("budget_exceeded: over the cap of the workspace", tool, {}, (stage) =>
      setLimits(stage, { runCapMicros: Micros.make(4_999) })
    )
  ])
)

it.live("cancelled runs answer the same", () =>
  playAll("runs-cancelled", [
    scene("before dispatch", oneSlot, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs", tool, { key: "before" })
        const { runId } = yield* stage.post("/v1/runs", job, { key: "key" })
        yield* stage.get(`/v1/runs/${runId}`)
        yield* stage.get(`/v1/runs/${runId}/attempts`)
        yield* stage.post(`/v1/runs/${runId}/cancel`)
        yield* stage.post(`/v1/runs/${runId}/cancel`)
      })
    ),
    scene("after dispatch", { providers: { "mock-email-find": silence } }, (stage) =>
      Effect.gen(function* () {
        const { runId } = yield* stage.post("/v1/runs", { ...job, fallback: true }, { key: "key" })
        yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "running")
        yield* stage.post(`/v1/runs/${runId}/cancel`)
        yield* stage.get(`/v1/runs/${runId}/attempts`)
      })
    ),
    scene(
      "an effectful call under way goes on",
      {
        providers: {
          "mock-send-message": hit(undefined, { after: "2 seconds" })
        }
      },
      (stage) =>
        Effect.gen(function* () {
          const { runId } = yield* stage.post("/v1/runs", message, {
            key: "key"
          })
          yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "running")
          yield* stage.post(`/v1/runs/${runId}/cancel`)
          yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status !== "running")
          yield* stage.get(`/v1/runs/${runId}`)
        })
    ),
    scene("after it ended", {}, (stage) =>
      Effect.flatMap(stage.run(tool), ({ runId }) => stage.post(`/v1/runs/${runId}/cancel`))
    ),
    scene("that is not there", {}, (stage) => stage.post("/v1/runs/run_00000000000000000000000000/cancel"))
  ])
)

it.live("runs that wait for a person answer the same, and so does their money", () =>
  playAll(
    "runs-uncertain",
    (["charged", "released", "partly_charged"] as const).map((verdict) =>
      scene(`then ${verdict}`, { providers: { "mock-send-message": drop() } }, (stage) =>
        Effect.gen(function* () {
          const { runId } = yield* stage.run(message)
          yield* stage.get("/v1/balance")
          yield* stage.post(`/v1/runs/${runId}/cancel`)
          yield* Effect.orDie(
            Context.get(stage.services, Reconciliation).resolve(
              {
                runId,
                verdict,
                chargeMicros: verdict === "partly_charged" ? Micros.make(4_000) : null,
                reason: "As the provider's invoice says"
              },
              commandLine
            )
          )
          yield* stage.get(`/v1/runs/${runId}`)
          yield* stage.get(`/v1/runs/${runId}/attempts`)
          yield* stage.get("/v1/balance")
          yield* stage.get("/v1/ledger")
        })
      )
    )
  )
)

it.live("requests for runs that admission refuses, and replays, answer the same", () =>
  playAll("runs-admission", [
    scene("quotes that would be admitted", {}, (stage) =>
      Effect.forEach(
        [
          tool,
          message,
          job,
          { ...job, fallback: true },
          { endpointId: "mock-web-search", input: { query: "x", limit: 20 } },
          { endpointId: "mock-geocode", input: { address: "x" } }
        ],
        (body) => stage.post("/v1/runs/quote", body),
        { discard: true }
      )
    ),
    guest("402 insufficient_balance", { usd: 0.004 }, (stage) =>
      Effect.zipRight(stage.post("/v1/runs/quote", tool), stage.post("/v1/runs", tool, { key: "key" }))
    ),
    guest(
      "402 insufficient_balance for a token that only reads and runs",
      { usd: 0, scopes: ["runs:execute", "runs:read"] },
      (stage) => stage.post("/v1/runs", tool, { key: "key" })
    ),
    guest("402 key_spend_limit_reached", {}, (stage) =>
      Effect.gen(function* () {
        const { token } = yield* Effect.orDie(
          Context.get(stage.services, Accounts).createToken(
            {
              workspaceId: stage.workspaceId,
              label: "limited",
              scopes: ["runs:execute"],
              monthlyLimitMicros: Micros.make(7_000),
              expiresAt: null
            },
            commandLine
          )
        )
        const sending = { token: Redacted.value(token) }
        yield* stage.post("/v1/runs?wait=10", tool, {
          ...sending,
          key: "first"
        })
        yield* stage.post("/v1/runs/quote", tool, sending)
        yield* stage.post("/v1/runs", tool, { ...sending, key: "second" })
      })
    ),
    guest("a replay of the same request", {}, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs?wait=10", tool, { key: "key" })
        yield* stage.post("/v1/runs", {
          input: {
            domain: "example.com",
            last_name: "Example",
            first_name: "Ada"
          },
          endpointId: "mock-email-find",
          idempotencyKey: "key"
        })
      })
    ),
    guest("a replay of a refused run, and of one under way", { providers: { "mock-email-find": silence } }, (stage) =>
      Effect.gen(function* () {
        for (const body of [{ endpointId: "mock-email-find", input: {} }, tool]) {
          const key = body === tool ? "under way" : "refused"
          const { runId } = yield* stage.post("/v1/runs", body, { key })
          yield* stage.until(`/v1/runs/${runId}`, ({ status }) => status === "running" || status === "failed")
          yield* stage.post("/v1/runs", body, { key })
        }
      })
    ),
    guest("409 idempotency_conflict", {}, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs?wait=10", tool, { key: "key" })
        yield* stage.post("/v1/runs", { ...tool, input: { ...person, domain: "example.org" } }, { key: "key" })
        yield* stage.post("/v1/runs", { ...tool, fallback: true }, { key: "key" })
      })
    ),
    guest("429 too_many_inflight_runs", { inflightLimit: 1, providers: { "mock-email-find": silence } }, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs", tool, { key: "first" })
        yield* stage.post("/v1/runs/quote", tool)
        yield* stage.post("/v1/runs", tool, { key: "second" })
      })
    ),
    guest("429 run_rate_limited", {}, (stage) =>
      Effect.gen(function* () {
        yield* setLimits(stage, { runsPerMinute: 1 })
        yield* stage.post("/v1/runs?wait=10", tool, { key: "first" })
        yield* stage.post("/v1/runs/quote", tool)
        yield* stage.post("/v1/runs", tool, { key: "second" })
        yield* stage.post("/v1/runs", { endpointId: "nobody-knows-this", input: {} }, { key: "third" })
      })
    ),
    scene("429 rate_limit_exceeded", { requestRate: { burst: 1, refillPerSecond: 1 / 60 } }, (stage) =>
      Effect.zipRight(
        stage.post("/v1/runs?wait=10", tool, { key: "first" }),
        stage.post("/v1/runs", tool, { key: "second" })
      )
    ),
    guest("401 and 403", { scopes: ["runs:read"] }, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs", tool, { key: "key", token: null })
        yield* stage.post("/v1/runs", tool, { key: "key", token: "wrong" })
        yield* stage.post("/v1/runs", tool, { key: "key" })
      })
    ),
    guest("422 rows_mode_unsupported", {}, (stage) =>
      stage.post("/v1/runs", { ...tool, output: { mode: "canonical" } }, { key: "key" })
    ),
    guest("400 validation_error", {}, (stage) =>
      Effect.gen(function* () {
        yield* stage.post("/v1/runs", tool)
        yield* stage.post("/v1/runs", { ...tool, idempotencyKey: "one" }, { key: "other" })
        yield* stage.post("/v1/runs", { ...tool, idempotencyKey: "" })
        yield* stage.post(
          "/v1/runs",
          {
            ...tool,
            inputs: {},
            fallback: { maxAttempts: 0, prefer: "dearest", maxCostUsd: -1 }
          },
          { key: "key" }
        )
        yield* stage.post("/v1/runs", { endpointId: 7, input: "x" }, { key: "key" })
        yield* stage.post("/v1/runs?wait=long", tool, { key: "key" })
        yield* stage.post("/v1/runs", '{"endpointId": ', { key: "key" })
        yield* stage.post("/v1/runs", [], { key: "key" })
      })
    )
  ])
)

it.live("lists of runs answer the same", () =>
  playAll("run-lists", [
    scene(
      "of runs in several states",
      {
        providers: {
          "mock-email-find": [hit(), fail(new failures.ProviderError())],
          "mock-send-message": drop()
        }
      },
      (stage) =>
        Effect.gen(function* () {
          yield* stage.get("/v1/runs")
          for (const [index, body] of [
            tool,
            tool,
            message,
            { ...job, input: {} },
            { endpointId: "mock-echo", input: {} }
          ].entries()) {
            yield* stage.post("/v1/runs?wait=10", body, {
              key: `key ${index}`
            })
            // Ids sort by the millisecond.
            yield* Effect.sleep(3)
          }
          yield* stage.get("/v1/runs")
          yield* stage.get("/v1/runs?status=completed&includeResult=true")
          yield* stage.get("/v1/runs?capability=people_email_find&includeResult=true")
          const { nextCursor } = yield* stage.get("/v1/runs?limit=2")
          const { json } = {
            json: yield* stage.until(`/v1/runs?limit=10&cursor=${nextCursor}`, () => true)
          }
          if (json.runs.length !== 3) throw new Error("the second page has the other three runs")
          yield* stage.get("/v1/runs?cursor=made-up")
          yield* stage.get("/v1/runs?status=gone&limit=0")
          yield* stage.get("/v1/runs?capability=nothing.known")
          yield* stage.get("/v1/runs/run_00000000000000000000000000")
          yield* stage.get("/v1/runs/nonsense")
          yield* stage.get("/v1/balance")
          yield* stage.get("/v1/ledger")
        })
    )
  ])
)
