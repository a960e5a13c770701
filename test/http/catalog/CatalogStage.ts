/** A catalog of a few jobs and operations behind a gateway without storage, for tests of its routes. */
import { Effect, type Scope } from "effect"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { type Gateway, startGateway } from "../../support/httpGateway.js"

export const auth = { type: "bearer" }
export const perCall = (micros: number) => ({ basis: "per_call", micros })
export const content = {
  jobs: [
    job("people.email.find", {
      title: "Find a work email",
      phrases: ["find someone's work email"],
      needs: [["name", "domain"]],
      exampleInput: { name: "Ada", domain: "example.com" },
      fields: { email: "The address." }
    }),
    job("people.email.verify", { title: "Verify an email" }),
    job("web.search", { title: "Search the web" }),
    job("geo.geocode", { title: "Geocode an address" })
  ],
  endpoints: [
    endpoint({
      id: "dear-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(30_000),
      provider: { id: "dear", auth }
    }),
    endpoint({
      id: "cheap-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(10_000),
      provider: { id: "cheap", auth }
    }),
    endpoint({
      id: "slow-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(20_000),
      provider: { id: "slow", auth }
    }),
    endpoint({
      id: "mock-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(5000),
      provider: { id: "fixture", mock: true }
    }),
    endpoint({
      id: "verify",
      job: "people.email.verify",
      price: { basis: "per_result", micros: 400 },
      volume: { field: "limit", default: 10, max: 100 },
      provider: { id: "dear", auth }
    }),
    endpoint({
      id: "free-web",
      job: "web.search",
      provenance: { docs: "https://example.com", verified: true },
      facts: { docs: "https://example.com" }
    }),
    endpoint({ id: "off-web", job: "web.search", provider: { id: "off" } }),
    endpoint({
      id: "soon",
      category: "extras",
      activated: false,
      async: { ticket: "body.id", poll: { path: "/t/{id}" }, done: "body.done" }
    }),
    endpoint({ id: "send-it", category: "extras", method: "POST", effect: "effectful", repeatable: false })
  ]
}
const world = newWorld()
world.platformKeys.add("cheap").add("slow")
world.health.set("off", { state: "disabled", openForSeconds: 0 })
world.works
  .set("slow-email", { calls: 100, successes: 99, p50Ms: 9000 })
  .set("cheap-email", { calls: 100, successes: 60, p50Ms: 300 })

export const withGateway = <A>(use: (gateway: Gateway) => Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, world) }), use))
export const ids = (rows: ReadonlyArray<{ readonly endpointId: string }>): ReadonlyArray<string> =>
  rows.map(({ endpointId }) => endpointId)
