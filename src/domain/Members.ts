/**
 * The members of an object under names that came from outside. A plain object answers `constructor` and `toString` with
 * functions that nobody put there, and an assignment to `__proto__` changes what it inherits: these two see and set own
 * members only. Lint refuses every other look-up by a name that is only known at run time (`eslint/openLookup.js`).
 */

/** The object's own member of this name; undefined when it has none. */
export const member = <A>(object: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Makes or replaces an own member, whatever its name. */
export const setMember = <A>(object: { [name: string]: A }, name: string, value: A): void => {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  else object[name] = value
}
