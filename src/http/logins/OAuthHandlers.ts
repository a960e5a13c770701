/**
 * Translates between OAuth clients and command-line logins. A form is refused with the body that the RFCs name, and not
 * with that of other routes; too many requests, a body that is too large and trouble of the storage are told as
 * everywhere.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Clock, Data, Effect, Either, type Layer, ParseResult, Redacted, Schema } from "effect"
import { ValidationError } from "../../domain/ApiErrors.js"
import { cutText } from "../../domain/Characters.js"
import type { DeviceRefusal } from "../../domain/DeviceGrant.js"
import { devicePollSeconds, loginMillis, oauthFormBytesMax } from "../../domain/limits/Access.js"
import { Accounts } from "../../services/Accounts.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { formFields } from "../Body.js"
import { fromIssues } from "../FieldProblems.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { fieldProblems, type UrlEncoded } from "../UrlEncoded.js"
import {
  type AccessToken,
  type DeviceAuthorization,
  DeviceAuthorizationInput,
  DeviceTokenInput,
  type OAuthRefusal
} from "./OAuthBodies.js"

class Refused extends Data.TaggedError("Refused")<{
  readonly error: OAuthRefusal["error"]
  readonly error_description: string
}> {}

const refused = (error: OAuthRefusal["error"], error_description: string) => new Refused({ error, error_description })

const uncached = { "cache-control": "no-store" }

const answer = (body: typeof AccessToken.Type | typeof DeviceAuthorization.Type) =>
  HttpServerResponse.unsafeJson(body, { headers: uncached })

const refusalAnswer = ({ error, error_description }: Refused) =>
  Effect.succeed(HttpServerResponse.unsafeJson({ error, error_description }, { status: 400, headers: uncached }))

/** The characters that a description may have (RFC 6749, section 5.2). */
const described = ({ details: [{ field, message }] }: ValidationError): string =>
  cutText(`${field} ${message}`.replaceAll(/[^\x20-\x7e]|["\\]/g, "?"), 300)

/** The one value of each field. A field without a value counts as left out (RFC 6749, section 3.1). */
const given = ({ fields }: UrlEncoded): { readonly [name: string]: string } =>
  Object.fromEntries([...fields].flatMap(([name, [value = ""]]) => (value === "" ? [] : [[name, value]])))

/** How a problem is called that is not simply an `invalid_request`. */
type Names = (field: string, isGiven: boolean) => OAuthRefusal["error"]

const formOf = <A, I>(schema: Schema.Schema<A, I>, nameOf: Names) => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all" })
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      const sent = yield* Effect.catchTag(formFields(request, oauthFormBytesMax), "validation_error", (error) =>
        Effect.fail(refused("invalid_request", described(error)))
      )
      const [first, ...more] = fieldProblems(sent)
      if (first !== undefined)
        return yield* refused("invalid_request", described(new ValidationError({ details: [first, ...more] })))
      const values = given(sent)
      return yield* Either.mapLeft(decode(values), (problem) => {
        const error = fromIssues(ParseResult.ArrayFormatter.formatErrorSync(problem), "form")
        const [{ field }] = error.details
        return refused(nameOf(field, Object.hasOwn(values, field)), described(error))
      })
    })
}

const readAuthorization = formOf(DeviceAuthorizationInput, (field) =>
  field === "scope" ? "invalid_scope" : "invalid_request"
)
const readToken = formOf(DeviceTokenInput, (field, isGiven) =>
  field === "grant_type" && isGiven ? "unsupported_grant_type" : "invalid_request"
)

const meanings: { readonly [Refusal in DeviceRefusal]: string } = {
  authorization_pending: "The person has not decided yet; ask again",
  slow_down: `Asked too soon; wait ${devicePollSeconds} seconds longer between two requests from now on`,
  access_denied: "The login was denied, or its token has ended meanwhile",
  expired_token: "Nobody approved this login in time; begin again",
  invalid_grant: "The device code is unknown, of another client, or its token was handed out already; begin again"
}

/** What a login is called whose client says nothing of itself. */
const label = (clientId: string | undefined): string => clientId ?? "a device"

export const OAuthHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "oauth">,
  never,
  Accounts | HttpSettings | LoginApprovals | Open | Served
> = HttpApiBuilder.group(Api, "oauth", (handlers) =>
  served(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const logins = yield* LoginApprovals
      const { publicUrl } = yield* HttpSettings
      const verificationUri = `${publicUrl}/console/device`

      const begin = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { client_id, scope } = yield* readAuthorization(request)
        const { deviceCode, login } = yield* Effect.catchTag(
          logins.createForDevice({ label: label(client_id), scopes: scope }),
          "validation_error",
          (error) => Effect.fail(refused("invalid_request", described(error)))
        )
        return answer({
          device_code: Redacted.value(deviceCode),
          user_code: login.userCode,
          verification_uri: verificationUri,
          verification_uri_complete: `${verificationUri}?user_code=${login.userCode}`,
          expires_in: loginMillis / 1000,
          interval: devicePollSeconds
        })
      })

      const ended = () => Effect.fail(refused("access_denied", meanings.access_denied))
      const redeem = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { client_id, device_code } = yield* readToken(request)
        const { expiresAt, scopes, token } = yield* Effect.catchTag(
          logins.redeem(Redacted.make(device_code), label(client_id)),
          "DeviceRefused",
          ({ refusal }) => Effect.fail(refused(refusal, meanings[refusal]))
        )
        // It may have been revoked since the approval, and so may the one that approved it.
        yield* Effect.catchTags(accounts.authenticate(token), { token_revoked: ended, unauthorized: ended })
        const now = yield* Clock.currentTimeMillis
        return answer({
          access_token: Redacted.value(token),
          token_type: "Bearer",
          scope: scopes.join(" "),
          ...(expiresAt === null ? {} : { expires_in: Math.max(0, Math.floor((expiresAt - now) / 1000)) })
        })
      })

      return handlers
        .handleRaw("deviceAuthorization", ({ request }) => Effect.catchTag(begin(request), "Refused", refusalAnswer))
        .handleRaw("token", ({ request }) => Effect.catchTag(redeem(request), "Refused", refusalAnswer))
    }),
    Context.pick()
  )
)
