/**
 * Where the error answers of an operation say in words what was wrong, as an OpenAPI document describes them. Runs
 * quote these words, so that a customer learns what the provider did not like.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import { sentenceNames, wrapperNames } from "../../providers/ErrorSentences.js"
import { isJsonType } from "./OpenApiBodies.js"
import { entriesOf, listOf } from "./OpenApiParts.js"
import { resolved } from "./OpenApiSchemas.js"

const levelsMax = 3

/** The members of an object schema, with those of the schemas that it is combined of. */
const membersOf = (document: JsonObject, raw: Json | undefined, levels = levelsMax): ReadonlyMap<string, Json> => {
  const schema = levels === 0 ? null : resolved(document, raw)
  if (schema === null) return new Map()
  const combined = ["allOf", "oneOf", "anyOf"].flatMap((name) => listOf(member(schema, name)))
  return new Map([
    ...combined.flatMap((each) => [...membersOf(document, each, levels - 1)]),
    ...entriesOf(schema["properties"])
  ])
}

const isText = (document: JsonObject, raw: Json | undefined): boolean => {
  const type = resolved(document, raw)?.["type"]
  return type === "string" || (Array.isArray(type) && type.includes("string"))
}

const sentencesIn = (document: JsonObject, members: ReadonlyMap<string, Json>, at: string): ReadonlyArray<string> =>
  sentenceNames.flatMap((name) => (isText(document, members.get(name)) ? [`${at}.${name}`] : []))

/** The places of sentences in one schema of an error. */
const placesIn = (document: JsonObject, raw: Json | undefined): ReadonlyArray<string> => {
  const members = membersOf(document, raw)
  const inner = wrapperNames.flatMap((name) => {
    const member = members.get(name)
    if (isText(document, member)) return [`body.${name}`]
    const items = resolved(document, member)?.["items"]
    return items === undefined
      ? sentencesIn(document, membersOf(document, member), `body.${name}`)
      : isText(document, items)
        ? [`body.${name}[0]`]
        : sentencesIn(document, membersOf(document, items), `body.${name}[0]`)
  })
  return [...sentencesIn(document, members, "body"), ...inner]
}

/** A rule with this condition changes nothing about an answer that succeeds. */
export const onErrorStatus = "status >= `400`"

/** An expression for the sentence in an error answer; null where the document describes none. */
export const errorSentence = (document: JsonObject, responses: Json | undefined): string | null => {
  const places = entriesOf(responses).flatMap(([status, response]) => {
    if (!/^[45]|^default$/.test(status)) return []
    const content = entriesOf(resolved(document, response)?.["content"])
    const media = content.find(([type]) => isJsonType(type))?.[1]
    return isObject(media) ? placesIn(document, media["schema"]) : []
  })
  return places.length === 0 ? null : [...new Set(places)].join(" || ")
}
