/** Sign-in without an OpenID provider: people use one-time links. */
import { Effect, Layer } from "effect"
import { OpenId, OpenIdRefused, OpenIdUnreachable } from "../../services/OpenId.js"

const none = "no OpenID provider is configured"

export const OpenIdNone: Layer.Layer<OpenId> = Layer.succeed(OpenId, {
  issuer: null,
  begin: () => Effect.fail(new OpenIdUnreachable({ reason: none })),
  finish: () => Effect.fail(new OpenIdRefused({ of: "the_answer", reason: none }))
})
