/** What counts for a workspace that has no setting of its own. */
import { Context } from "effect"

export class WalletDefaults extends Context.Tag("gateway/layers/WalletDefaults")<
  WalletDefaults,
  {
    readonly inflightLimit: number
  }
>() {}
