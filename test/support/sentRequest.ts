/** What a run of an endpoint sends, without its key: method, address, media type and body, one below the other. */
import { Either } from "effect"
import type { JsonObject } from "../../src/domain/Json.js"
import type { Endpoint } from "../../src/domain/Manifest.js"
import type { InputFile } from "../../src/domain/ProviderCall.js"
import { prepare } from "../../src/layers/providers/InputPreparation.js"
import { planRequest } from "../../src/layers/providers/RequestPlan.js"
import { write } from "../../src/layers/providers/RequestWriting.js"
import { exampleValues, withValues } from "../../src/layers/providers/Variables.js"

export const sentRequest = (endpoint: Endpoint, input: JsonObject, files?: ReadonlyMap<string, InputFile>): string => {
  const prepared = prepare(endpoint, input)
  if (prepared._tag === "Rejected") throw new Error(JSON.stringify(prepared.problems))
  const plan = Either.getOrThrowWith(planRequest(endpoint), (problems) => new Error(JSON.stringify(problems)))
  const parts = Either.getOrThrowWith(plan.build(prepared.input, files), ({ message }) => new Error(message))
  const { body, headers, path } = write(parts, "b")
  const type = headers["content-type"]
  const values = exampleValues(endpoint.provider.variables)
  return [
    `${parts.method} ${Either.getOrThrow(plan.origin(values))}${decodeURIComponent(withValues(path, values))}`,
    ...(type === undefined ? [] : [type]),
    ...(body === null ? [] : [typeof body === "string" ? body : Buffer.from(body).toString()])
  ].join("\n")
}
