// The run that benchmarks pay for, and the settings of a gateway that limits none of them.

export const unlimited = {
  GATEWAY_RATE_BURST: "1000000000",
  GATEWAY_RATE_PER_SECOND: "1000000",
  GATEWAY_INFLIGHT_LIMIT: "100000"
}

export const paidInput = { first_name: "Ada", last_name: "Example", domain: "example.com" }

export const paidRunBody = JSON.stringify({ endpointId: "mock-email-find", input: paidInput })
