/**
 * Which values of a question a job can be about: those that its input takes. A question that gives a domain does not
 * ask for a job that takes an IP address, and one that gives an e-mail address does not ask for a job that finds one.
 * Pure.
 */
import type { JobManifest } from "./Manifest.js"
import { isValueOf, type QuestionValues } from "./QuestionValues.js"

/** What a value is to a job. A job reads the domain out of an address, and makes an address of a domain. */
export type ValueKind = "email" | "web" | "ip" | "phone" | "handle" | "point" | "street" | "person"

/** Days and currencies are words of many questions, and tell no job from another. */
const kinds: { readonly [kind in keyof QuestionValues]: ValueKind } = {
  email: "email",
  url: "web",
  domain: "web",
  linkedin_url: "web",
  ip: "ip",
  phone: "phone",
  handle: "handle",
  latitude: "point",
  longitude: "point"
}
export const valueKindOf = (kind: keyof QuestionValues): ValueKind | undefined => kinds[kind]

const ofNames: ReadonlyMap<string, ValueKind> = new Map([
  ["email", "email"],
  ["domain", "web"],
  ["url", "web"],
  ["website", "web"],
  ["linkedin_url", "web"],
  ["ip", "ip"],
  ["phone", "phone"],
  ["handle", "handle"],
  ["username", "handle"],
  ["latitude", "point"],
  ["address", "street"],
  ["name", "person"],
  ["first_name", "person"]
])
/** Fields of words: what stands in them may name anything. */
const wordFields: ReadonlySet<string> = new Set(["query", "text", "prompt", "keywords", "documents"])
const looks = ["email", "ip", "phone", "url", "domain"] as const

export interface JobValues {
  readonly takes: ReadonlySet<ValueKind>
  /** It is asked with words, and these may have any value in them. */
  readonly takesWords: boolean
  /** What it finds, and is not given. */
  readonly finds: ReadonlySet<ValueKind>
}

const kindsOfExample = (value: unknown): ReadonlyArray<ValueKind> =>
  Array.isArray(value)
    ? value.flatMap(kindsOfExample)
    : typeof value === "string"
      ? looks.filter((look) => isValueOf(look, value)).flatMap((look) => valueKindOf(look) ?? [])
      : []

/** By the names of the fields that the job needs, and by its example: `to` takes what is in it there. */
export const jobValues = ({ exampleInput, fields, needs }: JobManifest): JobValues => {
  const needed = needs.length > 0 ? needs.flat() : Object.keys(exampleInput)
  const takes = new Set([
    ...needed.flatMap((name) => ofNames.get(name) ?? []),
    ...Object.values(exampleInput).flatMap(kindsOfExample)
  ])
  const finds = Object.keys(fields).flatMap((name) => ofNames.get(name) ?? [])
  return {
    takes,
    takesWords: needed.some((name) => wordFields.has(name)),
    finds: new Set(finds.filter((kind) => !takes.has(kind)))
  }
}

/**
 * How well a job fits the values of a question: it takes all or some of them, it may take them in words, or it has no
 * use for them.
 */
export const valueFit = (job: JobValues, given: ReadonlySet<ValueKind>): "takes" | "some" | "words" | "refuses" => {
  let taken = 0
  for (const kind of given) if (job.takes.has(kind)) taken += 1
  if (taken > 0) return taken === given.size ? "takes" : "some"
  for (const kind of given) if (job.finds.has(kind)) return "refuses"
  return job.takesWords ? "words" : "refuses"
}
