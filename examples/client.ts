/**
 * Finds a work e-mail address and tells every ending apart. In a project of your own the import is
 * `from "provider-gateway/client"`; docs/client.md shows more of what the client does.
 *
 * Usage: npm start in one terminal, then in another
 * GATEWAY_TOKEN=$(cat .data/dev-token) npx vite-node --script examples/client.ts
 */
import { pathToFileURL } from "node:url"
import { createClient, type GatewayClient, isGatewayFailure } from "../src/client/index.js"

export const findEmail = async (gateway: GatewayClient, name: string, domain: string): Promise<string> => {
  try {
    const run = await gateway.run({ endpointId: "job:people.email.find", input: { name, domain }, fallback: true })
    const cost = `${(run.pricing.finalChargeMicros ?? 0) / 1e6} dollars`
    if (run.outcome === "miss") return `Nobody knows the address of ${name}; it cost ${cost}`
    return `${run.normalized?.fields["email"]} (${run.outcome}); it cost ${cost}`
  } catch (failure) {
    if (!isGatewayFailure(failure)) throw failure
    if (failure.kind === "refused" && failure.code === "insufficient_balance")
      return `The balance is too low by ${failure.answer.estimatedCostMicros - failure.answer.balanceMicros} micros`
    if (failure.kind === "run_failed") return `${failure.code}, which is the fault of the ${failure.whoseError}`
    return `${failure.message}. ${failure.retryHint}`
  }
}

if (import.meta.url === pathToFileURL(String(process.argv[1])).href) {
  const { GATEWAY_TOKEN: token, GATEWAY_URL: baseUrl = "http://127.0.0.1:8080" } = process.env
  console.log(await findEmail(createClient({ baseUrl, token }), "Ada Example", "example.com"))
}
