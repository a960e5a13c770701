// Loaded before the gateway (`node --import`), which has a young generation that is not collected meanwhile: answers
// the message "end" of the parent process with the bytes that were allocated since its "begin", or null where
// something was collected.
import { PerformanceObserver } from "node:perf_hooks"
import process from "node:process"

let collected = false
let before = 0
new PerformanceObserver(() => (collected = true)).observe({ entryTypes: ["gc"] })

// The observer is told of a collection in a later turn.
const later = (work) => setTimeout(work, 50)

process.on("message", (message) => {
  if (message === "begin") {
    globalThis.gc()
    return later(() => {
      collected = false
      before = process.memoryUsage().heapUsed
      process.send("begun")
    })
  }
  const allocated = process.memoryUsage().heapUsed - before
  later(() => process.send(collected ? null : allocated))
})
// The channel to the parent alone keeps nothing alive.
process.channel?.unref()
