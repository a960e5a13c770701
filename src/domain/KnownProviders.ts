/**
 * The message to a client or an operator who names a provider, a category or an endpoint that the catalog does not
 * have.
 */
import { didYouMean, similar } from "./Similar.js"

/** The text follows the name of the field. `known` holds the ids of this kind in the catalog. */
export const unknownId = (
  kind: "provider" | "category" | "endpoint" | "platform" | "job",
  id: string,
  known: Iterable<string>
): string => `is no ${kind} of the catalog${didYouMean(similar(id, known))}`

export const unknownProvider = (providerId: string, known: Iterable<string>): string =>
  unknownId("provider", providerId, known)
