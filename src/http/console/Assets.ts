/**
 * The stylesheet and the script of the console, as files whose addresses carry their digest: a browser keeps them for
 * ever, and a new version has a new address. While nodes of two versions run, a page of one may ask the other for its
 * files: an address with another digest is answered with this node's own file, which nobody keeps. That looks right
 * nearly always, and a page without style never does.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { packagedFile } from "../../PackagedFiles.js"
import { to, type Link } from "./Html.js"

interface Asset {
  readonly path: `/${string}`
  readonly link: Link
  readonly answer: HttpServerResponse.HttpServerResponse
  /** Its addresses in other versions. */
  readonly otherVersions: RegExp
  readonly answerForOthers: HttpServerResponse.HttpServerResponse
}

export interface Assets {
  readonly style: Asset
  readonly script: Asset
  readonly icon: Asset
}

const digestChars = 16
const named = (name: string, digest: string): string => {
  const [stem = name, ending = ""] = name.split(".")
  return `${stem}-${digest}.${ending}`
}

/** `console.css` as `console-<digest>.css`. */
export const nameWithDigest = (name: string, bytes: string | Uint8Array): string =>
  named(name, createHash("sha256").update(bytes).digest("base64url").slice(0, digestChars))

export const keptForEver = { "cache-control": "public, max-age=31536000, immutable" } as const

const asset = (name: string, contentType: string): Asset => {
  const found = packagedFile(`assets/${name}`)
  const text = found === null ? "" : readFileSync(found, "utf8")
  const file = nameWithDigest(name, text)
  return {
    path: `/console/assets/${file}`,
    link: to(["assets", file]),
    answer: HttpServerResponse.text(text, { contentType, headers: keptForEver }),
    otherVersions: new RegExp(`^${named(name, `[A-Za-z0-9_-]{${digestChars}}`).replace(".", "\\.")}$`),
    answerForOthers: HttpServerResponse.text(text, { contentType, headers: { "cache-control": "no-store" } })
  }
}

/** The answer to the address that a file has in another version; null where it is no file of the console. */
export const ofAnotherVersion = (assets: Assets, file: string): HttpServerResponse.HttpServerResponse | null =>
  Object.values(assets).find(({ otherVersions }: Asset) => otherVersions.test(file))?.answerForOthers ?? null

/** Read once, when the server starts. */
export const readAssets: Effect.Effect<Assets> = Effect.sync(() => ({
  style: asset("console.css", "text/css; charset=utf-8"),
  script: asset("console.js", "text/javascript; charset=utf-8"),
  icon: asset("console.svg", "image/svg+xml")
}))
