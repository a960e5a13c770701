// The run that benchmarks pay for, and the settings of a gateway that limits none of them and does nothing else.
import type { Call } from "./Load.js"

export const unlimited = {
  GATEWAY_RATE_BURST: "1000000000",
  GATEWAY_RATE_PER_SECOND: "1000000",
  GATEWAY_INFLIGHT_LIMIT: "100000",
  // A check of the whole ledger takes up to seconds of a core, in the middle of what is measured.
  GATEWAY_LEDGER_CHECK_SECONDS: "0"
}

export const paidInput = { first_name: "Ada", last_name: "Example", domain: "example.com" }

export const paidRunBody = JSON.stringify({ endpointId: "mock-email-find", input: paidInput })

export const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })

let keys = 0
/** A new run at each call, paid with the tokens in turn. Its answer is `settled`. */
export const paidRunsWith = (tokens: ReadonlyArray<string>) => (): Call => {
  keys += 1
  return {
    path: "/v1/runs?wait=true",
    headers: { ...bearer(tokens[keys % tokens.length]), "idempotency-key": `bench-${process.pid}-${keys}` },
    body: paidRunBody
  }
}
export const settled = (status: number, text: string): boolean =>
  status === 201 && text.includes('"status":"completed"')
