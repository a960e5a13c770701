/** Which names and values of a command look like secrets, which must not stand in a manifest. */
import { isObject, type Json } from "../../../domain/Json.js"
import { isPlaceholder } from "./Placeholders.js"

/** The name of a header, parameter or field that holds a key. */
export const keyName =
  /(?:^|[-_.])(?:api[-_]?key|apikey|key|token|access[-_]?token|auth|authorization|credentials?|secret|passw(?:or)?d|passphrase|pwd|session(?:[-_]?id)?|sid|signature|sig|appid|app[-_]?id|application[-_]?id|client[-_]?id)$/i
/** Further names of what nobody else may read. They say nothing of how a provider takes its key. */
const privateName = /(?:^|[-_.])(?:pass|pw|pin|license(?:[-_]?key)?)$/i
export const namesSecret = (name: string): boolean => keyName.test(name) || privateName.test(name)

/** Words of documentation in place of a key, such as `xi-api-key` or `api_key`: they are no key. */
const nameOfKey =
  /^(?:(?:x|xi|my|your|the|user|app|api|access|auth|bearer|client|private|secret|subscription)[-_ ]?)*(?:key|token|secret|password|auth)$/i
export const isNameOfKey = (text: string): boolean => nameOfKey.test(text)

/** The start of a key that its issuer made recognizable, of a text that is one. Publishable keys are none. */
export const secretKey =
  /^(?:bearer\s+)?(sk_live_|sk_test_|rk_live_|sk-(?:ant-|proj-)?|gh[posu]_|github_pat_|xox[abp]-|shpat_|glpat-)(?=[-_]*\w*\d)[-_A-Za-z0-9]{16,}$/i

/** A scheme of `Authorization` before its key; an address with a password, or with a key in its query. */
const holdsKey =
  /^(?:bearer|basic|token|digest)\s+\S|:\/\/[^/?#\s]*@|[?&](?:[\w.-]*[-_.])?(?:api_?key|key|token|secret|password|sig|signature)=/i

const hostName = /^(?:[a-z0-9-]{1,30}\.)+[a-z]{2,}$/
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Letters of both cases in pieces too short for words: `aBcDeFgH…`, and not `getCustomerSettings`. */
const hasNoWords = (value: string): boolean =>
  /^(?=[A-Z]*[a-z])(?=[a-z]*[A-Z])[A-Za-z]{16,}$/.test(value) && value.split(/(?=[A-Z])/).length > value.length / 2.4

/** A word of a name, or a number with its unit: `llama`, `Qwen2`, `70b`, `8x7b`. */
const inName =
  /^(?:(?:[A-Z]?[a-z]{2,14}|[A-Z]{1,6}){1,3}\d{0,4}|[a-z]\d{0,4}|\d{1,8}[A-Za-z]{0,3}|\d{1,2}x\d{1,3}[A-Za-z]?)$/
const version = /[:@](?:sha256:)?(?:[0-9a-f]{6,64}|[a-z]+)$/
const mediaType = /^(?:application|audio|font|image|message|model|multipart|text|video)\//
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** `owner/name`, also with a version, as models and images are called: `stability-ai/sdxl:39ed52f2`. */
const namesModel = (value: string): boolean => {
  const steps = value.replace(version, "").split("/")
  return steps.length === 2 && steps.every((step) => step.split(/[-_.]/).every((word) => inName.test(word)))
}

/** Long texts of letters and digits without words: keys, tokens, signatures. */
export const looksSecret = (value: string): boolean =>
  holdsKey.test(value) ||
  hasNoWords(value) ||
  /^(?:sk|pk|rk|gh[pousr]|xox[abps]|shpat|glpat|AIza|eyJ)[-_A-Za-z0-9]/.test(value) ||
  (/^[A-Za-z0-9+/_=.:~-]{20,}$/.test(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[a-z]+(?:[-_.][a-z0-9]{1,12})+$/.test(value) &&
    !hostName.test(value) &&
    !mediaType.test(value) &&
    !instant.test(value) &&
    !namesModel(value) &&
    !value.includes("://"))

/** A name and its value inside of a text: XML, JSON, GraphQL or the like. */
const namedInText =
  /<([\w:.-]{2,40})(?:\s[^<>]{0,200})?>([^<>]{3,200})<|["']?([\w.-]{2,40})["']?\s{0,3}[:=]\s{0,3}["']([^"']{3,200})/g

const textNamesSecret = (text: string): boolean =>
  Array.from(text.matchAll(namedInText)).some(([, element, content, name, value]) => {
    const said = (element ?? name ?? "").replace(/^.*:/, "").replace(/(?<=[a-z])(?=[A-Z])/g, "-")
    return namesSecret(said) && !isPlaceholder(content ?? value ?? "")
  })

/** Whether the value of a field whose name says nothing of a key holds one. */
export const holdsSecret = (value: Json): boolean =>
  typeof value === "string"
    ? (looksSecret(value) && !uuid.test(value)) || textNamesSecret(value)
    : Array.isArray(value)
      ? value.some(holdsSecret)
      : isObject(value) &&
        Object.entries(value).some(
          ([name, each]) => holdsSecret(each) || (namesSecret(name) && (typeof each === "string" || isObject(each)))
        )
