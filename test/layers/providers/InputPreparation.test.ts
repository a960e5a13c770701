// Inputs before any provider is called: the checks every job shares, the mapping of common names, the schema's last
// word.
import { assert, describe, it } from "vitest"
import type { Json, JsonObject } from "../../../src/domain/Json.js"
import { checkCommon, prepare, prepareJob } from "../../../src/layers/providers/InputPreparation.js"
import { fieldsStillNeeded, neededSets } from "../../../src/domain/OperationInput.js"
import { endpointOf } from "./support.js"

describe("a field that every job shares", () => {
  const good: ReadonlyArray<[field: string, value: string]> = [
    ["email", "ada@example.com"],
    ["email", "Ada.O'Neil+tag@mail.example.co.uk"],
    ["email", "用户@例子.广告"],
    ["email", " ada@example.com "],
    ["domain", "example.com"],
    ["domain", "sub.example.co.uk"],
    ["domain", "münchen.de"],
    ["domain", "xn--mnchen-3ya.de"],
    ["domain", "EXAMPLE.COM."],
    ["domain", "https://www.example.com/about"],
    ["companyDomain", "example.com:8080"],
    ["url", "https://example.com/a?b=c#d"],
    ["url", "example.com/path"],
    ["url", "example.com:8080/path"],
    ["url", "http://münchen.de:8080/"],
    ["linkedin_url", "https://www.linkedin.com/in/ada"],
    ["linkedinUrl", "linkedin.com/in/ada"],
    ["phone", "+14155552671"],
    ["phone", "+44 20 7183 8750"],
    ["phone", "+49 (0) 30 901820"]
  ]
  for (const [field, value] of good)
    it(`${field} may be ${JSON.stringify(value)}`, () => assert.deepStrictEqual(checkCommon({ [field]: value }), []))

  const bad: ReadonlyArray<[field: string, value: Json]> = [
    ["email", "ada"],
    ["email", "ada@"],
    ["email", "@example.com"],
    ["email", "a b@example.com"],
    ["email", "ada@localhost"],
    ["email", "a..b@example.com"],
    ["email", `${"a".repeat(65)}@example.com`],
    ["email", "ada@-example.com"],
    ["email", ""],
    ["email", 7],
    ["email", ["ada@example.com"]],
    ["domain", "example"],
    ["domain", "https://localhost/"],
    ["domain", "https://127.0.0.1/"],
    ["company_domain", "example"],
    ["domain", "exa mple.com"],
    ["domain", "example..com"],
    ["domain", "-a.com"],
    ["domain", "127.0.0.1"],
    ["domain", "user@example.com"],
    ["domain", `${"a".repeat(64)}.com`],
    ["url", "not a url"],
    ["url", "ftp://example.com"],
    ["url", "javascript:alert(1)"],
    ["url", "https://"],
    ["url", "example"],
    ["linkedinUrl", "ada lovelace"],
    ["domain", "example.com\u200b"],
    ["email", "ada@example.com\u200b"],
    ["url", "https://example.com/\u0000"],
    ["phone", "abc"],
    ["phone", "12345"],
    ["phone", "+1"],
    ["phone", "+1 415 555"],
    ["phone", "4155552671"]
  ]
  for (const [field, value] of bad) {
    it(`${field} may not be ${JSON.stringify(value)}, and the field is named`, () => {
      const problems = checkCommon({ [field]: value })
      assert.deepStrictEqual(
        problems.map((problem) => [problem._tag, problem.field]),
        [["Invalid", field]]
      )
    })
  }

  it("is looked at only under a common name, and a country makes a national number whole", () => {
    assert.deepStrictEqual(checkCommon({ mail_to: "nonsense", _mock: { email: "x" } }), [])
    assert.deepStrictEqual(checkCommon({ phone: "(415) 555-2671", country: "us" }), [])
  })
})

const properties = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, {}]))

