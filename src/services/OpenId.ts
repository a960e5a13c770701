/**
 * Sign-in through an OpenID provider: authorization code with PKCE, state and nonce. All three are made of a secret
 * that only the person's browser holds (a cookie), so nothing is stored between the two steps, every node can do the
 * second one, and an answer that was asked for by another browser is refused. Says who a person is, not what they may
 * do.
 */
import { Context, Data, type Effect, type Redacted } from "effect"

/** A person as the provider names them. */
export interface OpenIdPerson {
  readonly issuer: string
  /** Never given to another person by this issuer. */
  readonly subject: string
  /** Null when the provider gives none, or does not say that it is verified. */
  readonly verifiedEmail: string | null
  /** As the provider gives it, verified or not; only to be shown. */
  readonly email: string | null
}

/** The provider cannot be reached, or answers nothing that can be used. Nothing was decided about the person. */
export class OpenIdUnreachable extends Data.TaggedError("OpenIdUnreachable")<{
  /** For the operator's log. Holds nothing of the person's sign-in. */
  readonly reason: string
}> {
  override get message() {
    return "The sign-in provider does not answer"
  }
}
/**
 * There is nobody to sign in. `of` says whose doing it is: the person said no at the provider; the browser is not the
 * one that began, comes too late, or came before; or the provider's answer cannot be accepted.
 */
export class OpenIdRefused extends Data.TaggedError("OpenIdRefused")<{
  readonly of: "the_person" | "the_browser" | "the_answer"
  /** For the operator's log. */
  readonly reason: string
}> {
  override get message() {
    return "The sign-in provider's answer was not accepted"
  }
}

export class OpenId extends Context.Tag("gateway/services/OpenId")<
  OpenId,
  {
    /** The provider's address, to be shown to people; null when none is configured. */
    readonly issuer: string | null
    /** Where to send the person. `redirectUri` is where the provider sends them back to. */
    readonly begin: (browser: Redacted.Redacted<string>, redirectUri: string) => Effect.Effect<URL, OpenIdUnreachable>
    /** Who came back. `callback` is the address with which they did: `redirectUri` and what the provider added. */
    readonly finish: (
      browser: Redacted.Redacted<string>,
      callback: URL
    ) => Effect.Effect<OpenIdPerson, OpenIdRefused | OpenIdUnreachable>
  }
>() {}
