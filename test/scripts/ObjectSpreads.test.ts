/** What the build does to object literals that begin with a spread, so that V8 shares their hidden classes. */
import { execFileSync } from "node:child_process"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sharingClasses } from "../../scripts/object-spreads.mjs"
import { program } from "../support/program.js"

/** What Node prints for the code, whose functions of V8 begin with `%`. */
const printed = (code: string): string =>
  execFileSync(process.execPath, ["--allow-natives-syntax", "-e", code], { encoding: "utf8" }).trim()

describe("object literals that begin with a spread", () => {
  it("get one hidden class for all objects of one place", () => {
    const code = sharingClasses(`
      const made = (of, kind) => ({ ...of, kind, micros: 1 })
      const objects = Array.from({ length: 100 }, (_, index) => made({ runId: "run_" + index, topUpId: null }, "charge"))
    `)
    assert.strictEqual(printed(`${code}; console.log(objects.every((one) => %HaveSameMap(one, objects[0])))`), "true")
  })

  it("mean the same: order of members, what overrides what, nothing, and what only looks like one", () => {
    const code = `
      const x = { a: 1, b: 2 }, empty = null
      const { ...rest } = x
      let taken, only
      ({ ...taken } = { ...x, c: 3 });
      [{ ...only }] = [{ ...x }]
      for ({ ...only } of [{ ...x, d: 4 }]) void only
      console.log(JSON.stringify([
        { ...x }, { ...x, a: 3 }, { a: 3, ...x }, { ...empty, ...x }, { ...x, ...{ ...x, e: [...[1]] } }, rest, taken, only,
        { /* why */ ...x, ["f"]: { ...(true ? x : {}) } }
      ]))`
    const changed = sharingClasses(code)
    assert.strictEqual(printed(changed), printed(code))
    assert.strictEqual(changed.split("...null, ").length - 1, 10)
    assert.strictEqual(changed.split("\n").length, code.split("\n").length)
    assert.strictEqual(sharingClasses("const none = [...[]]"), "const none = [...[]]")
  })

  it("are rewritten in the built programs", () => {
    const chunks = join(program("main"), "..", "chunks")
    const files = readdirSync(chunks).filter((name) => name.endsWith(".js"))
    assert.isTrue(files.some((name) => readFileSync(join(chunks, name), "utf8").includes("{ ...null, ...")))
  })
})
