import { assert, describe, it } from "@effect/vitest"
import { refusedAddressWords } from "../../../src/layers/catalog/RefusedAddresses.js"
import { endpoint } from "../../support/catalog.js"

const at = (id: string, baseUrl: string) => endpoint({ id: `${id}-find`, provider: { id, baseUrl } })
const inner = at("inner", "http://127.0.0.1:9000/v1")
const words = (allow: ReadonlyArray<string>, ...endpoints: ReadonlyArray<typeof inner>) =>
  refusedAddressWords({ endpoints }, allow)

describe("before a catalog is put in force, its operator hears", () => {
  it("which providers runs will not be let through to, once each, and what opens them", () => {
    const lan = at("lan", "https://10.1.2.3")
    assert.deepStrictEqual(words([], inner, inner, lan, at("outer", "https://api.outer.example")), [
      "Runs of inner will be refused (route_denied) unless the gateway's GATEWAY_EGRESS_ALLOW names 127.0.0.1:9000",
      "Runs of lan will be refused (route_denied) unless the gateway's GATEWAY_EGRESS_ALLOW names 10.1.2.3:443"
    ])
  })

  it("nothing about what is open, or what only a key's own variables complete", () => {
    assert.deepStrictEqual(words(["127.0.0.1:9000"], inner, at("shops", "https://{shop}.shops.example")), [])
  })
})
