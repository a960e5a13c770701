/** The further files of an OpenAPI document: only what lies in its folder comes into a manifest. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { importFileBytesMax } from "../../../src/domain/limits/Manifests.js"
import { importOpenApiFiles } from "../../../src/layers/catalog/import/ImportOpenApi.js"

const part = "Key:\n  type: string\n  description: what the other file says\n"
const document = `openapi: 3.0.0
info: {title: Shop, version: "1"}
servers: [{url: https://api.shop.test}]
paths:
  /x:
    get:
      operationId: x
      security: []
      parameters: [{name: a, in: query, schema: {$ref: "parts.yaml#/Key"}}]
      responses: {"200": {description: ok}}
`

/** What an import makes of the document, beside whose folder there is a `private.yaml`. */
const importedWith = (put: (parts: string, folder: string) => void) =>
  Effect.gen(function* () {
    const around = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "import-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const folder = join(around, "repo")
    mkdirSync(folder)
    writeFileSync(join(around, "private.yaml"), part)
    writeFileSync(join(folder, "openapi.yaml"), document)
    put(join(folder, "parts.yaml"), folder)
    const { endpoints, report } = yield* importOpenApiFiles([join(folder, "openapi.yaml")])
    return {
      text: JSON.stringify(endpoints.map(({ operation }) => operation.input)),
      notes: report.notes.map(({ message }) => message)
    }
  }).pipe(Effect.provide(NodeFileSystem.layer))

const strangers: Record<string, (parts: string, folder: string) => void> = {
  "a link out of the folder": (parts) => symlinkSync("../private.yaml", parts),
  "a link by way of a folder that is one": (parts, folder) => {
    symlinkSync("..", join(folder, "up"))
    symlinkSync("up/private.yaml", parts)
  },
  "a pipe": (parts) => void execFileSync("mkfifo", [parts]),
  "a device that never ends": (parts) => symlinkSync("/dev/zero", parts),
  "a file that is too large": (parts) => {
    writeFileSync(parts, part)
    truncateSync(parts, importFileBytesMax + 1)
  }
}

describe("a reference to another file", () => {
  for (const [what, put] of Object.entries(strangers))
    it.scopedLive(`is cut where its name is that of ${what}`, () =>
      Effect.gen(function* () {
        const { notes, text } = yield* importedWith(put)
        assert.notInclude(text, "what the other file says")
        assert.isTrue(
          notes.some((note) => note.includes("a file that cannot be read (parts.yaml)")),
          notes.join("; ")
        )
      })
    )

  it.scopedLive("is followed where it lies in the folder, also by a link", () =>
    Effect.gen(function* () {
      const plain = yield* importedWith((parts) => writeFileSync(parts, part))
      assert.include(plain.text, "what the other file says")
      const linked = yield* importedWith((parts, folder) => {
        writeFileSync(join(folder, "..kept.yaml"), part)
        symlinkSync("..kept.yaml", parts)
      })
      assert.include(linked.text, "what the other file says")
    })
  )

  it.scopedLive("is followed where a program of Windows wrote a byte order mark before its JSON", () =>
    Effect.gen(function* () {
      const json = JSON.stringify({ Key: { type: "string", description: "what the other file says" } })
      const { notes, text } = yield* importedWith((parts) => writeFileSync(parts, `\uFEFF${json}`))
      assert.include(text, "what the other file says", notes.join("; "))
    })
  )
})
