/**
 * Runs before each test file that shares its process with others (vitest.config.ts). It takes care that a file finds
 * the process as the one before it did, and fails a file that leaves something else behind.
 */
import { it, makeMethods } from "@effect/vitest"
import { afterAll, assert } from "vitest"

// `layer` of @effect/vitest puts its own `effect` and `scoped` on the one `it` of all files. These are the usual.
makeMethods(it)

const replaceable = ["Date", "fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "console"] as const

const found = (): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...replaceable.map((name) => [name, globalThis[name]] as const),
    ...process
      .eventNames()
      .filter((name) => typeof name === "string" && /^(SIG|uncaught|unhandled)/.test(name))
      .map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    ["process.cwd()", process.cwd()],
    ["process.exitCode", process.exitCode],
    ["Date.now", Date.now],
    ["Math.random", Math.random]
  ])

const before = found()
afterAll(() => {
  const after = found()
  assert.deepStrictEqual(
    // Names alone: a value of the environment may be a secret.
    [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name)),
    [],
    "this file changes its process: undo it, or name the file in test/isolated.js"
  )
})
