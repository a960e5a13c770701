/**
 * Runs before each test file that shares its process with others (vitest.config.ts). It takes care that a file finds
 * the process as the one before it did, and fails a file that leaves something else behind.
 */
import { it, makeMethods } from "@effect/vitest"
import { afterAll, assert } from "vitest"

// `layer` of @effect/vitest puts its own `effect` and `scoped` on the one `it` of all files. These are the usual.
makeMethods(it)

const named = ["Date", "fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "console"] as const

const found = () => ({
  env: { ...process.env },
  folder: process.cwd(),
  now: Date.now,
  random: Math.random,
  stdout: process.stdout.write,
  stderr: process.stderr.write,
  exitCode: process.exitCode,
  listeners: process
    .eventNames()
    .filter((name) => typeof name === "string" && /^(SIG|uncaught|unhandled|warning)/.test(name))
    .map((name) => [name, process.listenerCount(name)]),
  ...Object.fromEntries(named.map((name) => [name, globalThis[name]]))
})

const before = found()
afterAll(() =>
  assert.deepStrictEqual(
    found(),
    before,
    "this file changes its process: undo it, or name the file in test/isolated.js"
  )
)
