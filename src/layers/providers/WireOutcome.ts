/**
 * What an exchange without a readable answer means in the words of the contract: the failed-run code, and whether the
 * call failed for certain or was lost. Pure.
 */
import { type CallFailure, CallLost, type CostEvidence, notSent, ProviderFailure } from "../../domain/ProviderCall.js"
import {
  askOperator,
  ContractInvalid,
  FetchFailed,
  InvalidResponse,
  otherProvider,
  ProviderTimeout,
  RedirectBlocked,
  ResponseTooLarge,
  RouteDenied
} from "../../domain/RunFailures.js"
import { costTold } from "./AnswerEvidence.js"
import { mayBeOpened } from "./Egress.js"
import { type Case, isSuccessStatus, judgeStatus } from "./StatedFailures.js"
import type { WireFailure } from "./Transport.js"

const saysFailure = (seen: Case, status: number): boolean => !isSuccessStatus(seen.endpoint.operation, status)

export const failureOf = (seen: Case, wire: WireFailure) => {
  const { status } = wire
  const facts = status === null ? {} : { providerStatus: status }
  switch (wire.reason) {
    case "refused":
      return new RouteDenied({
        detail: `The egress policy refuses the provider's address (${wire.word}).`,
        ...(mayBeOpened(wire.word) ? {} : { hint: askOperator })
      })
    case "unwritable":
      return new ContractInvalid({ detail: "The stored contract makes a request that cannot be written." })
    case "unreachable":
      return new FetchFailed({ detail: `The provider could not be reached (${wire.word}).` })
    case "lost":
      return new FetchFailed({ detail: `The connection to the provider broke before an answer began (${wire.word}).` })
    case "timeout":
      return new ProviderTimeout(facts)
    case "headers":
      return new InvalidResponse({
        detail: "The head of the provider's answer is larger than the gateway accepts.",
        ...facts
      })
    case "broken":
    case "too_large":
      // An error or a redirect is decided by its status, even when its body was lost.
      if (status !== null && saysFailure(seen, status))
        return status >= 400 ? judgeStatus(seen, status, wire.headers) : new RedirectBlocked(facts)
      return wire.reason === "broken"
        ? new InvalidResponse({
            detail: `The provider's answer broke off or cannot be decoded (${wire.word}).`,
            ...facts
          })
        : new ResponseTooLarge(facts)
  }
}

/** The failures of an exchange without a readable answer. */
export type WireRunFailure = ReturnType<typeof failureOf>

/** The head of an answer may tell its cost although the body is too large, or broke off. */
const toldByHead = ({ input, rules }: Case, { headers, status }: WireFailure): CostEvidence =>
  status === null ? { _tag: "None" } : costTold(rules.costMicros, { status, headers, body: null, input })

/** A call that ended without an answer to judge. */
export const stoppedBy = (seen: Case, wire: WireFailure): CallFailure => {
  const failure = failureOf(seen, wire)
  if (!wire.sent) return notSent(failure)
  const details = { failure, cost: toldByHead(seen, wire), evidence: seen.evidence }
  return wire.status !== null && saysFailure(seen, wire.status)
    ? new ProviderFailure({ ...details, sent: true })
    : new CallLost(details)
}

/** The same of an address that only an answer of the provider named. */
export const stoppedElsewhere = (seen: Case, wire: WireFailure): CallFailure =>
  wire.reason === "refused"
    ? notSent(
        new RouteDenied({
          detail: `The provider named an address that the egress policy refuses (${wire.word}).`,
          hint: otherProvider,
          blames: "provider"
        })
      )
    : stoppedBy(seen, wire)

/** The same of an address whose host the values of a customer's connection make. */
export const stoppedWhereChosen = (seen: Case, wire: WireFailure): CallFailure =>
  wire.reason === "refused"
    ? notSent(
        new RouteDenied({
          detail: `The egress policy refuses the address that the variables of this connection make (${wire.word}).`,
          hint: "Make a connection whose variables name a public address of the provider.",
          blames: "customer"
        })
      )
    : stoppedBy(seen, wire)
