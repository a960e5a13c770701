/**
 * What the `Accept` header of a request asks for (RFC 9110, section 12.5.1). Parameters of a media type other than its
 * weight are not looked at.
 */

/** Errors by RFC 9457. */
export const problemType = "application/problem+json"

/** The weight that the header gives to this range by its own name; null when it does not name it. */
const weightOf = (accept: string, range: string): number | null => {
  const named = accept
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim().toLowerCase()))
    .find(([name]) => name === range)
  if (named === undefined) return null
  const weight = named.find((part) => part.startsWith("q="))
  return weight === undefined ? 1 : Number(weight.slice(2))
}

/** The weight of a type: that of the narrowest range which it is in. */
const weightWithin = (accept: string, type: string): number =>
  weightOf(accept, type) ?? weightOf(accept, type.replace(/\/.*/, "/*")) ?? weightOf(accept, "*/*") ?? 0

/** A client asks for RFC 9457 when it names that type in `Accept` and does not prefer plain JSON to it. */
export const wantsProblem = (accept: string | undefined): boolean => {
  if (accept === undefined || !accept.toLowerCase().includes(problemType)) return false
  const weight = weightOf(accept, problemType) ?? 0
  return weight > 0 && weight >= (weightOf(accept, "application/json") ?? 0)
}

/** A browser prefers a page to JSON. Who takes both alike, or says nothing, is a program. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept !== undefined && weightWithin(accept, "text/html") > weightWithin(accept, "application/json")
