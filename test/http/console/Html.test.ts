/** Templates: nothing that is put into a page can become a tag, an attribute or a script. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { csvText } from "../../../src/http/console/Tables.js"
import { attributes, Html, html, Link, to } from "../../../src/http/console/Html.js"
import { allSteps } from "../../../src/services/Slices.js"

const plain = { prefix: "", csrf: null }
const nasty = `<img src=x onerror="alert('1')">&`

describe("templates", () => {
  it("escape every value in text and in attributes", () => {
    const escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"
    assert.strictEqual(html`<p>${nasty}</p>`.render(plain), `<p>${escaped}</p>`)
    assert.strictEqual(html`<p title=${nasty}>x</p>`.render(plain), `<p title="${escaped}">x</p>`)
    assert.strictEqual(html`<p${attributes({ title: nasty })}></p>`.render(plain), `<p title="${escaped}"></p>`)
  })

  it("keep what is HTML already, also in lists, and leave nothing behind for what is not there", () => {
    const item = (text: string) => html`<li>${text}</li>`
    assert.strictEqual(
      html`<ul>${[item("a"), item("<b>")]}</ul>${null}${undefined}${false}${0}`.render(plain),
      "<ul><li>a</li><li>&lt;b&gt;</li></ul>0"
    )
  })

  it("may have any number of parts, and any number of templates inside one another", () => {
    const list = html`<ul>${Array.from({ length: 60_000 }, (_, at) => html`<li>${at}</li>`)}</ul>`
    const page = html`<main>${html`<div>${list}</div>`}</main>`.render(plain)
    assert.isTrue(page.startsWith("<main><div><ul><li>0</li><li>1</li>"))
    assert.isTrue(page.endsWith("<li>59999</li></ul></div></main>"))
    let nested = html`x`
    for (let level = 0; level < 20_000; level += 1) nested = html`<b>${nested}</b>`
    assert.strictEqual(nested.render(plain), `${"<b>".repeat(20_000)}x${"</b>".repeat(20_000)}`)
  })

  it("make no tag and no attribute of any text", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.fullUnicodeString(), (text) => {
        const rendered = html`<p title=${text}>${text}</p>`.render(plain)
        const inside = /^<p title="([^"]*)">([^<]*)<\/p>$/s.exec(rendered)
        assert.isNotNull(inside)
        assert.notMatch(`${inside[1]}${inside[2]}`, /[<>"']/)
      })
    )
  })

  it("take no text for an address, and no scheme but http and https", () => {
    assert.strictEqual(html`<a href=${"javascript:alert(1)"}>x</a>`.render(plain), '<a href="#">x</a>')
    assert.strictEqual(html`<a href="${"javascript:alert(1)"}">x</a>`.render(plain), '<a href="#">x</a>')
    assert.strictEqual(html`<a href=${Link.elsewhere("javascript:alert(1)")}>x</a>`.render(plain), '<a href="#">x</a>')
    assert.strictEqual(
      html`<a href=${Link.elsewhere("https://pay.example.com/?a=1&b=2")}>x</a>`.render(plain),
      '<a href="https://pay.example.com/?a=1&amp;b=2">x</a>'
    )
  })

  it("put the path prefix before every address of the console, and encode what stands in it", () => {
    const link = to(["ws_1", "runs", "a/b?c"], { status: "failed", job: null, q: "a b&c" })
    assert.strictEqual(link.text("/gateway"), "/gateway/console/ws_1/runs/a%2Fb%3Fc?status=failed&q=a+b%26c")
    assert.strictEqual(
      html`<form action=${link}></form>`.render({ prefix: "/gateway", csrf: null }),
      '<form action="/gateway/console/ws_1/runs/a%2Fb%3Fc?status=failed&amp;q=a+b%26c"></form>'
    )
  })

  it("fill in the CSRF token of the session", () => {
    assert.strictEqual(
      html`<input value="${Html.csrf}">`.render({ prefix: "", csrf: 'a"b' }),
      '<input value="a&quot;b">'
    )
  })

  it("leave out attributes that are not set, or whose name is no name of an attribute", () => {
    assert.strictEqual(
      html`<input${attributes({ required: true, disabled: false, value: null, "x y": "1", max: 3 })}>`.render(plain),
      '<input required max="3">'
    )
  })
})

describe("CSV", () => {
  it("quotes separators, doubles quotes, and makes no formula of a text", () => {
    const columns = [
      { label: "Name", cell: () => null, csv: ([name]: readonly [string, number]) => name },
      { label: "Shown only", cell: () => null },
      { label: "Amount, in micros", cell: () => null, csv: ([, amount]: readonly [string, number]) => amount }
    ]
    assert.strictEqual(
      allSteps(
        csvText(columns, [
          ['say "hi"', -5],
          ["=1+1", 0],
          ["＝1＋1", 0],
          ["two\nlines", 7]
        ])
      ),
      'Name,"Amount, in micros"\r\n"say ""hi""",-5\r\n\'=1+1,0\r\n\'＝1＋1,0\r\n"two\nlines",7\r\n'
    )
  })

  it("is written row by row, so that others are served while a large file is", () => {
    const steps = csvText([{ label: "At", cell: () => null, csv: (at: number) => at }], [1, 2, 3])
    for (let row = 0; row < 3; row += 1) assert.isFalse(steps.next().done)
    assert.strictEqual(steps.next().value, "At\r\n1\r\n2\r\n3\r\n")
  })
})
