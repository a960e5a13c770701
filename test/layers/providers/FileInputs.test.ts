// What an input says of its files, and what is refused before anything is held.
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/Json.js"
import { prepare, prepareJob } from "../../../src/layers/providers/InputPreparation.js"
import { sayProblem } from "../../../src/layers/runs/planning/InputProblems.js"
import { endpointOf } from "./support.js"

const media = `/v1/runs/run_${"0".repeat(26)}/media/med_${"0".repeat(26)}`
const base64 = Buffer.from("hello").toString("base64")

const texts = { filename: {}, contentType: {}, base64: {}, media: {} }
const taking = (rule: object, schema: object = { properties: texts }, binding: object = {}) =>
  endpointOf({
    operation: {
      input: { type: "object", properties: { file: { ...schema }, note: {} } },
      bindings: { file: { in: "multipart", name: "file", style: "repeat", ...binding } },
      files: { file: rule }
    }
  })

const problemsOf = (endpoint: ReturnType<typeof endpointOf>, file: Json): ReadonlyArray<string> => {
  const [tool, job] = [prepare(endpoint, { file }), prepareJob(endpoint, { file })]
  assert.deepStrictEqual(job, tool)
  return tool._tag === "Accepted" ? [] : tool.problems.map(sayProblem)
}

describe("a file of an input", () => {
  it("is stored or in base64, and not both", () => {
    const endpoint = taking({})
    for (const file of [{ media }, { base64 }, { media, base64: null }, [{ media }, [{ base64 }]], "text", null])
      assert.deepStrictEqual(problemsOf(endpoint, file), [], JSON.stringify(file))
    const both = "has both media and base64: send one of them"
    assert.deepStrictEqual(problemsOf(endpoint, { media, base64 }), [`input.file: ${both}`])
    assert.deepStrictEqual(problemsOf(endpoint, { media: 1, base64: "" }), [`input.file: ${both}`])
    assert.deepStrictEqual(problemsOf(endpoint, [{ media }, [{ media, base64 }], { media, base64 }]), [
      `input.file.1.0: ${both}`,
      `input.file.2: ${both}`
    ])
    const unlisted = endpointOf({ operation: { bindings: { file: { in: "multipart", name: "file" } } } })
    assert.deepStrictEqual(problemsOf(unlisted, { media, base64 }), [])
  })

  it("has a type that the operation takes, in base64 as well as stored, where it says one", () => {
    const image = taking({ types: ["image/*"] })
    for (const file of [
      { base64, filename: "cat.png" },
      { media },
      { base64, contentType: "image/png" },
      { media, contentType: "IMAGE/PNG; q=1" },
      { base64, contentType: null, filename: "Cat of mine.JPEG" }
    ])
      assert.deepStrictEqual(problemsOf(image, file), [], JSON.stringify(file))
    const pdf = "the file is application/pdf, and this operation takes image/*"
    for (const file of [{ base64 }, { media }])
      assert.deepStrictEqual(problemsOf(image, [{ media }, { ...file, contentType: "application/pdf" }]), [
        `input.file.1: ${pdf}`
      ])
    for (const contentType of ["image", "", "image/png\r\nx: 1", 1])
      assert.deepStrictEqual(problemsOf(image, { base64, contentType }), [
        "input.file: contentType must be a media type such as image/png"
      ])
    assert.deepStrictEqual(problemsOf(taking({}), { base64, contentType: "application/pdf" }), [])
  })

  it("has one that something says, in base64: its contentType, the manifest or its name", () => {
    const image = taking({ types: ["image/*", "video/mp4"] })
    const missing =
      "input.file: contentType is missing, and the name of the file does not say its type: this operation takes image/*, video/mp4"
    for (const file of [
      { base64 },
      { base64, filename: "cat" },
      { base64, filename: "cat.xyz" },
      { base64, filename: 7 }
    ])
      assert.deepStrictEqual(problemsOf(image, file), [missing], JSON.stringify(file))
    assert.deepStrictEqual(problemsOf(image, { base64, filename: "cat.txt" }), [
      "input.file: the file is text/plain, and this operation takes image/*, video/mp4: contentType says it where the name of the file does not"
    ])
    assert.deepStrictEqual(problemsOf(image, { base64, filename: "cat.txt", contentType: "image/png" }), [])
    assert.deepStrictEqual(problemsOf(image, { base64, filename: "cat.mp4" }), [], "sound and film share this ending")
    const told = (contentType: string) => taking({ types: ["image/*"] }, { properties: texts }, { contentType })
    assert.deepStrictEqual(problemsOf(told("image/png"), { base64 }), [])
    assert.deepStrictEqual(problemsOf(told("application/pdf"), { base64, filename: "cat.png" }), [
      "input.file: the file is application/pdf, and this operation takes image/*"
    ])
    assert.deepStrictEqual(problemsOf(taking({}), { base64, filename: "cat.txt" }), [])
  })

  it("names a stored file by a download path", () => {
    for (const wrong of ["", "cat.png", `${media}/..`, `https://gateway.test${media}`, 1, {}])
      assert.deepStrictEqual(
        problemsOf(taking({}), [{ media }, { media: wrong }]),
        ["input.file.1: media must be the downloadPath of a result, such as /v1/runs/run_…/media/med_…"],
        JSON.stringify(wrong)
      )
  })

  it("is told what would do where neither is given, at any depth", () => {
    const file = { type: "object", anyOf: [{ required: ["filename", "base64"] }, { required: ["media"] }] }
    const instead = (at: string) => [`input.${at}.media: is required, or ${at}.filename and ${at}.base64 instead`]
    assert.deepStrictEqual(problemsOf(taking({}, { ...file, properties: texts }), {}), instead("file"))
    const list = { type: "array", items: { ...file, properties: texts } }
    assert.deepStrictEqual(problemsOf(taking({}, list), [{ media }, {}]), instead("file.1"))
    assert.deepStrictEqual(problemsOf(taking({}, { ...file, properties: texts }), { filename: "a.png" }), [
      "input.file.base64: is required, or file.media instead"
    ])
  })
})
