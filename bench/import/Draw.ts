// Draws operations from the documents of a folder by a seed. The draw is kept in a list of names, so that later
// versions of the documents are measured with the same operations.
import { readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { inside, membersOf, node, opened } from "./Document.js"

export interface Drawn {
  /** Whose document it is. */
  readonly of: string
  /** Below the folder of documents. */
  readonly file: string
  readonly method: string
  readonly path: string
}

/** The documents of each provider, below the folder. */
const documentsOf = (folder: string): ReadonlyArray<readonly [of: string, files: ReadonlyArray<string>]> => {
  const below = (part: string, fits: (file: string) => boolean): ReadonlyArray<string> =>
    readdirSync(join(folder, part), { recursive: true, encoding: "utf8" })
      .map((file) => join(part, file))
      .filter((file) => file.endsWith(".json") && fits(file))
      .sort()
  return [
    ["GitHub", ["github.json"]],
    ["Stripe", ["stripe.json"]],
    ["Twilio", below("twilio/spec/json", () => true)],
    ["OpenAI", ["openai.json"]],
    ["DigitalOcean", ["digitalocean/specification/DigitalOcean-public.v2.yaml"]],
    // Collections of Postman lie beside the documents.
    ["HubSpot", below("hubspot/PublicApiSpecs", (file) => !file.includes("Collection"))]
  ]
}

const methods = new Set(["get", "put", "post", "delete", "patch"])

const operationsOf = (folder: string, of: string, files: ReadonlyArray<string>): ReadonlyArray<Drawn> =>
  files.flatMap((file) => {
    const document = opened(join(folder, file))
    return Object.entries(membersOf(inside(document, "paths").at)).flatMap(([path, value]) =>
      Object.keys(node(document.file, value).at)
        .filter((method) => methods.has(method))
        .map((method): Drawn => ({ of, file: relative(".", file), method, path }))
    )
  })

/** Numbers from 0 to 1 that only depend on the seed (mulberry32). */
const numbersFrom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** As many operations of each provider as can be dealt evenly; the first providers get one more each. */
export const draw = (folder: string, seed: number, count: number): ReadonlyArray<Drawn> => {
  const next = numbersFrom(seed)
  const documents = documentsOf(folder)
  return documents.flatMap(([of, files], index) => {
    const rest = [...operationsOf(folder, of, files)]
    const length = Math.floor(count / documents.length) + (index < count % documents.length ? 1 : 0)
    return Array.from({ length: Math.min(length, rest.length) }, () =>
      rest.splice(Math.floor(next() * rest.length), 1)
    ).flat()
  })
}
