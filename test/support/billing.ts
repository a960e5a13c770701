/** The amounts of top-ups that tests without a configuration of their own allow. */
import { Micros } from "../../src/domain/Micros.js"
import type { BillingPolicy } from "../../src/domain/TopUp.js"

export const billing: BillingPolicy = {
  enabled: true,
  minimumMicros: Micros.make(5_000_000),
  suggestedMicros: Micros.make(20_000_000),
  maximumMicros: Micros.make(1_000_000_000),
  dashboardUrl: () => "http://gateway.test/billing"
}
