/** Folders that are gone when their test is over. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** An empty folder. Its name begins with this one. */
export const temporaryFolder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), name))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

type Texts = { readonly [name: string]: string }

/** A folder of catalog files: the texts of its providers and jobs by their names, without their ends. */
export const catalogFolder = (files: { readonly providers: Texts; readonly jobs?: Texts }) =>
  Effect.tap(temporaryFolder("catalog-"), (folder) =>
    Effect.sync(() => {
      for (const [kind, texts] of Object.entries(files)) {
        mkdirSync(join(folder, kind))
        for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, kind, `${name}.yaml`), text)
      }
    })
  )
