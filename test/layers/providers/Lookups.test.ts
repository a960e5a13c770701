/** That a name server which does not answer holds up the lookups of its own names alone. */
import { assert, describe, it } from "@effect/vitest"
import { makeEgress, TargetRefused } from "../../../src/layers/providers/Egress.js"
import { type Answer, sharedLookups } from "../../../src/layers/providers/Lookups.js"

/** Lookups that are under way, each with what answers it. */
const stage = () => {
  let nowMillis = 0
  const asked: Array<{ readonly host: string; readonly answer: Answer }> = []
  const told: Array<string> = []
  const lookup = sharedLookups(
    (host, answer) => void asked.push({ host, answer }),
    () => nowMillis
  )
  return {
    asked,
    told,
    hosts: () => asked.map(({ host }) => host),
    ask: (host: string) =>
      lookup(
        host,
        (error, addresses) => void told.push(error === null ? `${host} ${addresses.join()}` : error.message)
      ),
    answer: (host: string, address: string) => {
      const at = asked.findIndex((each) => each.host === host)
      asked.splice(at, 1)[0]?.answer(null, [address])
    },
    pass: (millis: number) => void (nowMillis += millis)
  }
}

describe("a lookup", () => {
  it("is one for all who ask for the name while it is under way, and a new one for who asks later", () => {
    const { answer, ask, hosts, told } = stage()
    for (let time = 0; time < 100; time += 1) ask("api.slow.test")
    assert.deepStrictEqual(hosts(), ["api.slow.test"])
    answer("api.slow.test", "192.0.2.1")
    assert.deepStrictEqual([told.length, new Set(told)], [100, new Set(["api.slow.test 192.0.2.1"])])
    ask("api.slow.test")
    assert.deepStrictEqual(hosts(), ["api.slow.test"])
  })

  it("that several share is vetted by each: what one may reach, another may not", () => {
    const asked: Array<Answer> = []
    const shared = sharedLookups(
      (_, answer) => void asked.push(answer),
      () => 0
    )
    const url = new URL("http://inside.test:8080")
    const found: Array<unknown> = []
    for (const egress of [makeEgress(["inside.test:8080"], shared), makeEgress([], shared)])
      egress.lookupFor(url)("inside.test", { all: true }, (error, addresses) => void found.push(error ?? addresses))
    asked[0]?.(null, ["10.0.0.7"])
    assert.strictEqual(asked.length, 1)
    assert.deepStrictEqual(found, [
      [{ address: "10.0.0.7", family: 4 }],
      new TargetRefused({ host: "inside.test", range: "private" })
    ])
  })

  it("of a domain whose names take long leaves room for those of others", () => {
    const { answer, ask, hosts, told } = stage()
    for (let name = 0; name < 50; name += 1) ask(`shop-${name}.slow.test`)
    assert.deepStrictEqual(hosts(), ["shop-0.slow.test", "shop-1.slow.test"])
    ask("api.good.test")
    assert.include(hosts(), "api.good.test")
    answer("api.good.test", "192.0.2.1")
    assert.deepStrictEqual(told, ["api.good.test 192.0.2.1"])
    answer("shop-1.slow.test", "192.0.2.2")
    assert.deepStrictEqual(hosts(), ["shop-0.slow.test", "shop-2.slow.test"])
  })

  it("of many domains leaves threads for other work, and the next one begins when one has ended", () => {
    const { answer, ask, hosts } = stage()
    for (let name = 0; name < 20; name += 1) ask(`api.slow-${name}.test`)
    assert.deepStrictEqual(
      hosts(),
      [0, 1, 2, 3, 4, 5].map((name) => `api.slow-${name}.test`)
    )
    answer("api.slow-3.test", "192.0.2.1")
    assert.strictEqual(hosts().at(-1), "api.slow-6.test")
  })

  it("that has waited longer than anybody waits for it is not begun, and fails", () => {
    const { answer, ask, hosts, pass, told } = stage()
    for (const name of ["a", "b", "c", "d"]) ask(`${name}.slow.test`)
    pass(9_000)
    ask("e.slow.test")
    pass(2_000)
    answer("a.slow.test", "192.0.2.1")
    assert.deepStrictEqual(hosts(), ["b.slow.test", "e.slow.test"])
    assert.deepStrictEqual(told.slice(0, 1), ["a.slow.test 192.0.2.1"])
    assert.strictEqual(told.length, 3)
    assert.isTrue(told.slice(1).every((each) => each.includes("waited")))
  })

  it("that asks again when it is told begins a new one", () => {
    const asked: Array<Answer> = []
    const lookup = sharedLookups(
      (_, answer) => void asked.push(answer),
      () => 0
    )
    let again = 0
    lookup("api.test", () => lookup("api.test", () => (again += 1)))
    asked[0]?.(null, [])
    assert.deepStrictEqual([asked.length, again], [2, 0])
    asked[1]?.(null, [])
    assert.strictEqual(again, 1)
  })
})
