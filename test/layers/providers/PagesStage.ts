/** An operation that is read in pages, a provider of them, and what came of a call. */
import type { ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { isObject, type Json } from "../../../src/domain/Json.js"
import { Micros } from "../../../src/domain/Micros.js"
import { costOfAnswer, holdFor } from "../../../src/layers/providers/PriceByInput.js"
import {
  type CallEnd,
  type CallOptions,
  callOf,
  callWith,
  endpointOf,
  engine,
  json,
  type Seen,
  type TestProvider
} from "./support.js"

export const shape = (pages: object, more: object = {}) => ({
  method: "GET",
  path: "/v1/things",
  input: {
    type: "object",
    properties: { q: { type: "string" }, limit: { type: "integer" }, at: {} },
    additionalProperties: true
  },
  volume: { field: "limit", default: 10, max: 1000 },
  pages: { items: "body.data.things", size: 10, ...pages },
  response: { miss: "length(body.data.things || `[]`) == `0`" },
  ...more
})

export const byCursor = { next: { by: "cursor", cursor: "body.next", field: "at" } }

export const parameter = (seen: Seen, name: string): string | null =>
  new URL(seen.url, "http://provider.test").searchParams.get(name)
export const numberOf = (seen: Seen, name: string, otherwise: number): number =>
  Number(parameter(seen, name) ?? otherwise)

/** A list of so many things behind a cursor, which is the position of the next one. */
export const listOf = (total: number) => (seen: Seen, response: ServerResponse) => {
  const start = numberOf(seen, "at", 0)
  const size = Math.min(10, numberOf(seen, "limit", 10))
  const things = Array.from({ length: Math.max(0, Math.min(size, total - start)) }, (_, each) => ({ id: start + each }))
  json(response, 200, {
    total,
    data: { things },
    ...(start === 0 ? { answer: "only on the first page" } : {}),
    ...(start + size < total ? { next: start + size } : {})
  })
}

export const call = (provider: TestProvider, options: CallOptions & { readonly heldMicros?: number }) =>
  Effect.provide(
    callWith({
      ...callOf(options),
      ...(options.heldMicros === undefined ? {} : { heldMicros: Micros.make(options.heldMicros) })
    }),
    engine(provider, options.http)
  )

export const trail = ({ requests }: TestProvider): ReadonlyArray<string> => requests.map(({ url }) => url)

export const valueOf = (end: CallEnd): Json => {
  assert.isTrue(end._tag === "Answered" && end.body._tag === "Json")
  return end._tag === "Answered" && end.body._tag === "Json" ? end.body.value : null
}
const thingsOf = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ things: Schema.Array(Schema.Struct({ id: Schema.Number })) }) })
)
export const idsIn = (end: CallEnd): ReadonlyArray<number> => thingsOf(valueOf(end)).data.things.map(({ id }) => id)
export const nextIn = (end: CallEnd): Json | undefined => {
  const value = valueOf(end)
  return isObject(value) ? value["next"] : undefined
}
export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, each) => each)

export const reasonOf = (end: CallEnd): string => (end._tag === "Answered" ? end.outcomeReason : "")
export const isComplete = (end: CallEnd): boolean | undefined =>
  end._tag === "Answered" ? end.pages?.complete : undefined
export const costOf = (end: CallEnd, options: CallOptions, maxMicros: number): number =>
  end._tag === "Answered"
    ? costOfAnswer(endpointOf(options), { input: options.input ?? {}, maxMicros: Micros.make(maxMicros) }, end).micros
    : 0
export const heldFor = (options: CallOptions): number =>
  Either.getOrThrow(holdFor(endpointOf(options), options.input ?? {}))
