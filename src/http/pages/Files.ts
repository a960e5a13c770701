/**
 * The scripts and the stylesheet of the reference page, under addresses that carry their digest: a browser keeps them
 * for ever, and a new version has a new address. They are read when somebody first looks at the page; until then they
 * take no memory.
 */
import { readFile } from "node:fs/promises"
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { keptForEver, nameWithDigest } from "../console/Assets.js"
import { packagedFile } from "../PackagedFiles.js"
import { isUnchanged } from "../Unchanged.js"
import { swaggerUi } from "./SwaggerUi.js"

interface File {
  /** With its digest. */
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface ReferenceFiles {
  readonly styles: ReadonlyArray<File>
  readonly scripts: ReadonlyArray<File>
}

const file = (name: string, bytes: Uint8Array): File => ({
  name: nameWithDigest(name, bytes),
  contentType: name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
  bytes
})

const packed = (name: string): Effect.Effect<File> => {
  const place = packagedFile(`assets/${name}`)
  return place === null
    ? Effect.dieMessage(`The package lacks assets/${name}`)
    : Effect.map(
        Effect.promise(() => readFile(place)),
        (bytes) => file(name, bytes)
      )
}

/** In the order in which a page loads them. */
export const referenceFiles: Effect.Effect<ReferenceFiles> = Effect.gen(function* () {
  return {
    styles: [yield* packed("reference.css")],
    scripts: [file("swagger-ui.js", Buffer.from(yield* swaggerUi)), yield* packed("reference.js")]
  }
})

/** Null for a name that no file has, such as one of another version. */
export const fileAnswer = (
  { scripts, styles }: ReferenceFiles,
  name: string,
  ifNoneMatch: string | undefined
): HttpServerResponse.HttpServerResponse | null => {
  const found = [...styles, ...scripts].find((each) => each.name === name)
  if (found === undefined) return null
  const headers = { ...keptForEver, etag: `"${found.name}"` }
  return isUnchanged(ifNoneMatch, headers.etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.uint8Array(found.bytes, { contentType: found.contentType, headers })
}
