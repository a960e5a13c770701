/** The limits of a workspace that has none of its own. */
import { Context } from "effect"

export class WalletDefaults extends Context.Tag("gateway/layers/WalletDefaults")<
  WalletDefaults,
  {
    readonly inflightLimit: number
  }
>() {}
