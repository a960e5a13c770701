/**
 * Whether a new key has the form that its provider takes, such as `user:password`. It is checked before the key is
 * kept, so that nobody finds out at the first run. It does not say whether the provider accepts the key.
 */
import { Redacted } from "effect"
import type { FieldProblem } from "../../domain/ApiErrors.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { type KeyOwner, keyProblem } from "../providers/KeyPlacement.js"
import { inOneLine, secretProblem } from "./SecretText.js"

/**
 * Null when the key has the form that one of these takes: a catalog may list a provider with several kinds of keys.
 * What is no key at all is left to `secretProblem`.
 */
export const keyFormProblem = (
  providers: ReadonlyArray<Pick<Endpoint["provider"], "auth" | "variables">>,
  given: Redacted.Redacted<string>,
  owner: KeyOwner
): FieldProblem | null => {
  const secret = inOneLine(given)
  if (secretProblem(secret) !== null) return null
  const problems = providers.map((provider) => keyProblem(provider, Redacted.value(secret), owner))
  const [first = null] = problems
  return first === null || problems.includes(null) ? null : { field: "secret", message: first }
}
