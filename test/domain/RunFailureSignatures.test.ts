/**
 * What the parts of the gateway can fail with is exactly the contract's list of failed-run codes. The unions come from
 * the signatures, so that a code that nothing raises, or that the list lacks, does not compile.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, expectTypeOf, it } from "vitest"
import type { Effect } from "effect"
import type { AccessTokenFailure, CallFailure, CallRunFailure } from "../../src/domain/ProviderCall.js"
import {
  type RunFailure,
  type RunFailureCode,
  runFailures,
  type UnreachableFailure
} from "../../src/domain/RunFailures.js"
import type { capFailure } from "../../src/layers/runs/AdmissionBatched.js"
import type { AttemptFailure, CallStopped } from "../../src/layers/runs/dispatch/AttemptCall.js"
import type { RouteFailure } from "../../src/layers/runs/dispatch/RunWork.js"
import type { SharedCallFailed } from "../../src/layers/runs/dispatch/SingleFlight.js"
import type { StoppedFailure } from "../../src/layers/runs/dispatch/FirstStep.js"
import type { plan } from "../../src/layers/runs/planning/Planning.js"
import type { UnstartedFailure } from "../../src/layers/runs/UnstartedRun.js"
import type { JudgedFailure } from "../../src/layers/providers/Judgement.js"
import type { PreparationFailure } from "../../src/layers/providers/ProvidersHttp.js"
import type { WireRunFailure } from "../../src/layers/providers/WireOutcome.js"
import type { CredentialFailure, Credentials } from "../../src/services/Credentials.js"
import type { Providers } from "../../src/services/Providers.js"
import type { StorageError } from "../../src/domain/StorageErrors.js"

type ErrorOf<F extends (...args: never) => Effect.Effect<unknown, unknown, unknown>> = Effect.Effect.Error<
  ReturnType<F>
>
/** The run failure inside an error that carries one. */
type Carried<E> = E extends { readonly failure: infer F } ? F : never

/** A run that is refused before it is admitted. */
type Refused = Carried<ErrorOf<typeof plan>> | ReturnType<typeof capFailure>
/** An attempt that has no answer. */
type Attempted =
  Carried<CallFailure | CallStopped> | Exclude<AttemptFailure, CallFailure | CallStopped | SharedCallFailed>
/** A run that ends without an answer. */
type Ended = RouteFailure | StoppedFailure | UnstartedFailure

type Raised = Refused | Attempted | Ended

describe("run failures", () => {
  it("those that something raises are the contract's, but for the unreachable one", () => {
    expectTypeOf<Raised["code"]>().toEqualTypeOf<Exclude<RunFailureCode, UnreachableFailure["code"]>>()
    expectTypeOf<Raised>().toExtend<RunFailure>()
  })

  it("a call raises exactly what the engine finds before, during and after its exchange", () => {
    expectTypeOf<(PreparationFailure | AccessTokenFailure | WireRunFailure | JudgedFailure)["code"]>().toEqualTypeOf<
      CallRunFailure["code"]
    >()
    expectTypeOf<ErrorOf<Providers["Type"]["call"]>>().toEqualTypeOf<CallFailure>()
  })

  it("credentials fail with their own union, and with that of the storage", () => {
    expectTypeOf<ErrorOf<Credentials["Type"]["resolve"]>>().toEqualTypeOf<CredentialFailure | StorageError>()
  })

  it("each class is made somewhere in the source", () => {
    const src = fileURLToPath(new URL("../../src/", import.meta.url))
    const text = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(`${src}/${file}`, "utf8"))
      .join("\n")
    const made = (name: string) => text.includes(`new ${name}(`)
    const unmade = new Set(runFailures.filter(({ name }) => !made(name)).map(({ code }) => code))
    const allowed: { readonly [Code in UnreachableFailure["code"]]: true } = { insufficient_balance: true }
    assert.deepStrictEqual([...unmade], Object.keys(allowed))
  })
})
