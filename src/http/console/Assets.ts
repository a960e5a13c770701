/**
 * The stylesheet and the script of the console, as files whose addresses carry their digest: a browser keeps them for
 * ever, and a new version has a new address.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
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

/** The program's folder is three or, where it was built beside others, four folders up. */
const folders = ["../../../assets/", "../../../../assets/"]

const asset = (name: string, contentType: string): Asset => {
  const found = folders.map((folder) => new URL(folder + name, import.meta.url)).find((url) => existsSync(url))
  const text = found === undefined ? "" : readFileSync(found, "utf8")
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16)
  const [stem = name, ending = ""] = name.split(".")
  const file = `${stem}-${digest}.${ending}`
  return {
    path: `/console/assets/${file}`,
    link: to(["assets", file]),
    answer: HttpServerResponse.text(text, {
      contentType,
      headers: { "cache-control": "public, max-age=31536000, immutable" }
    })
  }
}

/** Read once, when the server starts. */
export const readAssets: Effect.Effect<Assets> = Effect.sync(() => ({
  style: asset("console.css", "text/css; charset=utf-8"),
  script: asset("console.js", "text/javascript; charset=utf-8"),
  icon: asset("console.svg", "image/svg+xml")
}))
