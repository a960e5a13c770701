/** Saved cards as Stripe knows them, and why a charge of one failed. */
import type { ChargeStop } from "../../../domain/PaymentReport.js"

/** A saved card as one name: the customer's and the payment method's. */
export const methodName = (customer: string, paymentMethod: string): string => `${customer}/${paymentMethod}`

export const methodParts = (name: string): { readonly customer: string; readonly paymentMethod: string } => {
  const [customer = "", paymentMethod = ""] = name.split("/")
  return { customer, paymentMethod }
}

/** Why a charge without its owner failed, by Stripe's code of the error. */
export const stopOf = (code: string | null | undefined): ChargeStop =>
  code === "authentication_required" ? "authentication_required" : code == null ? "charge_failed" : "card_declined"
