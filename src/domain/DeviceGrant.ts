/**
 * What a device is answered that asks for its token (RFC 8628, section 3.5), and how often it may ask. Knows no device
 * code and no token.
 */
import { Data } from "effect"
import { devicePollEarlyMillis, devicePollSeconds, deviceTokenAgainMillis } from "./limits/Access.js"
import { loginStatus, type LoginStatus } from "./LoginApproval.js"

/** In the words of the RFC. */
export const deviceRefusals = [
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "invalid_grant"
] as const
export type DeviceRefusal = (typeof deviceRefusals)[number]

export class DeviceRefused extends Data.TaggedError("DeviceRefused")<{ readonly refusal: DeviceRefusal }> {}

export interface DevicePolling {
  /** How long the device has to wait between two requests. */
  readonly intervalSeconds: number
  readonly polledAt: number | null
  /** When the token was handed out first. */
  readonly handedOutAt: number | null
}

export const newPolling: DevicePolling = { intervalSeconds: devicePollSeconds, polledAt: null, handedOutAt: null }

interface Login {
  readonly status: LoginStatus
  readonly expiresAt: number
}

/** Null: the token. */
const refusalOf = (login: Login, polling: DevicePolling, now: number): DeviceRefusal | null => {
  const { handedOutAt, intervalSeconds, polledAt } = polling
  if (handedOutAt !== null) return now - handedOutAt < deviceTokenAgainMillis ? null : "invalid_grant"
  switch (loginStatus(login, now)) {
    case "denied":
      return "access_denied"
    case "expired":
      return "expired_token"
    // A person may approve at the last moment, and the device asks after it.
    case "approved":
      return now - login.expiresAt < deviceTokenAgainMillis ? null : "expired_token"
    case "pending":
      return polledAt !== null && now - polledAt < intervalSeconds * 1000 - devicePollEarlyMillis
        ? "slow_down"
        : "authorization_pending"
  }
}

/** What the device is answered now, and what is kept of its asking. */
export const devicePolled = (
  login: Login,
  polling: DevicePolling,
  now: number
): { readonly refusal: DeviceRefusal | null; readonly polling: DevicePolling } => {
  const refusal = refusalOf(login, polling, now)
  return {
    refusal,
    polling: {
      intervalSeconds: polling.intervalSeconds + (refusal === "slow_down" ? devicePollSeconds : 0),
      polledAt: now,
      handedOutAt: polling.handedOutAt ?? (refusal === null ? now : null)
    }
  }
}
