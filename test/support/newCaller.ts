/** Another workspace on a test gateway, for tests that share one: with money, and a token of its own. */
import { Effect, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { microsPerUsd } from "../../src/domain/Micros.js"
import { scopes as allScopes } from "../../src/domain/Scope.js"
import { Accounts, Address, hit, type TestGateway, type TestGatewayOptions, Wallet } from "../../src/testing.js"

export type CallerOptions = Pick<TestGatewayOptions, "inflightLimit" | "scopes" | "usd">

/** The options mean what they mean for the caller of a test gateway. */
export const newCaller = ({ scopes = allScopes, usd = 100, inflightLimit }: CallerOptions = {}) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { workspaceId } = yield* accounts.createWorkspace(`test ${Math.random()}`, commandLine)
    if (inflightLimit !== undefined) yield* accounts.setLimits(workspaceId, { inflightLimit }, commandLine)
    if (usd > 0)
      yield* (yield* Wallet).credit(
        {
          workspaceId,
          kind: "adjustment",
          micros: Math.round(usd * microsPerUsd),
          reason: "test",
          topUpId: null,
          key: "test"
        },
        commandLine
      )
    const { token } = yield* accounts.createToken(
      { workspaceId, label: "test", scopes, monthlyLimitMicros: null, expiresAt: null },
      commandLine
    )
    return { workspaceId, token: Redacted.value(token), url: (yield* Address).url }
  }).pipe(Effect.orDie)

/** Scripts endpoints of a gateway, and says how they answer their documented hits again. */
export const scripted = ({ script }: Pick<TestGateway, "script">, providers: TestGatewayOptions["providers"] = {}) => {
  for (const [endpointId, steps] of Object.entries(providers)) script(endpointId, ...[steps].flat())
  return () => {
    for (const endpointId of Object.keys(providers)) script(endpointId, hit())
  }
}
