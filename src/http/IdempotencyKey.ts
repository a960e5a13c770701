/** The idempotency key of a request: how it may look, and the one key out of the header and the body. */
import { isUtf8 } from "node:buffer"
import { Effect, Schema } from "effect"
import { ValidationError } from "../domain/ApiErrors.js"
import { field } from "../domain/Described.js"
import { idempotencyKeyCharsMax } from "../domain/limits/Runs.js"
import { askedMaybe, line, lineExpected } from "./Fields.js"
import { headerParam, idParam } from "./Query.js"

const exampleKey = "order 4711: find the address"

export const IdempotencyKey = line(
  idempotencyKeyCharsMax,
  `1 to ${idempotencyKeyCharsMax} printable characters, spaces and colons included`
).annotations({
  identifier: "IdempotencyKey"
})

/** The header as the document shows it; `idempotencyKeyOf` checks it. */
export const keyHeader = (description: string) =>
  headerParam(description, exampleKey, { minLength: 1, maxLength: idempotencyKeyCharsMax })

/** The same key as a filter of a list. */
export const keyParam = (description: string) =>
  field(idParam(IdempotencyKey, lineExpected(idempotencyKeyCharsMax)), description, exampleKey)

/** The same key in a body. */
export const keyField = (description: string) => askedMaybe(IdempotencyKey, description, exampleKey)

/** Of a request that moves nothing without a key. */
export const mandatoryKeyHeader = keyHeader("One key is mandatory: here, or as idempotencyKey in the body")
export const mandatoryKeyField = keyField("One key is mandatory: here, or in the header Idempotency-Key")

const isKey = Schema.is(IdempotencyKey)

/**
 * Header bytes arrive as Latin-1; read as UTF-8 (when they are that), a key is the same in the header and in the body.
 */
const headerText = (raw: string): string => {
  const bytes = Buffer.from(raw, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : raw
}

/** The one key of a request, or null when it brought none. */
export const idempotencyKeyOf = (
  header: string | undefined,
  body: string | undefined
): Effect.Effect<string | null, ValidationError> => {
  const fromHeader = header === undefined ? undefined : headerText(header)
  if (fromHeader !== undefined && !isKey(fromHeader))
    return Effect.fail(ValidationError.of("idempotency-key", lineExpected(idempotencyKeyCharsMax)))
  if (fromHeader !== undefined && body !== undefined && fromHeader !== body) {
    return Effect.fail(
      ValidationError.of("idempotencyKey", "differs from the Idempotency-Key header; send one of them")
    )
  }
  return Effect.succeed(fromHeader ?? body ?? null)
}

/** The same for a request that must bring one. */
export const requiredKeyOf = (
  header: string | undefined,
  body: string | undefined
): Effect.Effect<string, ValidationError> =>
  Effect.flatMap(idempotencyKeyOf(header, body), (key) =>
    key === null
      ? Effect.fail(ValidationError.of("idempotencyKey", "is required, in the Idempotency-Key header or in the body"))
      : Effect.succeed(key)
  )
