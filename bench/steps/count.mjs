// Loaded before the gateway (`node --import`): counts the steps of Effect's runtime between the messages "begin" and
// "end" of the parent process, and answers "end" with the counts by place. The place of a step is the line, outside of
// the library, that made the effect, or else the effect that made it.
import { register } from "node:module"
import process from "node:process"

const places = new WeakMap()
let counting = false
let current
let counts = new Map()

const library = /node_modules\/effect\//
const placeOf = (stack) => {
  for (const line of stack.split("\n").slice(1)) {
    if (line.includes("runLoop")) return undefined
    if (library.test(line) || line.includes("/bench/steps/")) continue
    const found = /(?:file:\/\/)?([^()\s]+:\d+):\d+\)?$/.exec(line)?.[1]
    return found?.replace(/^.*\/node_modules\//, "").replace(/^.*\/dist\//, "dist/")
  }
  return undefined
}

Error.stackTraceLimit = 40
globalThis.steps = {
  made: (effect) => {
    const here = {}
    Error.captureStackTrace(here, globalThis.steps.made)
    const place = placeOf(here.stack) ?? (current === undefined ? undefined : places.get(current))
    if (place !== undefined) places.set(effect, place)
  },
  goesOn: (continuation) => {
    current = continuation
  },
  ran: (effect) => {
    current = effect
    if (!counting) return
    const place = places.get(effect) ?? "elsewhere"
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
}

process.on("message", (message) => {
  counting = message === "begin"
  if (counting) counts = new Map()
  else process.send([...counts])
})
// The channel to the parent alone keeps nothing alive.
process.channel?.unref()

register("./hook.mjs", import.meta.url)
