/** What a payment at Stripe says about its top-up. Stripe hands it back with every event about the payment. */
import { Schema } from "effect"
import { TopUpId, WorkspaceId } from "../../../domain/Ids.js"

/** Metadata are texts. */
export const Metadata = Schema.Struct({
  topUpId: TopUpId,
  workspaceId: WorkspaceId,
  automatic: Schema.Literal("true", "false")
})

export const metadataOf = (topUp: {
  readonly topUpId: TopUpId
  readonly workspaceId: WorkspaceId
  readonly automatic: boolean
}): typeof Metadata.Type => ({
  topUpId: topUp.topUpId,
  workspaceId: topUp.workspaceId,
  automatic: topUp.automatic ? "true" : "false"
})
