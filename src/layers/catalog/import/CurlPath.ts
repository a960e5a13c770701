/**
 * The path of a curl command: its parts that stand for one thing become fields, a key in it becomes `auth: path`, and
 * parts that may be values but are sent as they stand are named.
 */
import type { Collected } from "./CurlFields.js"
import { decoded } from "./CurlRequest.js"
import { nameOf, namesKey, partsOf } from "./Placeholders.js"
import { looksSecret, uuid } from "./SecretLooks.js"

const isNumber = /^\d+$/
/** A shorter number may be a version, as in `/rest/api/3`; behind the name of a collection it is an id. */
const isLongNumber = /^\d{3,}$/
/** `cus_9s6XKzkNRiz8i3` and the like. */
const isIdentifier = /^[a-z]{2,8}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{8,}$/
/** Words in capitals that stand for a value, as in `/repos/OWNER/REPO`. */
const capitals = /^(?!(?:API|REST|RPC|JSON|XML|SOAP|CRM|SMS|V\d+)$)[A-Z]{2,}$/
const inColon = /^:([A-Za-z]\w*)$/
/** A key of a Telegram bot behind its prefix. */
const botKey = /^(bot)(\d+:[\w-]{20,})$/
const collection = /^[a-z][a-z_-]*s$/i

const singular = (word: string): string =>
  word.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_").toLowerCase()

/** Takes the fields and the key of a path, and answers with the path of the manifest. */
export const takePath = (found: Collected, path: string): string => {
  const names = new Set<string>()
  const literal: Array<string> = []
  const nameFor = (wanted: string): string => {
    let name = wanted
    for (let n = 2; names.has(name); n += 1) name = `${wanted}${n}`
    names.add(name)
    return name
  }
  const key = (secret: string, wanted: string): string => {
    const name = nameFor(wanted)
    found.key({ type: "path", name }, `path ${name}`, secret)
    return `{${name}}`
  }
  const field = (wanted: string, value: string): string => {
    const name = nameFor(wanted)
    found.field("path", name, value)
    return `{${name}}`
  }
  const raws = path.split("/")
  const written = raws.map((raw, at) => {
    const text = decoded(raw)
    const before = raws[at - 1] ?? ""
    const isOne = collection.test(before)
    const ofWhat = isOne ? `${singular(before)}_id` : "id"
    const parts = partsOf(text)
    if (parts.some((part) => part.isPlaceholder))
      return parts
        .map((part) => {
          if (!part.isPlaceholder) return encodeURIComponent(part.text).replaceAll("%3A", ":")
          return namesKey(part.text) && !found.hasKey ? key(part.text, nameOf(part.text)) : field(nameOf(part.text), "")
        })
        .join("")
    const [, prefix, bot] = botKey.exec(text) ?? []
    if (prefix !== undefined && bot !== undefined && !found.hasKey) return `${prefix}${key(bot, "token")}`
    const colon = inColon.exec(text)?.[1]
    if (colon !== undefined) return namesKey(colon) && !found.hasKey ? key("", colon) : field(colon, "")
    if (uuid.test(text) || (isOne ? isNumber : isLongNumber).test(text) || isIdentifier.test(text))
      return field(ofWhat, text)
    if (looksSecret(text)) return found.hasKey ? field(ofWhat, text) : key(text, "token")
    if (capitals.test(text)) return field(text.toLowerCase(), text)
    // The end of a path is no exception: a POST would go to this one thing for ever.
    if ((isOne && text !== "") || isNumber.test(text)) literal.push(text)
    else if (/[@.]/.test(text) && !/\.(?:json|xml|csv|php|aspx?|html?)$/i.test(text) && !/^v\d/i.test(text))
      literal.push(text)
    return raw
  })
  for (const text of literal)
    found.leftOut.push(`${text} stands in the path of every call; where it is a value, write {name} in its place`)
  return written.join("/")
}
