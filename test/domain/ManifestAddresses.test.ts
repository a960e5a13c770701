/** Which addresses of providers and paths of operations a manifest may have. */
import { Either, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { BaseUrl, OperationPath } from "../../src/domain/manifest/Address.js"

const baseUrlProblem = (text: string) =>
  Either.match(Schema.decodeUnknownEither(BaseUrl)(text), { onLeft: String, onRight: () => null })
const pathProblem = (text: string) =>
  Either.match(Schema.decodeUnknownEither(OperationPath)(text), { onLeft: String, onRight: () => null })

describe("the address of a provider", () => {
  it("may hold variables, a port, letters beyond ASCII and dots within names", () => {
    for (const good of [
      "https://api.example.com",
      "http://127.0.0.1:9000/v1",
      "https://{shop}.myshopify.com/admin/{version}",
      "https://{host}/v1..2/a.b",
      "https://münchen.example/%20/x",
      "http://[::1]:8080"
    ])
      assert.isNull(baseUrlProblem(good), good)
  })

  it("holds no name or password, no empty part of a host, and no part that leads elsewhere", () => {
    for (const [wrong, problem] of [
      ["https://user:hunter2@x.example/", "name or password"],
      ["https://user@x.example/", "name or password"],
      ["https://@x.example/", "name or password"],
      ["https://{user}:{secret}@x.example", "name or password"],
      ["https://../../../etc/x", "host name"],
      ["https://a..b.example", "host name"],
      ["https://a.example/../admin", "a part of the path"],
      ["https://a.example/%2E%2e", "a part of the path"],
      ["https://a.example/%00/x", "control characters"],
      ["https://a.example:99999", "must be an address"]
    ] as const)
      assert.include(baseUrlProblem(wrong), problem, wrong)
  })
})

describe("the path of an operation", () => {
  it("is refused where it leads elsewhere, and not where dots are part of a name", () => {
    for (const good of ["/v1/users/{id}", "/a..b", "/.well-known/x", "/file.json", "/..."])
      assert.isNull(pathProblem(good), good)
    for (const wrong of ["/..", "/a/../b", "/./a", "/a/%2e%2E/b", "/a/.%2e", "/%0d%0aHost:", "/%00"])
      assert.isNotNull(pathProblem(wrong), wrong)
  })
})
