// What a person reads of a gateway that gave no answer.
import { assert, it } from "vitest"
import { lost } from "../../src/cli/client/GatewayFailures.js"

const failed = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })
const messageOf = (code: string) => lost("https://gateway.test")(failed(code)).message

it("names the setting that helps where the certificate is of an authority that Node does not know", () => {
  for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"])
    assert.strictEqual(
      messageOf(code),
      `https://gateway.test gave no usable answer (${code}): its certificate is not trusted here. Set NODE_EXTRA_CA_CERTS to the file with the certificate of whoever signed it`
    )
  assert.strictEqual(messageOf("ECONNREFUSED"), "https://gateway.test gave no usable answer (ECONNREFUSED)")
  assert.notInclude(messageOf("CERT_HAS_EXPIRED"), "NODE_EXTRA_CA_CERTS")
})