describe("common names", () => {
  const cases: ReadonlyArray<
    [
      does: string,
      operation: { readonly input: JsonObject; readonly accepts?: JsonObject },
      input: JsonObject,
      prepared: JsonObject
    ]
  > = [
    [
      "stay where the operation has them",
      { input: { properties: properties("email") } },
      { email: "a@b.co" },
      { email: "a@b.co" }
    ],
    [
      "come without the white space around them, which no check looks at",
      { input: { properties: properties("email", "domain", "note") } },
      { email: " a@b.co\n", domain: "\u00a0b.co ", note: " as it is " },
      { email: "a@b.co", domain: "b.co", note: " as it is " }
    ],
    [
      "come in camel case",
      { input: { properties: properties("first_name") } },
      { firstName: "Ada" },
      { first_name: "Ada" }
    ],
    [
      "go to camel case",
      { input: { properties: properties("firstName") } },
      { first_name: "Ada" },
      { firstName: "Ada" }
    ],
    [
      "go to a synonym",
      { input: { properties: properties("organization_name", "fullName") } },
      { company: "Acme", name: "Ada L" },
      { organization_name: "Acme", fullName: "Ada L" }
    ],
    [
      "go where the manifest says",
      { input: { properties: properties("domainOrCompany") }, accepts: { domain: "domainOrCompany" } },
      { domain: "b.co" },
      { domainOrCompany: "b.co" }
    ],
    [
      "go to one word",
      { input: { properties: properties("firstname", "lastname") } },
      { first_name: "Ada", lastName: "L" },
      { firstname: "Ada", lastname: "L" }
    ],
    [
      "are split",
      { input: { properties: properties("first_name", "last_name") } },
      { name: "Ada King Lovelace" },
      { first_name: "Ada King", last_name: "Lovelace" }
    ],
    [
      "are not split over what was given",
      { input: { properties: properties("first_name", "last_name") } },
      { name: "Ada Lovelace", last_name: "King" },
      { first_name: "Ada", last_name: "King" }
    ],
    [
      "are joined",
      { input: { properties: properties("full_name") } },
      { first_name: "Ada", last_name: "Lovelace" },
      { full_name: "Ada Lovelace" }
    ],
    [
      "give a domain from a URL",
      { input: { properties: properties("domain") } },
      { url: "https://www.Example.com/x" },
      { domain: "example.com" }
    ],
    [
      "give a domain from an e-mail address",
      { input: { properties: properties("domain") } },
      { email: "ada@example.com" },
      { domain: "example.com" }
    ],
    [
      "leave a domain that was given",
      { input: { properties: properties("domain") } },
      { url: "https://x.org", domain: "example.com" },
      { domain: "example.com" }
    ],
    [
      "give no domain to an operation that takes the address itself",
      { input: { properties: properties("domain", "email") } },
      { email: "ada@example.com" },
      { email: "ada@example.com" }
    ],
    [
      "are left out where the operation has no place for them",
      { input: { properties: properties("email") } },
      { email: "a@b.co", company: "Acme" },
      { email: "a@b.co" }
    ],
    [
      "come under other names",
      { input: { properties: properties("name", "domain", "linkedin", "phone") } },
      { fullName: "Ada L", company_domain: "b.co", linkedinUrl: "linkedin.com/in/ada", phoneNumber: "+14155552671" },
      { name: "Ada L", domain: "b.co", linkedin: "linkedin.com/in/ada", phone: "+14155552671" }
    ],
    [
      "under another name give way to the name itself",
      { input: { properties: properties("name") } },
      { full_name: "Ada", name: "Grace", person_name: "Joan" },
      { name: "Grace" }
    ],
    [
      "give a domain from a URL where a domain is asked",
      { input: { properties: properties("domain") } },
      { domain: "https://www.Example.com/about" },
      { domain: "example.com" }
    ],
    [
      "give the URL itself where both are known",
      { input: { properties: properties("url", "domain") } },
      { website: "https://example.com/a" },
      { url: "https://example.com/a", domain: "example.com" }
    ],
    [
      "stay where the operation knows them under another name",
      { input: { properties: properties("organization") } },
      { organization: "Acme", host: "b.co", toString: 1 },
      { organization: "Acme", host: "b.co", toString: 1 }
    ]
  ]
  for (const [does, operation, input, prepared] of cases) {
    it(does, () =>
      assert.deepStrictEqual(prepareJob(endpointOf({ operation }), input), { _tag: "Accepted", input: prepared })
    )
  }

  it("leave unknown keys and nested values exactly as they are, and never change what was given", () => {
    const input = { first_name: "Ada", _mock: { outcome: "miss" }, list: [1, { email: "x" }] }
    const copy = structuredClone(input)
    const endpoint = endpointOf({
      operation: { input: { properties: { ...properties("firstName"), size: { default: 3 } } } }
    })
    assert.deepStrictEqual(prepareJob(endpoint, input), {
      _tag: "Accepted",
      input: { _mock: { outcome: "miss" }, list: [1, { email: "x" }], firstName: "Ada", size: 3 }
    })
    assert.deepStrictEqual(input, copy)
  })
})

