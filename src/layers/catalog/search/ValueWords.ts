/**
 * Recognises values in a query by their form and gives words for them: "who owns example.com" is about a domain,
 * although it does not say "domain". These words only help to recognise jobs: ranking by them would favour every
 * operation that takes a URL.
 */

const email = /[\w.+-]+@[\w-]+\.[\w.-]+/
const everyEmail = new RegExp(email, "g")
/** A text without its e-mail addresses, whose parts are no words: the `io` of bob@x.io names no subject. */
export const withoutEmails = (text: string): string => (text.includes("@") ? text.replace(everyEmail, " ") : text)

const kinds: ReadonlyArray<{ readonly look: RegExp; readonly words: ReadonlyArray<string> }> = [
  { look: email, words: ["email", "address"] },
  { look: /\bhttps?:\/\/\S+/i, words: ["url", "page", "website", "link"] },
  {
    look: /(^|[\s"'(])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|co|ai|edu|gov|info|biz|[a-z]{2})(?=$|[\s"',.?!)])/i,
    words: ["domain", "website"]
  },
  { look: /\b(?:\d{1,3}\.){3}\d{1,3}\b/, words: ["ip", "address"] },
  { look: /\+\d[\d ()-]{6,}\d/, words: ["phone", "number"] },
  { look: /-?\d{1,2}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,}/, words: ["coordinate", "point", "latitude", "longitude"] },
  { look: /[$€£¥]\s?\d|\b\d+(?:\.\d+)?\s?(?:usd|eur|gbp|jpy|dollars?|euros?|pounds?)\b/i, words: ["currency", "money"] }
]

/** Every kind of value has one of these. Most questions have none, and need not be looked at seven times. */
const anyValue = /[@:.+$€£¥\d]/

/** Words for the kinds of value a text holds. */
export const valueWords = (text: string): ReadonlyArray<string> =>
  anyValue.test(text) ? kinds.flatMap(({ look, words }) => (look.test(text) ? words : [])) : []
