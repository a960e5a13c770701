/**
 * What a caller may give as JSON: values of any type of their own, an interface or a class too, where JSON can hold
 * them. The compiler refuses what it sees that JSON would change (a date, a bigint, a function). What it cannot see,
 * because it is `unknown`, `Settings.ts` refuses when it is sent.
 */
import type { Json } from "./api/Schemas.js"

/** No value is of this type; the compiler shows its text. */
type Refused = "JSON cannot hold this value" & { readonly given: never }

/** `T` where JSON can hold it. */
type Written<T> = unknown extends T
  ? T
  : T extends Json | undefined
    ? T
    : T extends bigint | symbol | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Promise<unknown>
      ? Refused
      : T extends (...given: never) => unknown
        ? Refused
        : { readonly [Name in keyof T]: Written<T[Name]> }

/** The fields of an input. */
export type Fields<T extends object> = T extends ReadonlyArray<unknown> ? Refused : T & Written<T>

/** The request with an input of any type that JSON can hold. */
export type WithInput<Request, Input extends object> = Request & { readonly input: Fields<Input> }