describe("what stands against the input of a job", () => {
  const required = (names: ReadonlyArray<string>, accepts: JsonObject = {}) =>
    endpointOf({ operation: { input: { properties: properties(...names), required: names }, accepts } })
  const asked = (endpoint: ReturnType<typeof endpointOf>, input: JsonObject = {}) => {
    const prepared = prepareJob(endpoint, input)
    return prepared._tag === "Accepted" ? [] : prepared.problems.map(({ field }) => field)
  }

  it("names fields as the job does, not as the provider does", () => {
    assert.deepStrictEqual(asked(required(["q", "host"], { name: "q", domain: "host" })), ["name", "domain"])
    assert.deepStrictEqual(asked(required(["q"], { query: "q" })), ["query"])
    assert.deepStrictEqual(asked(required(["fullName", "organization_name"])), ["name", "company"])
    assert.deepStrictEqual(asked(required(["colour"])), ["colour"])
    const choices = {
      properties: properties("q", "host"),
      anyOf: [{ required: ["q"] }, { required: ["host"] }]
    }
    const either = endpointOf({ operation: { input: choices, accepts: { name: "q", domain: "host" } } })
    assert.deepStrictEqual(prepareJob(either, {}), {
      _tag: "Rejected",
      problems: [{ _tag: "Missing", field: "name", instead: [["domain"]] }]
    })
    assert.deepStrictEqual(prepareJob(either, { doamin: "example.com" }), {
      _tag: "Rejected",
      problems: [
        { _tag: "Missing", field: "name", instead: [["domain"]], mistyped: { written: "doamin", meant: "domain" } }
      ]
    })
  })

  it("keeps the provider's name of a field that was given under it", () => {
    const endpoint = endpointOf({
      operation: { input: { properties: { q: { maxLength: 3 } } }, accepts: { name: "q" } }
    })
    assert.deepStrictEqual(asked(endpoint, { name: "Ada Example" }), ["name"])
    assert.deepStrictEqual(asked(endpoint, { q: "Ada Example" }), ["q"])
    const tool = prepare(required(["q"], { name: "q" }), {})
    assert.deepStrictEqual(tool, { _tag: "Rejected", problems: [{ _tag: "Missing", field: "q" }] })
  })
})

describe("defaults below the first level", () => {
  const paged = {
    input: {
      properties: {
        page: { type: "object", properties: { size: { type: "integer", default: 25 }, from: { type: "integer" } } },
        list: { items: { properties: { n: { default: 1 } } } }
      }
    }
  }
  it("are filled into a copy: the request stays as it was sent", () => {
    const input = { page: { from: 2 }, list: [{}, { n: 3 }] }
    const copy = structuredClone(input)
    for (const prepared of [
      prepare(endpointOf({ operation: paged }), input),
      prepareJob(endpointOf({ operation: paged }), input)
    ]) {
      assert.deepStrictEqual(prepared, {
        _tag: "Accepted",
        input: { page: { from: 2, size: 25 }, list: [{ n: 1 }, { n: 3 }] }
      })
      assert.deepStrictEqual(input, copy)
    }
  })
})

describe("the input of a tool", () => {
  it("is the provider's own: no name is read as a common one, moved or left out", () => {
    const operation = {
      input: { properties: { ...properties("firstName", "domain"), size: { default: 3 } } },
      job: "people.email.find",
      accepts: { company: "domain" }
    }
    const input = {
      first_name: "Ada",
      company: "Acme",
      domain: "https://example.com/a",
      fullName: "Ada L",
      constructor: 1,
      toString: "text",
      "a.b": 2,
      "x.200000000": 1
    }
    assert.deepStrictEqual(prepare(endpointOf({ operation }), input), {
      _tag: "Accepted",
      input: { ...input, size: 3 }
    })
  })
})

