/** Which `traceparent` and `tracestate` are taken, which are taken for absent, and how they are written again. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { fromStoredTrace, readTrace, toStoredTrace, traceHeaders, traceparentOf } from "../../src/domain/Trace.js"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

describe("traceparent", () => {
  it("is read with its flags, whatever version it has", () => {
    const read = { traceId, spanId, state: null }
    assert.deepStrictEqual(readTrace(`00-${traceId}-${spanId}-01`, undefined), { ...read, sampled: true })
    assert.deepStrictEqual(readTrace(`00-${traceId}-${spanId}-00`, undefined), { ...read, sampled: false })
    assert.deepStrictEqual(readTrace(`00-${traceId}-${spanId}-02`, undefined), { ...read, sampled: false })
    assert.deepStrictEqual(readTrace(`cc-${traceId}-${spanId}-03-more`, undefined), { ...read, sampled: true })
  })

  it("is taken for absent when it breaks any rule of the W3C", () => {
    for (const bad of [
      undefined,
      null,
      "",
      "00",
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01-more`,
      `00-${traceId}-${spanId}-1`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${"0".repeat(32)}-${spanId}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
      `cc-${traceId}-${spanId}-01-${"x".repeat(1_000)}`
    ])
      assert.isNull(readTrace(bad, "a=b"), String(bad))
  })

  it("is written as it was read, also through storage", () =>
    fc.assert(
      fc.property(
        fc.hexaString({ minLength: 32, maxLength: 32 }).filter((id) => /[^0]/.test(id)),
        fc.hexaString({ minLength: 16, maxLength: 16 }).filter((id) => /[^0]/.test(id)),
        fc.boolean(),
        (trace, span, sampled) => {
          const context = { traceId: trace, spanId: span, sampled, state: "a=b" }
          assert.deepStrictEqual(readTrace(traceparentOf(context), "a=b"), context)
          assert.deepStrictEqual(fromStoredTrace(toStoredTrace(context)), context)
        }
      )
    ))

  it("is never refused with an error, whatever comes", () =>
    fc.assert(
      fc.property(fc.fullUnicodeString(), fc.fullUnicodeString(), (parent, state) => {
        readTrace(parent, state)
        readTrace(`00-${traceId}-${spanId}-01`, state)
      })
    ))
})

describe("tracestate", () => {
  const stateOf = (text: string) => readTrace(`00-${traceId}-${spanId}-01`, text)?.state

  it("is passed on without blanks around its members", () => {
    assert.strictEqual(stateOf("vendor=a , tenant@other=b,,"), "vendor=a,tenant@other=b")
    assert.deepStrictEqual(traceHeaders({ traceId, spanId, sampled: true, state: "v=1" }), {
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate: "v=1"
    })
    assert.notProperty(traceHeaders({ traceId, spanId, sampled: true, state: null }), "tracestate")
  })

  it("is left out alone when it breaks a rule or is longer than 512 characters", () => {
    for (const bad of ["", "novalue", "UPPER=a", "a=b\r\nx: y", `a=${"b".repeat(600)}`, Array(33).fill("a=b").join()])
      assert.isNull(stateOf(bad), bad)
  })
})
