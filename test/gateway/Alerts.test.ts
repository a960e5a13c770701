/**
 * The alert rules and the dashboard name metrics that the gateway has, with labels that they have; each alert has a
 * page that says what to do, and each such page an alert. What the rules say of given figures is played by
 * `npm run alerts:check`.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { json, serve } from "../layers/providers/support.js"
import { startCollector } from "../support/collector.js"
import { eventually } from "../support/eventually.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"
import { root } from "../support/program.js"

const text = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      rules: Schema.Array(
        Schema.Struct({
          alert: Schema.String,
          expr: Schema.String,
          for: Schema.String,
          labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
          annotations: Schema.Struct({
            summary: Schema.NonEmptyString,
            description: Schema.NonEmptyString,
            runbook_url: Schema.String
          })
        })
      )
    })
  )
})
const rules = Schema.decodeUnknownSync(Rules, { onExcessProperty: "error" })(
  parse(text("deploy", "prometheus", "alerts.yaml"))
).groups.flatMap((group) => group.rules)

const Dashboard = Schema.parseJson(
  Schema.Struct({
    panels: Schema.Array(
      Schema.Struct({ title: Schema.String, targets: Schema.Array(Schema.Struct({ expr: Schema.String })) })
    )
  })
)
const panels = Schema.decodeSync(Dashboard)(text("deploy", "grafana", "gateway.json")).panels

/** Labels that Prometheus gives itself. */
const givenLabels: ReadonlySet<string> = new Set(["instance", "job", "le"])

/** The metrics of an expression with the labels that it asks of them; a label of `by` is asked of all. */
const askedBy = (expr: string): ReadonlyArray<readonly [metric: string, labels: ReadonlyArray<string>]> => {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names.split(",").map((it) => it.trim())
  )
  return [...expr.matchAll(/\b((?:gateway|http|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = "", inside = ""]) => [
      metric,
      [...inside.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label).concat(grouped)
    ]
  )
}

/** The labels of each sample name on a page of `/metrics`. */
const shown = (page: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const line of page.split("\n")) {
    const [, name, labels = ""] = /^([a-z_]+)(?:\{(.*)\})? [^ ]+$/.exec(line) ?? []
    if (name === undefined) continue
    const known = found.get(name) ?? new Set()
    for (const [, label = ""] of labels.matchAll(/([a-z_]+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

const manifest = (port: number) => `
id: checked
name: Checked
baseUrl: http://127.0.0.1:${port}
operations:
  - id: checked-find
    name: Find
    summary: Finds something.
    method: GET
    path: /find
    input: { type: object, properties: {} }
    outputSchema: { type: object, properties: { found: { type: boolean } } }
    price: { basis: per_call, micros: 10 }
`

it.scopedLive("rules and dashboard name metrics that /metrics has, with their labels", () =>
  Effect.gen(function* () {
    const collector = yield* startCollector
    const provider = yield* serve((_, response) => json(response, 200, { found: true }))
    const folder = yield* catalogFolder({ providers: { checked: manifest(provider.port) } })
    const { call, funded } = yield* startGateway({
      catalogFolders: [folder],
      egressAllow: [`127.0.0.1:${provider.port}`],
      ledgerCheckSeconds: 60,
      telemetry: Option.some({
        endpoint: collector.endpoint,
        headers: Redacted.make([]),
        timeoutMillis: 5_000,
        serviceName: "test",
        attributes: new Map(),
        traces: true,
        metrics: false,
        logs: true,
        sampler: "always_on",
        ratio: 1,
        metricsEveryMillis: 60_000
      })
    })
    const { token } = yield* funded(1_000_000)
    const run = yield* call("POST", "/v1/runs?wait=10", {
      token,
      headers: { "idempotency-key": "alerts" },
      body: { endpointId: "checked-find", input: {} }
    })
    assert.strictEqual(run.json.status, "completed")
    // Some are written a moment later, in the background.
    const inBackground = ["gateway_answer_schema_checks_total", "gateway_ledger_checked_timestamp_seconds"]
    const { text: page } = yield* eventually(call("GET", "/metrics"), ({ text }) =>
      inBackground.every((name) => shown(text).has(name))
    )
    const metrics = shown(page)
    const asked = [...rules.map(({ alert, expr }) => [alert, expr] as const)].concat(
      panels.flatMap(({ targets, title }) => targets.map(({ expr }) => [title, expr] as const))
    )
    for (const [where, expr] of asked) {
      const named = askedBy(expr)
      if (!expr.startsWith("up{")) assert.isNotEmpty(named, where)
      for (const [metric, labels] of named) {
        const has = metrics.get(metric)
        assert.isDefined(has, `${where} names ${metric}`)
        for (const label of labels)
          assert.isTrue(givenLabels.has(label) || has?.has(label), `${where} asks ${metric} for ${label}`)
      }
    }
  })
)

it("each alert has a page that says what to do, and each page an alert", () => {
  const headings = [...text("docs", "alerts.md").matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  assert.sameMembers(
    headings,
    rules.map(({ alert }) => alert)
  )
  for (const { alert, annotations } of rules)
    assert.strictEqual(annotations.runbook_url, `https://gateway.example.com/docs/alerts#${alert.toLowerCase()}`, alert)
})

it("each alert is played by a test of its own", () => {
  const { tests }: { readonly tests: ReadonlyArray<{ readonly name: string }> } = parse(
    text("deploy", "prometheus", "alerts.test.yaml")
  )
  assert.includeMembers(
    tests.map(({ name }) => name),
    rules.map(({ alert }) => alert)
  )
})
