/**
 * Files of the documentation. The scripts and the stylesheet of the reference page have addresses that carry their
 * digest: a browser keeps them for ever, and a new version has a new address. The JSON Schemas of the manifests have
 * addresses that stay, because manifests name them; whoever keeps one asks again whether it is still the same. All are
 * made when somebody first asks for them; until then they take no memory.
 */
import { readFile } from "node:fs/promises"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { manifestSchema, schemaFiles, schemaKinds } from "../../domain/ManifestSchemas.js"
import { keptForEver, nameWithDigest } from "../console/Assets.js"
import { packagedFile } from "../../PackagedFiles.js"
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

/** The JSON Schemas of the manifests, with their digests. */
export const schemaAnswers = (): ReadonlyMap<string, { readonly text: string; readonly etag: string }> =>
  new Map(
    schemaKinds.map((kind) => {
      const text = JSON.stringify(manifestSchema(kind))
      return [schemaFiles[kind], { text, etag: `"${hash("sha256", text).slice(0, 16)}"` }]
    })
  )

export const schemaAnswer = (
  schemas: ReturnType<typeof schemaAnswers>,
  name: string,
  ifNoneMatch: string | undefined
): HttpServerResponse.HttpServerResponse | null => {
  const found = schemas.get(name)
  if (found === undefined) return null
  const headers = { "cache-control": "no-cache", etag: found.etag }
  return isUnchanged(ifNoneMatch, found.etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(found.text, { contentType: "application/schema+json", headers })
}

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
