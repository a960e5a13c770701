/**
 * The policy of a workspace: which operations its runs may use. This is the one place of its rules.
 *
 * - A policy speaks of providers, categories and endpoints by their ids, and of effectful operations as a whole.
 *   Without a policy everything is allowed.
 * - A denied provider, category or endpoint denies every operation of it. Deny wins over allow.
 * - Where a kind has a list of what is allowed, only the ids on it are. The lists of several kinds hold together: with
 *   `provider:acme` and `category:people` only those operations of acme are allowed that belong to people.
 * - Effectful operations have no list: they are allowed unless they are denied.
 * - The category of an operation is the one that the catalog shows.
 *
 * A policy is asked when a run is planned. What was admitted was allowed then, and is finished under any later policy.
 */
import { Either, Schema } from "effect"
import type { FieldProblem } from "./ApiErrors.js"
import { policyRulesMax } from "./limits/Workspaces.js"
import { EndpointId, ProviderId } from "./Manifest.js"

const ids = Schema.Array(Schema.String)

export const WorkspacePolicy = Schema.Struct({
  /** Null: all of the kind. An empty list: none of it. */
  allowed: Schema.Struct({
    provider: Schema.NullOr(ids),
    category: Schema.NullOr(ids),
    endpoint: Schema.NullOr(ids)
  }),
  denied: Schema.Struct({ provider: ids, category: ids, endpoint: ids, effectful: Schema.Boolean })
})
export type WorkspacePolicy = typeof WorkspacePolicy.Type

const kinds = ["endpoint", "provider", "category"] as const
type Kind = (typeof kinds)[number]

/** Allows everything. */
export const unrestricted: WorkspacePolicy = {
  allowed: { provider: null, category: null, endpoint: null },
  denied: { provider: [], category: [], endpoint: [], effectful: false }
}

export const isUnrestricted = ({ allowed, denied }: WorkspacePolicy): boolean =>
  !denied.effectful && kinds.every((kind) => allowed[kind] === null && denied[kind].length === 0)

/** What a policy looks at in an operation. */
export interface Subject {
  readonly endpoint: string
  readonly provider: string
  readonly category: string
  readonly effectful: boolean
}

/** Why a policy denies an operation: it is denied by name, or it is not on a list of what is allowed. */
export type PolicyDenial =
  | { readonly _tag: "Denied" | "NotAllowed"; readonly kind: Kind; readonly id: string }
  | { readonly _tag: "EffectfulDenied" }

/** The first thing in a policy that denies this operation; null when the policy allows it. */
export const denialOf = ({ allowed, denied }: WorkspacePolicy, subject: Subject): PolicyDenial | null => {
  for (const kind of kinds) {
    if (denied[kind].includes(subject[kind])) return { _tag: "Denied", kind, id: subject[kind] }
  }
  if (denied.effectful && subject.effectful) return { _tag: "EffectfulDenied" }
  for (const kind of kinds) {
    if (allowed[kind]?.includes(subject[kind]) === false) return { _tag: "NotAllowed", kind, id: subject[kind] }
  }
  return null
}

const plural = { endpoint: "endpoints", provider: "providers", category: "categories" } as const

/** What the policy does, such as "denies the provider acme". */
export const denialText = (denial: PolicyDenial): string => {
  switch (denial._tag) {
    case "Denied":
      return `denies the ${denial.kind} ${denial.id}`
    case "EffectfulDenied":
      return "denies effectful operations"
    case "NotAllowed":
      return `allows only certain ${plural[denial.kind]}, and ${denial.id} is not one of them`
  }
}

/** The same as a sentence for the client. */
export const sayDenial = (denial: PolicyDenial): string => `The policy of this workspace ${denialText(denial)}.`

const both = (one: ReadonlyArray<string> | null, other: ReadonlyArray<string> | null): ReadonlyArray<string> | null =>
  one === null ? other : other === null ? one : one.filter((id) => other.includes(id))
const either = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([...one, ...other])
]

/** Allows what both policies allow, and nothing else. */
export const narrowed = (one: WorkspacePolicy, other: WorkspacePolicy): WorkspacePolicy => ({
  allowed: {
    provider: both(one.allowed.provider, other.allowed.provider),
    category: both(one.allowed.category, other.allowed.category),
    endpoint: both(one.allowed.endpoint, other.allowed.endpoint)
  },
  denied: {
    provider: either(one.denied.provider, other.denied.provider),
    category: either(one.denied.category, other.denied.category),
    endpoint: either(one.denied.endpoint, other.denied.endpoint),
    effectful: one.denied.effectful || other.denied.effectful
  }
})

