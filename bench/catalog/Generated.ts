// A catalog of any size for benchmarks that need no data folder: operations of invented services, put together from
// lists of words by a seeded generator, so that every machine measures the same rows. Sizes, lengths of descriptions
// and numbers of parameters are those of public OpenAPI documents. It says nothing about the quality of a search.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

// prettier-ignore
const verbs = [
  ["get", "Get", "GET"], ["list", "List", "GET"], ["search", "Search", "GET"], ["create", "Create", "POST"],
  ["update", "Update", "PUT"], ["delete", "Delete", "DELETE"], ["validate", "Validate", "POST"],
  ["export", "Export", "GET"], ["archive", "Archive", "POST"], ["count", "Count", "GET"]
] as const
// prettier-ignore
const fields = [
  "billing", "calendar", "cargo", "clinic", "cloud", "commerce", "contact", "content", "crypto", "energy", "event",
  "finance", "fitness", "flight", "food", "game", "geo", "hiring", "hotel", "insurance", "learning", "legal", "mail",
  "map", "market", "media", "message", "music", "news", "payment", "photo", "property", "rail", "sales", "security",
  "social", "sport", "stock", "storage", "support", "survey", "tax", "ticket", "translation", "video", "weather"
]
// prettier-ignore
const things = [
  "account", "address", "alert", "article", "asset", "balance", "booking", "campaign", "card", "channel", "comment",
  "company", "contract", "coupon", "currency", "customer", "delivery", "device", "document", "domain", "email",
  "employee", "exchange rate", "file", "folder", "forecast", "image", "invoice", "job", "label", "language", "lead",
  "license", "location", "member", "meeting", "message", "order", "organization", "page", "payment", "person",
  "phone number", "playlist", "price", "product", "profile", "project", "quote", "rating", "receipt", "record",
  "refund", "report", "repository", "review", "role", "route", "schedule", "score", "segment", "session", "shipment",
  "sms", "station", "stock price", "subscription", "tag", "task", "team", "template", "ticket", "token", "track",
  "transaction", "transcript", "user", "vehicle", "video", "wallet", "webhook", "workflow"
]
// prettier-ignore
const qualities = [
  "active", "archived", "daily", "default", "detailed", "external", "hourly", "internal", "latest", "linked", "monthly",
  "nearby", "open", "pending", "popular", "private", "public", "recent", "related", "shared", "similar", "verified"
]
// prettier-ignore
const parameterNames = [
  "id", "limit", "offset", "cursor", "from", "to", "status", "sort", "order", "fields", "include", "language",
  "currency", "country", "query", "name", "email", "url", "format", "timezone", "page", "type"
]
const purposes = [
  "Returns one page of results, newest first.",
  "Answers with the stored object or with 404 when there is none.",
  "Takes the fields of the object and returns it as it was stored.",
  "Needs an account with the right plan.",
  "Results can be filtered by status, by time and by owner.",
  "Values are given in the currency of the account.",
  "The answer holds at most one hundred entries; use the cursor for more.",
  "Use this to keep another system up to date without asking for everything again."
]

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const numbers = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const operationsPerProvider = 60

/** `count` operations as lines of JSON, in the form that `gateway catalog import` takes. */
export const generatedLines = (count: number): ReadonlyArray<string> => {
  const next = numbers(20_261_122)
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(next() * from.length)]!
  const many = <A>(from: ReadonlyArray<A>, most: number): ReadonlyArray<A> => [
    ...new Set(Array.from({ length: Math.floor(next() * next() * (most + 1)) }, () => pick(from)))
  ]
  return Array.from({ length: count }, (_, at) => {
    const providerNumber = Math.floor(at / operationsPerProvider)
    const field = fields[providerNumber % fields.length]!
    const providerId = `${field}-${providerNumber}.example`
    const [verb, said, method] = pick(verbs)
    const words = [...(next() < 0.5 ? [pick(qualities)] : []), pick(things), ...(next() < 0.3 ? [pick(things)] : [])]
    const slug = words.join("-").replaceAll(" ", "-")
    return JSON.stringify({
      endpointId: `${field}-${providerNumber}.${verb}-${slug}-${at}`,
      providerId,
      providerName: `${field[0]!.toUpperCase()}${field.slice(1)} ${providerNumber}`,
      name: `${said} ${words.join(" ")}`,
      description: `${said}s ${words.join(" ")} of the ${field} service. ${many(purposes, 4).join(" ")}`.trim(),
      method,
      baseUrl: `https://api.${providerId}`,
      path: `/${field}/${slug}`,
      parameters: many(parameterNames, 16).map((name) => ({
        name,
        in: "query",
        type: name === "limit" || name === "offset" || name === "page" ? "integer" : "string",
        required: next() < 0.2,
        description: `The ${name} of the ${words.at(-1)}.`
      })),
      category: field,
      tags: [field, ...many(things, 3)],
      auth: []
    })
  })
}

/** The same as a file that programs started by a benchmark can read; made once for each size and generator. */
export const generatedFile = (count: number): string => {
  const lines = generatedLines(count).join("\n")
  const folder = join(".bench", "generated")
  const file = join(
    folder,
    `operations-${count}-${createHash("sha256").update(lines).digest("hex").slice(0, 12)}.jsonl.gz`
  )
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${file}.part`, gzipSync(lines, { level: 1 }))
  renameSync(`${file}.part`, file)
  return file
}
