/**
 * Calls one operation of one provider. Whatever the provider does, and however the network breaks, is an answer or one
 * of the two failures of a call. One call is one exchange, one asynchronous operation, or the pages of one result. Its
 * first request is never repeated in here; polls, further pages and the fetch of a result may be. Interrupting the
 * effect aborts the exchange.
 */
import { Context, type Effect } from "effect"
import type { Json, JsonObject } from "../domain/Json.js"
import type { Endpoint } from "../domain/Manifest.js"
import type { CallFailure, ProviderAnswer, ProviderCall } from "../domain/ProviderCall.js"

/** Why an input does not fit an operation: a missing field is told apart, because a job then asks for it. */
export type InputProblem =
  | {
      readonly _tag: "Missing"
      readonly field: string
      /** Sets of other fields, any of which would do instead; absent when nothing else would. */
      readonly instead?: ReadonlyArray<ReadonlyArray<string>>
      /** A field of the input that nobody knows, and which of the missing ones was probably meant by it. */
      readonly mistyped?: { readonly written: string; readonly meant: string }
    }
  | { readonly _tag: "Invalid"; readonly field: string; readonly message: string }

export type PreparedInput =
  | { readonly _tag: "Accepted"; readonly input: JsonObject }
  | { readonly _tag: "Rejected"; readonly problems: ReadonlyArray<InputProblem> }

export class Providers extends Context.Tag("gateway/services/Providers")<
  Providers,
  {
    readonly call: (call: ProviderCall) => Effect.Effect<ProviderAnswer, CallFailure>
    /**
     * Checks the input of a tool run against the operation's schema and its declared maximum volume. Pure and cheap;
     * unknown keys stay.
     */
    readonly prepare: (endpoint: Endpoint, input: JsonObject) => PreparedInput
    /**
     * The same for a job run: first, common names (snake or camel case) become the operation's own fields, and those it
     * has no place for go.
     */
    readonly prepareJob: (endpoint: Endpoint, input: JsonObject) => PreparedInput
    /** Checks the fields every job shares (email, url, domain, phone) before any provider is looked at. */
    readonly checkCommon: (input: { readonly [key: string]: Json }) => ReadonlyArray<InputProblem>
  }
>() {}
