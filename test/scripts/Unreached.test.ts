/** Which compiled files a package leaves out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { unreached } from "../../scripts/unreached.mjs"

const place = mkdtempSync(join(tmpdir(), "gateway-unreached-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const files = {
  "entry.js": `import { a } from "./rooms/a.js"\nimport "effect"\nexport * from "./again.js"\nexport * as named from "./named.js"\n`,
  "named.js": `export { b as c } from "./passed.js"\n`,
  "passed.js": "export const b = 1\n",
  "again.js": `export const late = () => import("./late.js")\n`,
  "late.js": `import { a } from "./rooms/a.js"\n// import "./commented.js"\n`,
  "rooms/a.js": `import "../entry.js"\nexport const a = "import './text.js'"\n`,
  "entry.d.ts": `export type A = import("./rooms/shape.js").Shape\n`,
  "rooms/shape.d.ts": `import type { B } from "./b.js"\nexport interface Shape { b: B }\n`,
  "rooms/b.d.ts": "export type B = 1\n",
  "rooms/b.js": "export {}\n",
  "rooms/a.d.ts": "export declare const a: string\n",
  "commented.js": "",
  "text.js": ""
}

it("what no import reaches, of code by code and of types by types, however the import is written", () => {
  mkdirSync(join(place, "rooms"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
  const paths = (names: ReadonlyArray<string>) => names.map((name) => join(place, name))
  assert.deepStrictEqual(
    unreached(paths(Object.keys(files)), paths(["entry.js", "entry.d.ts"])),
    paths(["rooms/b.js", "rooms/a.d.ts", "commented.js", "text.js"])
  )
})
