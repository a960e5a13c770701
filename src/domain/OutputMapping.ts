/**
 * Makes the contract's `normalized` from the values that an output map read out of an answer. Each job has fixed field
 * names, and words of the provider are translated into the job's vocabulary. Values that are missing, ambiguous or
 * unknown are reported as such. Pure; the layers read the values out of the answer.
 */
import { isObject, type Json, type JsonObject } from "./Json.js"
import { writeJson } from "./LosslessJson.js"
import type { OutputMap } from "./Manifest.js"
import { member, setMember } from "./Members.js"
import type { Normalized } from "./ProviderCall.js"

/** The e-mail status vocabulary of the contract. */
const emailStatuses: ReadonlySet<Json> = new Set(["valid", "invalid", "catch_all", "risky", "unknown"])

export interface MappedAnswer {
  readonly job: string
  readonly endpointId: string
  readonly map: OutputMap
  /** The results of the map's expressions. A result is null when its expression found nothing. */
  readonly values: { readonly [field: string]: Json }
  readonly outcome: "hit" | "weak" | "miss"
  readonly guessed: boolean
}

const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

const hasEmailStatus = (job: string, field: string): boolean => field === "status" && job.startsWith("people.email.")

const verdictOf = (answer: MappedAnswer, found: number): Pick<Normalized, "verdict" | "verdictReason"> => {
  if (answer.outcome === "miss") return { verdict: "empty", verdictReason: "The provider found nothing." }
  if (found === 0) return { verdict: "empty", verdictReason: "The answer holds none of the job's fields." }
  if (answer.guessed) return { verdict: "guessed", verdictReason: "The provider marks the answer as a guess." }
  if (answer.outcome === "weak")
    return { verdict: "guessed", verdictReason: "The provider answered without being sure." }
  return { verdict: "confirmed", verdictReason: "The provider confirms the answer." }
}

export const normalize = (answer: MappedAnswer): Normalized => {
  const fields: Record<string, Json> = {}
  const providerValues: Record<string, Json> = {}
  const missing: Array<string> = []
  const ambiguous: Array<string> = []
  const unmapped: Array<string> = []
  const single = new Set(answer.map.single)

  for (const field of Object.keys(answer.map.fields)) {
    let value = member(answer.values, field)
    if (single.has(field) && Array.isArray(value)) {
      if (new Set(value.map(writeJson)).size > 1) ambiguous.push(field)
      value = value[0]
    }
    if (value === undefined || isNothing(value)) {
      missing.push(field)
      continue
    }
    const translations: JsonObject | undefined = member(answer.map.values, field)
    const isStatus = hasEmailStatus(answer.job, field)
    if (translations !== undefined || isStatus) {
      const original = value
      const word = typeof value === "string" ? value : writeJson(value)
      const translated =
        translations === undefined
          ? undefined
          : (member(translations, word) ?? member(translations, word.toLowerCase()))
      if (translated !== undefined) value = translated
      const understood = isStatus
        ? emailStatuses.has(value)
        : translated !== undefined || Object.values(translations ?? {}).includes(value)
      if (!understood) {
        unmapped.push(field)
        if (isStatus) value = "unknown"
      }
      if (value !== original) setMember(providerValues, field, original)
    }
    setMember(fields, field, value)
  }

  return {
    job: answer.job,
    endpointId: answer.endpointId,
    fields,
    missing,
    ambiguous,
    unmapped,
    providerValues,
    ...verdictOf(answer, Object.keys(fields).length),
    mapVerified: answer.map.verified
  }
}
