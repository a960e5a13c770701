/** Money on pages of workspaces and operators alike: the two balances, and the field for dollars. */
import type { Balance } from "../../domain/Ledger.js"
import { money } from "./Figures.js"
import { textField } from "./Forms.js"
import { type Html, to } from "./Html.js"
import type { Tile } from "./Parts.js"

/** Each leads to what it is made of. */
export const balanceTiles = (
  workspaceId: string,
  { availableMicros, reservedMicros }: Balance
): ReadonlyArray<Tile> => [
  { label: "Available", value: money(availableMicros), link: to([workspaceId, "ledger"]) },
  { label: "Held for runs", value: money(reservedMicros), link: to([workspaceId, "ledger"], { kind: "hold" }) }
]

/** For `usdParam` and `signedUsdParam`. The label names the currency. */
export const usdField = (field: Omit<Parameters<typeof textField>[0], "mode">): Html =>
  textField({ ...field, mode: "decimal" })
