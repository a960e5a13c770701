// A load hook that lets `count.mjs` see each step of Effect's runtime: each effect when it is made, when it runs, and
// what goes on when it has ended. It changes two files of the library as they are loaded, and nothing on the disk. A
// version of the library in which a place is not found stops the program.
import { readFile } from "node:fs/promises"

const places = {
  "effect/dist/esm/internal/fiberRuntime.js": [
    [
      "          return this[cur._op](cur);",
      "          globalThis.steps.ran(cur);\n          return this[cur._op](cur);"
    ],
    [
      "return contOpSuccess[cont._op](this, cont,",
      "globalThis.steps.goesOn(cont);\n      return contOpSuccess[cont._op](this, cont,"
    ]
  ],
  "effect/dist/esm/internal/core.js": [
    [
      "  constructor(_op) {\n    this._op = _op;\n",
      "  constructor(_op) {\n    this._op = _op;\n    globalThis.steps.made(this);\n"
    ]
  ]
}

export const load = async (url, context, next) => {
  const file = Object.keys(places).find((name) => url.endsWith(name))
  if (file === undefined) return next(url, context)
  let source = await readFile(new URL(url), "utf8")
  for (const [text, instead] of places[file]) {
    if (!source.includes(text)) throw new Error(`${file} is not as bench/steps/hook.mjs expects it`)
    source = source.replaceAll(text, instead)
  }
  return { format: "module", shortCircuit: true, source }
}