/** One rule as an operator writes it: `provider:<id>`, `category:<id>`, `endpoint:<id>` or `effectful`. */
export type PolicyRule = { readonly kind: Kind; readonly id: string } | { readonly kind: "effectful" }

const isId = {
  provider: Schema.is(ProviderId),
  category: Schema.is(Schema.NonEmptyTrimmedString.pipe(Schema.maxLength(200))),
  endpoint: Schema.is(EndpointId)
} as const

/** Left: what a rule must be. */
export const readRule = (text: string): Either.Either<PolicyRule, string> => {
  if (text === "effectful") return Either.right({ kind: "effectful" })
  const colon = text.indexOf(":")
  const kind = kinds.find((each) => each === text.slice(0, colon))
  const id = text.slice(colon + 1)
  return kind !== undefined && isId[kind](id)
    ? Either.right({ kind, id })
    : Either.left("must be provider:<id>, category:<id>, endpoint:<id> or effectful")
}

export const ruleText = (rule: PolicyRule): string =>
  rule.kind === "effectful" ? rule.kind : `${rule.kind}:${rule.id}`

/** The rules of a policy, in a fixed order. */
export const rulesOf = ({
  allowed,
  denied
}: WorkspacePolicy): { readonly allow: ReadonlyArray<PolicyRule>; readonly deny: ReadonlyArray<PolicyRule> } => {
  const rules = (lists: { readonly [kind in Kind]: ReadonlyArray<string> | null }) =>
    kinds.flatMap((kind) => (lists[kind] ?? []).map((id): PolicyRule => ({ kind, id })))
  return {
    allow: rules(allowed),
    deny: [...rules(denied), ...(denied.effectful ? [{ kind: "effectful" } as const] : [])]
  }
}

/** The rules as one text, whatever order they were given in: equal for equal policies alone. */
export const policyText = (policy: WorkspacePolicy): string => {
  const { allow, deny } = rulesOf(policy)
  const lines = (word: string, rules: ReadonlyArray<PolicyRule>) =>
    rules.map((rule) => `${word} ${ruleText(rule)}`).sort()
  return [...lines("allow", allow), ...lines("deny", deny)].join("\n")
}

/** What an operator changes of a policy. The rules are added to those that are there, or replace them with `reset`. */
export interface PolicyChange {
  readonly reset: boolean
  readonly allow: ReadonlyArray<PolicyRule>
  readonly deny: ReadonlyArray<PolicyRule>
}

const withIds = (before: ReadonlyArray<string>, kind: Kind, rules: ReadonlyArray<PolicyRule>): ReadonlyArray<string> =>
  either(
    before,
    rules.flatMap((rule) => (rule.kind === kind ? [rule.id] : []))
  )

/**
 * The policy after a change. `allow: effectful` takes back `deny: effectful`. A rule that is denied cannot be allowed
 * as well: this would change nothing for it and would shut out everything else. A denial is always taken, so that an
 * operator can deny at once what an older rule allows.
 */
export const changedPolicy = (
  before: WorkspacePolicy,
  { allow, deny, reset }: PolicyChange
): Either.Either<WorkspacePolicy, FieldProblem> => {
  const { allowed, denied } = reset ? unrestricted : before
  const denies = (kind: Kind) => withIds(denied[kind], kind, deny)
  const allows = (kind: Kind) => {
    const list = withIds(allowed[kind] ?? [], kind, allow)
    return list.length === 0 ? allowed[kind] : list
  }
  const isDenied = (rule: PolicyRule): boolean =>
    rule.kind === "effectful" ? deny.some(({ kind }) => kind === rule.kind) : denies(rule.kind).includes(rule.id)
  const contradicted = allow.find(isDenied)
  if (contradicted !== undefined)
    return Either.left({
      field: "allow",
      message: `must not name ${ruleText(contradicted)}, which the policy denies; reset the policy to take a denial back`
    })
  const effectful = deny.some(({ kind }) => kind === "effectful")
    ? true
    : denied.effectful && !allow.some(({ kind }) => kind === "effectful")
  const after: WorkspacePolicy = {
    allowed: { provider: allows("provider"), category: allows("category"), endpoint: allows("endpoint") },
    denied: { provider: denies("provider"), category: denies("category"), endpoint: denies("endpoint"), effectful }
  }
  const rules = rulesOf(after)
  const count = rules.allow.length + rules.deny.length
  return count > policyRulesMax
    ? Either.left({ field: "policy", message: `must have at most ${policyRulesMax} rules; this would make ${count}` })
    : Either.right(after)
}
