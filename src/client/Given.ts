/**
 * What a caller may give as JSON: values of any type of their own, an interface or a class of plain fields too, where
 * JSON can hold them. The compiler refuses what it sees that JSON would change (a date, a bigint, a function). What it
 * cannot see, because it is `unknown`, `Settings.ts` refuses when it is sent.
 */
import type { Json, JsonObject } from "./api/Schemas.js"

/** What the compiler says of a value that is refused. */
type Unwritable = "JSON cannot hold this value"

/** `T` where JSON can hold it. */
type Written<T> = unknown extends T
  ? T
  : T extends Json | undefined
    ? T
    : T extends bigint | symbol | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Promise<unknown>
      ? Unwritable
      : T extends (...given: never) => unknown
        ? Unwritable
        : { readonly [Name in keyof T]: Written<T[Name]> }

/** The fields of an input. */
export type Fields<T extends object> = T extends ReadonlyArray<unknown> ? "an input has fields" : T & Written<T>

/** The request with an input of any type that JSON can hold; a type parameter that is a `JsonObject` is one. */
export type WithInput<Request, Input extends object> = Request & { readonly input: JsonObject | Fields<Input> }
