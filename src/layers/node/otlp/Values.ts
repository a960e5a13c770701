/** Attributes, values and the resource as OTLP writes them in JSON. Texts are cut, so that no record has any size. */
import { Inspectable } from "effect"
import { cutText } from "../../../domain/Characters.js"
import { productVersion } from "../../../domain/Product.js"
import type { TelemetrySettings } from "../TelemetryConfig.js"

type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

const textCharsMax = 4_096

export const textValue = (text: string): AnyValue => ({ stringValue: cutText(text, textCharsMax) })

const valueOf = (value: unknown): AnyValue => {
  switch (typeof value) {
    case "string":
      return textValue(value)
    case "boolean":
      return { boolValue: value }
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
    case "bigint":
      return { intValue: String(value) }
    default:
      return textValue(Inspectable.toStringUnknown(value, 0))
  }
}

export const keyValue = (key: string, value: unknown): KeyValue => ({ key, value: valueOf(value) })

export const keyValues = (entries: Iterable<readonly [string, unknown]>): ReadonlyArray<KeyValue> =>
  Array.from(entries, ([key, value]) => keyValue(key, value))

/** Who tells: the same in all that this process sends. What the operator says of it comes last, and wins. */
export const resourceOf = ({ attributes, serviceName }: TelemetrySettings, instance: string) => ({
  attributes: keyValues(
    new Map<string, string>([
      ["service.name", serviceName],
      ["service.version", productVersion],
      ["service.instance.id", instance],
      ...attributes
    ])
  )
})

export const scope = { name: "provider-gateway", version: productVersion }
