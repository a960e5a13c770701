/** The formats that texts and numbers of a schema may have. Any other format says nothing. */
import { fullFormats } from "ajv-formats/dist/formats.js"
import { formatCharsMax } from "../../../domain/limits/Calls.js"

/** Texts of any length and kind, which mean nothing to a check. */
const freeFormats: ReadonlySet<string> = new Set(["binary", "byte", "password"])

interface KnownFormat {
  readonly of: "string" | "number"
  readonly fits: (value: string | number) => boolean
}

const fitting = (format: unknown): KnownFormat["fits"] | undefined => {
  if (format instanceof RegExp) return (value) => format.test(String(value))
  if (typeof format === "function") return (value) => Reflect.apply(format, undefined, [value]) === true
  return typeof format === "object" && format !== null && "validate" in format ? fitting(format.validate) : undefined
}

const isOfNumbers = (format: unknown): boolean =>
  typeof format === "object" && format !== null && "type" in format && format.type === "number"

const formats: ReadonlyMap<string, KnownFormat> = new Map(
  Object.entries<unknown>(fullFormats).flatMap(([name, format]): ReadonlyArray<[string, KnownFormat]> => {
    const fits = fitting(format)
    if (fits === undefined || freeFormats.has(name)) return []
    return isOfNumbers(format)
      ? [[name, { of: "number", fits }]]
      : // Some of the library's formats take time in the square of the length.
        [[name, { of: "string", fits: (text) => String(text).length <= formatCharsMax && fits(text) }]]
  })
)

export const formatNamed = (name: string): KnownFormat | undefined => formats.get(name)
