/** The options of the gateway that `src/testing.ts` makes for a test, and what is wrong with them. */
import { Data, Either, Predicate } from "effect"
import { parse } from "yaml"
import { cutText } from "../../domain/Characters.js"
import type { JobManifest, ProviderManifest } from "../../domain/Manifest.js"
import { microsPerUsd } from "../../domain/Micros.js"
import { scopes as allScopes, type Scope } from "../../domain/Scope.js"
import type { Scripted } from "../providers/ProvidersScripted.js"
import { scriptMistake } from "../providers/ScriptMistakes.js"
import type { DispatcherOptions } from "../runs/dispatch/DispatcherQueue.js"

/** Text of a YAML file, or what it would be parsed to. With `operations` it is a provider, otherwise a job. */
export type Manifest = string | typeof ProviderManifest.Encoded | typeof JobManifest.Encoded

export interface TestGatewayOptions {
  /**
   * What endpoints answer, in order; the last step repeats. A function decides when it is called. An endpoint without a
   * script answers its documented hit.
   */
  readonly providers?: { readonly [endpointId: string]: Scripted | ReadonlyArray<Scripted> } | undefined
  /** Providers and jobs beside the built-in ones. */
  readonly manifests?: ReadonlyArray<Manifest> | undefined
  /**
   * `fixtures` (default): the operations of the fixture providers, `mock-email-find` and so on; `all`: those of every
   * built-in provider.
   */
  readonly catalog?: "fixtures" | "all" | undefined
  /** Balance of the caller in dollars; 100 by default. */
  readonly usd?: number | undefined
  /** What the caller's token may do; everything by default. */
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /** Runs in flight; by default as in production. */
  readonly inflightLimit?: number | undefined
  /** Requests over HTTP; without it there is no limit that a test would reach. */
  readonly requestRate?: { readonly burst: number; readonly refillPerSecond: number } | undefined
  readonly dispatcher?: Partial<DispatcherOptions> | undefined
}

/** The options of a test gateway do not fit together. */
export class TestGatewayInvalid extends Data.TaggedError("TestGatewayInvalid")<{ readonly message: string }> {}

const parsed = (text: string): unknown => Either.getOrNull(Either.try((): unknown => parse(text)))

/** JSON is YAML, so that objects and texts go the same way and have the same errors. */
export const textsOf = (manifests: ReadonlyArray<Manifest>) => {
  const jobs: Array<{ readonly file: string; readonly text: string }> = []
  const providers: typeof jobs = []
  for (const [index, manifest] of manifests.entries()) {
    const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest)
    const value = parsed(text)
    const list = typeof value === "object" && value !== null && "operations" in value ? providers : jobs
    list.push({ file: `manifests[${index}]`, text })
  }
  return { jobs, providers }
}

/** Null when the value of the option of this name is right. */
type Check = (value: unknown, name: string) => string | null

const must =
  (what: string, holds: (value: unknown) => boolean): Check =>
  (value, name) =>
    holds(value) ? null : `${name} must be ${what}`

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0
const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text that is one word or line of YAML is no manifest, and mostly the path of one. */
const manifestsCheck: Check = (value, name) => {
  if (!Array.isArray(value)) return `${name} must be a list`
  const manifests: ReadonlyArray<unknown> = value
  for (const [index, manifest] of manifests.entries())
    if (typeof manifest === "string" && typeof parsed(manifest) === "string") {
      const word = JSON.stringify(cutText(manifest, 100))
      return `${name}[${index}] must be the text of a manifest, and looks like a path: write readFileSync(${word}, "utf8")`
    }
  return null
}

const scriptsCheck: Check = (value, name) => {
  if (!isRecord(value)) return `${name} must be an object with a script by the id of an endpoint`
  for (const [endpointId, script] of Object.entries(value)) {
    const steps: ReadonlyArray<unknown> = Array.isArray(script) ? script : [script]
    const mistake = scriptMistake(`${name}["${endpointId}"]`, steps)
    if (mistake !== null) return mistake
  }
  return null
}

/** What the compiler says of most of such values, for tests in JavaScript. */
const checks: { readonly [Name in keyof Required<TestGatewayOptions>]: Check } = {
  providers: scriptsCheck,
  manifests: manifestsCheck,
  catalog: must(`"fixtures" or "all"`, (value) => value === "fixtures" || value === "all"),
  usd: must(
    "an amount of dollars, 0 or more",
    (value) => typeof value === "number" && value >= 0 && Number.isSafeInteger(Math.round(value * microsPerUsd))
  ),
  scopes: must(
    `a list of one or more of ${allScopes.join(", ")}`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((scope: unknown) => allScopes.some((known) => known === scope))
  ),
  inflightLimit: must("a whole number, 1 or more", (value) => Number.isInteger(value) && Number(value) >= 1),
  requestRate: must(
    "{ burst, refillPerSecond }, each a number above 0",
    (value) =>
      Predicate.hasProperty(value, "burst") &&
      Predicate.hasProperty(value, "refillPerSecond") &&
      isPositive(value.burst) &&
      isPositive(value.refillPerSecond)
  ),
  dispatcher: must("an object", isRecord)
}

const known = new Map(Object.entries(checks))

/** The first thing that is wrong with the options by themselves; whether they fit the catalog is seen with it. */
export const mistakeIn = (options: TestGatewayOptions): string | null => {
  for (const [name, value] of Object.entries(options)) {
    const check = known.get(name)
    if (check === undefined) return `testGateway has no option ${name}; there are ${[...known.keys()].join(", ")}`
    const mistake = value === undefined ? null : check(value, name)
    if (mistake !== null) return mistake
  }
  return null
}
