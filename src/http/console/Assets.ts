/**
 * The stylesheet and the script of the console, as files whose addresses carry their digest: a browser keeps them for
 * ever, and a new version has a new address.
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
}

export interface Assets {
  readonly style: Asset
  readonly script: Asset
  readonly icon: Asset
}

/** `console.css` as `console-<digest>.css`. */
export const nameWithDigest = (name: string, bytes: string | Uint8Array): string => {
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 16)
  const [stem = name, ending = ""] = name.split(".")
  return `${stem}-${digest}.${ending}`
}

export const keptForEver = { "cache-control": "public, max-age=31536000, immutable" } as const

const asset = (name: string, contentType: string): Asset => {
  const found = packagedFile(`assets/${name}`)
  const text = found === null ? "" : readFileSync(found, "utf8")
  const file = nameWithDigest(name, text)
  return {
    path: `/console/assets/${file}`,
    link: to(["assets", file]),
    answer: HttpServerResponse.text(text, {
      contentType,
      headers: keptForEver
    })
  }
}

/** Read once, when the server starts. */
export const readAssets: Effect.Effect<Assets> = Effect.sync(() => ({
  style: asset("console.css", "text/css; charset=utf-8"),
  script: asset("console.js", "text/javascript; charset=utf-8"),
  icon: asset("console.svg", "image/svg+xml")
}))
