/**
 * The routes of the device authorization grant (RFC 8628; extensions: section 2) over command-line logins. The page on
 * which a person types the code is `console/sign-in/Device.ts`.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { devicePollSeconds, deviceTokenAgainMillis } from "../../domain/limits/Access.js"
import { Access, AnswerHeaders } from "../Access.js"
import { Open } from "../Auth.js"
import { Wire, WireStorage } from "../Envelope.js"
import {
  AccessToken,
  DeviceAuthorization,
  DeviceAuthorizationForm,
  DeviceAuthorizationRefusal,
  DeviceTokenForm,
  DeviceTokenRefusal
} from "./OAuthBodies.js"

const uncached = { "200": ["Cache-Control"] }

export class OAuthApi extends HttpApiGroup.make("oauth")
  .add(
    HttpApiEndpoint.post("deviceAuthorization", "/oauth/device_authorization")
      .setPayload(DeviceAuthorizationForm)
      .addSuccess(DeviceAuthorization)
      .addError(DeviceAuthorizationRefusal)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(AnswerHeaders, uncached)
      .annotate(OpenApi.Summary, "Begin the login of a device")
      .annotate(
        OpenApi.Description,
        "The device authorization grant of RFC 8628. The device shows user_code and verification_uri; a person who is signed in types the code there and approves. Fields that the route does not know are ignored, as the RFC says."
      )
  )
  .add(
    HttpApiEndpoint.post("token", "/oauth/token")
      .setPayload(DeviceTokenForm)
      .addSuccess(AccessToken)
      .addError(DeviceTokenRefusal)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(WireStorage)
      .annotate(Access, "public")
      .annotate(AnswerHeaders, uncached)
      .annotate(OpenApi.Summary, "Ask for the token of a device")
      .annotate(
        OpenApi.Description,
        `Ask every interval seconds until a person has decided: authorization_pending says to go on, slow_down to wait ${devicePollSeconds} seconds longer from now on. The token is handed out once; the same request gives it again for ${deviceTokenAgainMillis / 1_000} seconds, in case the answer was lost, and is invalid_grant after that.`
      )
  )
  .annotate(OpenApi.Description, "How a device or an OAuth client gets a token that a person approves (RFC 8628)")
  .middleware(Open) {}
