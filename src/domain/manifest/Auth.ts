/** How a provider takes its key, as a manifest says it. */
import { Schema } from "effect"
import { optional, Text, withDefault } from "./Fields.js"

/**
 * How a provider expects its key. `unsupported` declares a placement that this gateway cannot do; the provider's runs
 * then say so.
 */
export const Auth = Schema.Union(
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("bearer") }),
  Schema.Struct({ type: Schema.Literal("header"), name: Text, prefix: optional(Schema.String) }),
  /** Two headers at once; the key is `first:second`. */
  Schema.Struct({ type: Schema.Literal("header_pair"), names: Schema.Tuple(Text, Text) }),
  Schema.Struct({ type: Schema.Literal("query"), name: Text }),
  /** The key is `user:password`, or the user name alone when `passwordless`. */
  Schema.Struct({ type: Schema.Literal("basic"), passwordless: withDefault(Schema.Boolean, () => false) }),
  /** A field of the JSON or form body. */
  Schema.Struct({ type: Schema.Literal("body"), name: Text }),
  /** The key is `client_id:client_secret`. */
  Schema.Struct({
    type: Schema.Literal("oauth2_client_credentials"),
    tokenUrl: Text,
    scope: optional(Text),
    clientAuth: withDefault(Schema.Literal("basic", "body"), () => "basic" as const)
  }),
  Schema.Struct({ type: Schema.Literal("unsupported"), placement: Text })
)
export type Auth = typeof Auth.Type
