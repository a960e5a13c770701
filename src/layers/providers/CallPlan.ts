/**
 * Everything that a call of one endpoint needs: the places of its fields and the rules for its answers. It is compiled
 * once for each contract version.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { ContractInvalid } from "../../domain/RunFailures.js"
import { type CompiledRules, compileRules } from "./CompiledRules.js"
import { inputSchemaFor } from "./InputSchema.js"
import { memoByVersion } from "./MemoByVersion.js"
import { planRequest, type RequestPlan } from "./RequestPlan.js"

export interface CallPlan {
  readonly request: RequestPlan
  readonly rules: CompiledRules
}

const compileCall = (endpoint: Endpoint): Either.Either<CallPlan, ContractInvalid> =>
  Either.all({
    request: planRequest(endpoint),
    rules: compileRules(endpoint.operation),
    input: Either.mapLeft(inputSchemaFor(endpoint), (message) => [{ path: "input", message }])
  }).pipe(
    Either.mapLeft((problems) => {
      const list = problems.map(({ message, path }) => `${path} ${message}`).join("; ")
      return new ContractInvalid({ detail: `The stored contract cannot be executed: ${cutText(list, 300)}` })
    })
  )

export const callPlanFor: (endpoint: Endpoint) => Either.Either<CallPlan, ContractInvalid> = memoByVersion(compileCall)
