/**
 * The policy of a workspace: what its rules admit, that another policy or a denial can only narrow it, and what an
 * operator can change.
 */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { policyRulesMax } from "../../src/domain/limits/Workspaces.js"
import {
  changedPolicy,
  denialOf,
  isUnrestricted,
  narrowed,
  type PolicyChange,
  type PolicyRule,
  readRule,
  rulesOf,
  ruleText,
  sayDenial,
  type Subject,
  unrestricted,
  WorkspacePolicy
} from "../../src/domain/WorkspacePolicy.js"

/** Few ids, so that rules and operations meet. */
const id = fc.constantFrom("a", "b", "c")
const list = fc.uniqueArray(id, { maxLength: 3 })
const listOrAll = fc.option(list, { nil: null })
const policy: fc.Arbitrary<WorkspacePolicy> = fc.record({
  allowed: fc.record({ provider: listOrAll, category: listOrAll, endpoint: listOrAll }),
  denied: fc.record({ provider: list, category: list, endpoint: list, effectful: fc.boolean() })
})
const subject: fc.Arbitrary<Subject> = fc.record({ endpoint: id, provider: id, category: id, effectful: fc.boolean() })
const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({ kind: fc.constantFrom("provider" as const, "category" as const, "endpoint" as const), id }),
  fc.constant({ kind: "effectful" } as const)
)
const change: fc.Arbitrary<PolicyChange> = fc.record({
  reset: fc.boolean(),
  allow: fc.array(rule, { maxLength: 3 }),
  deny: fc.array(rule, { maxLength: 3 })
})
const admits = (of: WorkspacePolicy, operation: Subject): boolean => denialOf(of, operation) === null

const rules = (...texts: ReadonlyArray<string>): ReadonlyArray<PolicyRule> =>
  texts.map((text) => Either.getOrThrow(readRule(text)))
const policyOf = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>): WorkspacePolicy =>
  Either.getOrThrow(changedPolicy(unrestricted, { reset: false, allow: rules(...allow), deny: rules(...deny) }))
const operation: Subject = { endpoint: "acme-find", provider: "acme", category: "people", effectful: false }
const said = (of: WorkspacePolicy, changes: Partial<Subject> = {}): string | null => {
  const denial = denialOf(of, { ...operation, ...changes })
  return denial === null ? null : sayDenial(denial)
}

