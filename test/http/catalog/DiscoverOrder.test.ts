/** The order of discover: what does the job that is asked for, then what fits best, fixtures behind real operations. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { startGateway } from "../../support/httpGateway.js"

const made = (id: string, summary: string, more: object = {}) =>
  endpoint({ id, name: summary, summary: `${summary}.`, ...more })
const mock = { provider: { id: "mock", name: "Mock", mock: true } }
const content = {
  jobs: [
    job("weather.current", { title: "Current weather", phrases: ["weather right now"] }),
    job("weather.forecast", { title: "Weather forecast", phrases: ["weather of the next days"] }),
    job("encyclopedia.summary", { title: "Summary of a subject", phrases: ["what a thing is"] })
  ],
  endpoints: [
    made("sky-forecast", "Weather forecast of the next days", { job: "weather.forecast" }),
    made("sky-now", "Current weather", { job: "weather.current" }),
    made("sky-history", "Weather of past days"),
    made("encyclopedia", "Article about a theory, such as plate tectonics", { job: "encyclopedia.summary" }),
    made("mock-document", "A document with a theory", mock),
    made("plain-document", "A document with a list of theories")
  ]
}

it.live("discover answers with the job that fits best, and without a job with what fits best", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { get } = yield* startGateway({ catalogLayer: servedCatalog(content, newWorld()) })
      const discover = (q: string) => Effect.map(get(`/v1/discover?q=${encodeURIComponent(q)}`), ({ json }) => json)
      for (const [q, jobId, first] of [
        ["current weather", "weather.current", "sky-now"],
        ["weather forecast", "weather.forecast", "sky-forecast"]
      ]) {
        const { job: meant, operations } = yield* discover(q!)
        assert.deepStrictEqual([meant?.id, operations[0].endpointId], [jobId, first], q)
      }
      // No job is named by these words. Operations without a job are no answer to that.
      const { operations } = yield* discover("theory of plate tectonics")
      assert.strictEqual(operations[0].endpointId, "encyclopedia")
      assert.strictEqual(operations.at(-1).endpointId, "mock-document")
    })
  )
)
