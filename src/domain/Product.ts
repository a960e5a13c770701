/** What this software is called, what agents are told of it, and its version, which `package.json` has too. */
export const productName = "Provider Operations Gateway"
export const productVersion = "0.1.0"
/** How it names itself to the servers that it calls. */
export const userAgent = `provider-gateway/${productVersion}`

/** What an agent's model is told of the tools as a whole, over HTTP and over stdio. */
export const agentInstructions =
  "A gateway to operations of many providers, paid from one prepaid balance. Find an operation with search_operations, run it with run_operation. Prefer endpoint ids that begin with job:. Every run costs at most what quote_run says. Send the same idempotencyKey again when an answer was lost."