describe("the policy of a workspace", () => {
  it("admits everything by default", () => {
    assert.isTrue(isUnrestricted(unrestricted))
    fc.assert(fc.property(subject, (each) => admits(unrestricted, each)))
  })

  it("admits an operation when nothing of it is denied and every list of allowed ids names it", () => {
    fc.assert(
      fc.property(policy, subject, (of, each) => {
        const kinds = ["provider", "category", "endpoint"] as const
        const denied = kinds.some((kind) => of.denied[kind].some((one) => one === each[kind]))
        const listed = kinds.every((kind) => of.allowed[kind]?.some((one) => one === each[kind]) ?? true)
        assert.strictEqual(admits(of, each), !denied && listed && !(of.denied.effectful && each.effectful))
      })
    )
  })

  it("combined with another one admits exactly what both admit, so it never admits more than either", () => {
    fc.assert(
      fc.property(policy, policy, subject, (one, other, each) => {
        assert.strictEqual(admits(narrowed(one, other), each), admits(one, each) && admits(other, each))
      })
    )
  })

  it("never admits more after a rule of denial is added", () => {
    fc.assert(
      fc.property(policy, fc.array(rule, { maxLength: 3 }), subject, (before, deny, each) => {
        const after = Either.getOrThrow(changedPolicy(before, { reset: false, allow: [], deny }))
        assert.isTrue(admits(before, each) || !admits(after, each))
      })
    )
  })

  it("admits nothing that a rule of denial names, whatever is allowed", () => {
    fc.assert(
      fc.property(policy, rule, subject, (before, deny, each) => {
        const after = Either.getOrThrow(changedPolicy(before, { reset: false, allow: [], deny: [deny] }))
        const named = deny.kind === "effectful" ? each.effectful : each[deny.kind] === deny.id
        assert.isFalse(named && admits(after, each))
      })
    )
  })

  it("does not become another one when a change is made twice", () => {
    fc.assert(
      fc.property(policy, change, (before, changes) => {
        const once = changedPolicy(before, changes)
        if (Either.isLeft(once)) return
        assert.deepStrictEqual(changedPolicy(once.right, changes), once)
      })
    )
  })

  it("starts anew with a reset", () => {
    fc.assert(
      fc.property(policy, change, (before, changes) => {
        const reset = { ...changes, reset: true }
        assert.deepStrictEqual(changedPolicy(before, reset), changedPolicy(unrestricted, reset))
      })
    )
    assert.deepStrictEqual(
      changedPolicy(policyOf(["provider:acme"], ["effectful"]), { reset: true, allow: [], deny: [] }),
      Either.right(unrestricted)
    )
  })

  it("is the same after it was stored and read, and after its rules were written and read", () => {
    const stored = Schema.parseJson(WorkspacePolicy)
    fc.assert(
      fc.property(policy, (of) => {
        assert.deepStrictEqual(Schema.decodeSync(stored)(Schema.encodeSync(stored)(of)), of)
      })
    )
    fc.assert(
      fc.property(change, (changes) => {
        const made = changedPolicy(unrestricted, changes)
        if (Either.isLeft(made)) return
        const { allow, deny } = rulesOf(made.right)
        const again = { reset: true, allow: rules(...allow.map(ruleText)), deny: rules(...deny.map(ruleText)) }
        assert.deepStrictEqual(changedPolicy(unrestricted, again), made)
      })
    )
  })

  it("says what denies an operation", () => {
    assert.isNull(said(unrestricted))
    assert.strictEqual(said(policyOf([], ["provider:acme"])), "The policy of this workspace denies the provider acme.")
    assert.strictEqual(
      said(policyOf(["provider:acme"], ["category:people"])),
      "The policy of this workspace denies the category people."
    )
    assert.strictEqual(
      said(policyOf([], ["endpoint:acme-find"])),
      "The policy of this workspace denies the endpoint acme-find."
    )
    assert.isNull(said(policyOf([], ["effectful"])))
    assert.strictEqual(
      said(policyOf([], ["effectful"]), { effectful: true }),
      "The policy of this workspace denies effectful operations."
    )
    assert.strictEqual(
      said(policyOf(["category:web", "category:places"], [])),
      "The policy of this workspace allows only certain categories, and people is not one of them."
    )
  })

  it("holds the lists of several kinds together", () => {
    const both = policyOf(["provider:acme", "category:people"], [])
    assert.isNull(said(both))
    assert.isNotNull(said(both, { category: "web" }))
    assert.isNotNull(said(both, { provider: "bats" }))
  })

  it("takes a denial of effectful operations back when they are allowed", () => {
    const denied = policyOf([], ["effectful"])
    assert.deepStrictEqual(
      changedPolicy(denied, { reset: false, allow: rules("effectful"), deny: [] }),
      Either.right(unrestricted)
    )
  })

  it("refuses to allow what it denies, and always takes a denial", () => {
    const denied = policyOf([], ["provider:acme"])
    assert.deepStrictEqual(
      changedPolicy(denied, { reset: false, allow: rules("provider:acme"), deny: [] }),
      Either.left({
        field: "allow",
        message: "must not name provider:acme, which the policy denies; reset the policy to take a denial back"
      })
    )
    for (const text of ["effectful", "endpoint:x"]) {
      const contradiction = { reset: true, allow: rules(text), deny: rules(text) }
      assert.isTrue(Either.isLeft(changedPolicy(unrestricted, contradiction)))
    }
    const allowed = policyOf(["provider:acme"], [])
    const after = changedPolicy(allowed, { reset: false, allow: [], deny: rules("provider:acme") })
    assert.isFalse(admits(Either.getOrThrow(after), operation))
    assert.isFalse(admits(Either.getOrThrow(after), { ...operation, provider: "bats" }))
  })

  it("has a bounded number of rules", () => {
    const many = (count: number) =>
      changedPolicy(unrestricted, {
        reset: false,
        allow: [],
        deny: Array.from({ length: count }, (_, n) => ({ kind: "endpoint", id: `e${n}` }) as const)
      })
    assert.isTrue(Either.isRight(many(policyRulesMax)))
    assert.deepStrictEqual(
      many(policyRulesMax + 1),
      Either.left({ field: "policy", message: "must have at most 100 rules; this would make 101" })
    )
  })

  it("reads rules as an operator writes them, and refuses everything else", () => {
    for (const text of ["provider:acme.io", "category:people", "endpoint:Acme_find~1.x", "effectful"])
      assert.strictEqual(ruleText(Either.getOrThrow(readRule(text))), text)
    for (const text of [
      "",
      "acme",
      "provider:",
      "provider:ACME",
      "category: people",
      "endpoint:job:people.find",
      "effectful:x"
    ])
      assert.deepStrictEqual(
        readRule(text),
        Either.left("must be provider:<id>, category:<id>, endpoint:<id> or effectful")
      )
  })
})