describe("the operation's schema", () => {
  const schema = {
    type: "object",
    properties: {
      email: { type: "string" },
      limit: { type: "integer", minimum: 1 },
      kind: { enum: ["a", "b"] },
      people: { type: "array", items: { type: "object", required: ["age"], properties: { age: { type: "number" } } } }
    }
  }
  const problems = (input: JsonObject, more: object = {}, operation: object = {}) => {
    const prepared = prepare(endpointOf({ operation: { input: { ...schema, ...more }, ...operation } }), input)
    return prepared._tag === "Rejected" ? prepared.problems : []
  }

  it("names every missing field", () =>
    assert.deepStrictEqual(problems({}, { required: ["email", "kind"] }), [
      { _tag: "Missing", field: "email" },
      { _tag: "Missing", field: "kind" }
    ]))
  it("says which field of the input looks like a misspelt missing one, or like one that would do instead", () => {
    assert.deepStrictEqual(problems({ "E-Mail": "a", kidn: "a", other: 1 }, { required: ["email", "kind"] }), [
      { _tag: "Missing", field: "email", mistyped: { written: "E-Mail", meant: "email" } },
      { _tag: "Missing", field: "kind", mistyped: { written: "kidn", meant: "kind" } }
    ])
    assert.deepStrictEqual(
      problems({ peolpe: [] }, { anyOf: [{ required: ["email"] }, { required: ["people", "limit"] }] }),
      [
        {
          _tag: "Missing",
          field: "email",
          instead: [["people", "limit"]],
          mistyped: { written: "peolpe", meant: "people" }
        }
      ]
    )
  })
  it("takes no field for misspelt that the operation or every job knows, that is far off, or that is no name", () => {
    for (const input of [{ limit: 1 }, { phone: "1" }, { mail_address: "a" }, { ema: "a", "em\u0000ail": "a" }])
      assert.deepStrictEqual(problems(input, { required: ["email"] }), [{ _tag: "Missing", field: "email" }])
    assert.deepStrictEqual(problems({ ___: 1, r: 1 }, { required: ["q"] }), [{ _tag: "Missing", field: "q" }])
  })
  it("of several choices asks for the one that lacks least", () =>
    assert.deepStrictEqual(
      problems({ limit: 1 }, { anyOf: [{ required: ["email", "kind"] }, { required: ["limit", "kind"] }] }),
      [{ _tag: "Missing", field: "kind", instead: [["email", "kind"]] }]
    ))
  it("names what would do instead, of every choice that is open", () =>
    assert.deepStrictEqual(
      problems(
        {},
        {
          allOf: [
            { anyOf: [{ required: ["limit", "people"] }, { required: ["email"] }] },
            { oneOf: [{ required: ["kind"] }, { required: ["size"] }] }
          ]
        }
      ),
      [
        { _tag: "Missing", field: "email", instead: [["limit", "people"]] },
        { _tag: "Missing", field: "kind", instead: [["size"]] }
      ]
    ))
  it("says which fields are still needed beside given ones", () => {
    const choices = {
      required: ["limit"],
      anyOf: [{ required: ["email"] }, { required: ["kind", "people"] }]
    }
    assert.deepStrictEqual(fieldsStillNeeded(choices, []), ["limit", "email"])
    assert.deepStrictEqual(fieldsStillNeeded(choices, ["limit", "kind", "people"]), [])
    assert.deepStrictEqual(fieldsStillNeeded({}, []), [])
  })

  it("tells the fields that are still needed of the set that the example shows", () => {
    const schema = {
      required: ["domain"],
      anyOf: [{ required: ["name"] }, { required: ["first_name", "last_name"] }]
    }
    assert.deepStrictEqual(neededSets(schema), [
      ["domain", "name"],
      ["domain", "first_name", "last_name"]
    ])
    assert.deepStrictEqual(fieldsStillNeeded(schema, ["domain"]), ["name"])
    const shown = { domain: "example.com", first_name: "Ada", last_name: "Lovelace" }
    assert.deepStrictEqual(fieldsStillNeeded(schema, ["domain"], shown), ["first_name", "last_name"])
    // A choice that names no field needs none.
    assert.deepStrictEqual(neededSets({ oneOf: [{ required: ["a"] }, {}] }), [[]])
  })
  it("looks for a field of its own, not for one that objects inherit", () => {
    assert.deepStrictEqual(
      problems({}, { properties: { constructor: { type: "string" }, toString: { type: "string" } } }),
      []
    )
    assert.deepStrictEqual(problems({}, { required: ["valueOf"] }), [{ _tag: "Missing", field: "valueOf" }])
  })
  it("names a missing field inside a list", () =>
    assert.deepStrictEqual(problems({ people: [{ age: 1 }, {}] }), [{ _tag: "Missing", field: "people.1.age" }]))

  const sentences: ReadonlyArray<[input: JsonObject, field: string, message: string]> = [
    [{ email: 7 }, "email", "must be text"],
    [{ limit: "5" }, "limit", "must be a whole number"],
    [{ limit: 0 }, "limit", "must be at least 1"],
    [{ kind: "c" }, "kind", 'must be one of: "a", "b"'],
    [{ people: [{ age: "old" }] }, "people.0.age", "must be a number"]
  ]
  for (const [input, field, message] of sentences) {
    it(`says of ${JSON.stringify(input)}: ${field} ${message}`, () =>
      assert.deepStrictEqual(problems(input), [{ _tag: "Invalid", field, message }]))
  }

  it("is joined by the declared maximum volume, of numbers and of lists", () => {
    assert.deepStrictEqual(problems({ limit: 11 }, {}, { volume: { field: "limit", default: 1, max: 10 } }), [
      { _tag: "Invalid", field: "limit", message: "must be at most 10" }
    ])
    assert.deepStrictEqual(problems({ limit: 10 }, {}, { volume: { field: "limit", default: 1, max: 10 } }), [])
    // The schema says nothing of this field.
    assert.deepStrictEqual(problems({ pages: 0 }, {}, { volume: { field: "pages", default: 1, max: 10 } }), [
      { _tag: "Invalid", field: "pages", message: "must be at least 1" }
    ])
    assert.deepStrictEqual(
      problems({ people: [{ age: 1 }, { age: 2 }] }, {}, { volume: { field: "people", default: 1, max: 1 } }),
      [{ _tag: "Invalid", field: "people", message: "must have at most 1 items" }]
    )
  })
})
