/** An operation that answers with a ticket, and what its provider was asked. */
import type { Seen } from "./support.js"

export const operation = {
  effect: "effectful",
  repeatable: false,
  async: {
    ticket: "body.id",
    poll: { path: "/v1/things/{id}" },
    done: "body.state == 'done'",
    intervalMs: 1,
    maxIntervalMs: 2,
    cancel: { method: "DELETE", path: "/v1/things/{id}" }
  },
  response: {
    errors: [{ when: "body.state == 'failed'", message: "body.why" }],
    miss: "body.state == 'done' && !(body.found)",
    success: "body.found"
  }
}

export const trail = (requests: ReadonlyArray<Seen>): ReadonlyArray<string> =>
  requests.map((request) => `${request.method} ${request.url}`)
