/**
 * Requests to a whole gateway, of which every answer is held against the OpenAPI document: status, headers, content
 * type and shape.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { openApiDocument } from "../../src/http/OpenApi.js"
import type { Answer, RunningGateway } from "../support/gateway.js"
import type { Loose } from "../support/httpGateway.js"
import { validatorOf } from "../support/openApi.js"

const document: Loose = openApiDocument({ strict: true })

const templates = Object.entries<Loose>(document.paths).map(([path, item]) => ({
  item,
  named: path.split("{").length - 1,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)
}))

const operationOf = (method: string, path: string): Loose => {
  const [bare = ""] = path.split("?", 1)
  // A path without parameters is meant before one with them.
  const [found] = templates
    .filter(({ item, pattern }) => pattern.test(bare) && item[method.toLowerCase()] !== undefined)
    .sort((a, b) => a.named - b.named)
  return found?.item[method.toLowerCase()]
}

const holds = (method: string, path: string, { headers, json, status, text }: Answer): void => {
  const operation = operationOf(method, path)
  const name = `${method} ${path} answered ${status}: ${text.slice(0, 500)}`
  const response =
    operation === undefined
      ? document.components.responses[status === 405 ? "MethodNotAllowed" : "RouteNotFound"]
      : operation.responses[status]
  assert.isDefined(response, name)
  for (const header of Object.keys(response.headers)) {
    if (document.components.headers[header].required !== false)
      assert.isTrue(headers.has(header), `${name} lacks ${header}`)
  }
  const type = headers.get("content-type")?.split(";")[0] ?? ""
  const schema = (response.content?.[type] ?? response.content?.["*/*"])?.schema
  if (type === "application/json") validatorOf(document, schema)(json)
}

export const checked =
  ({ call }: RunningGateway): RunningGateway["call"] =>
  (method, path, options) =>
    Effect.tap(call(method, path, options), (answer) => Effect.sync(() => holds(method, path, answer)))
