/**
 * Finds a work e-mail address and tells every ending apart; docs/client.md shows more of what the client does.
 *
 * Usage: npm start in one terminal, then in another
 * GATEWAY_TOKEN=$(cat .data/dev-token) node examples/client.ts
 * Node reads TypeScript from 22.18 on; with an older one say `npx tsx` instead of `node`. In a project of your own,
 * copy this file: below node_modules Node reads no TypeScript.
 */
import { pathToFileURL } from "node:url"
import { createClient, type GatewayClient, isGatewayFailure } from "provider-gateway/client"

export interface Ending {
  readonly text: string
  /** No run took place, or it failed. That nobody knows the address is an answer too. */
  readonly failed: boolean
}

export const findEmail = async (gateway: GatewayClient, name: string, domain: string): Promise<Ending> => {
  try {
    const run = await gateway.run({ endpointId: "job:people.email.find", input: { name, domain }, fallback: true })
    const cost = `${(run.pricing.finalChargeMicros ?? 0) / 1e6} dollars`
    const text =
      run.outcome === "miss"
        ? `Nobody knows the address of ${name}; it cost ${cost}`
        : `${run.normalized?.fields["email"]} (${run.outcome}); it cost ${cost}`
    return { text, failed: false }
  } catch (failure) {
    if (!isGatewayFailure(failure)) throw failure
    const failed = (text: string): Ending => ({ text, failed: true })
    if (failure.kind === "refused" && failure.code === "insufficient_balance")
      return failed(
        `The balance is too low by ${failure.answer.estimatedCostMicros - failure.answer.balanceMicros} micros`
      )
    if (failure.kind === "run_failed") return failed(`${failure.code}, which is the fault of the ${failure.whoseError}`)
    return failed(`${failure.message}. ${failure.retryHint}`)
  }
}

if (import.meta.url === pathToFileURL(String(process.argv[1])).href) {
  const { GATEWAY_TOKEN: token, GATEWAY_URL: baseUrl = "http://127.0.0.1:8080" } = process.env
  const { failed, text } = await findEmail(createClient({ baseUrl, token }), "Ada Example", "example.com")
  console.log(text)
  if (failed) process.exitCode = 1
}
