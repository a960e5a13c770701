/**
 * Gauges of the process and of the disk under its data folder, read in the background. A disk that cannot be looked at
 * has no gauge; everything else works without it.
 */
import { Effect, Layer, Metric, Option } from "effect"
import { resolve } from "node:path"
import { performance } from "node:perf_hooks"
import { everySoOften } from "./Background.js"
import { dataDisk } from "./DataDisk.js"

const lookSeconds = 15

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Memory of the process" })
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "CPU that the process has used",
  incremental: true
})
const busy = Metric.gauge("gateway_event_loop_utilization", {
  description: "Share of the last seconds in which the main thread was busy, 0 to 1"
})
const diskFree = Metric.gauge("gateway_data_disk_free_bytes", {
  description: "Free space for this process on the disk of the data folder"
})
const diskSize = Metric.gauge("gateway_data_disk_size_bytes", { description: "Size of the disk of the data folder" })

export const ProcessGauges = ({ dataDir }: { readonly dataDir: string }): Layer.Layer<never> =>
  Layer.scopedDiscard(
    Effect.suspend(() => {
      let before = performance.eventLoopUtilization()
      let used = 0
      const look = Effect.gen(function* () {
        const { system, user } = process.cpuUsage()
        const seconds = (user + system) / 1e6
        const since = performance.eventLoopUtilization(before)
        before = performance.eventLoopUtilization()
        yield* Metric.set(busy, since.utilization)
        yield* Metric.incrementBy(cpu, seconds - used)
        used = seconds
        yield* Metric.set(memory, process.memoryUsage.rss())
        const disk = yield* Effect.option(dataDisk(resolve(dataDir)))
        if (Option.isSome(disk)) {
          yield* Metric.set(diskFree, disk.value.freeBytes)
          yield* Metric.set(diskSize, disk.value.sizeBytes)
        }
      })
      return everySoOften({ name: "looking at the process", every: `${lookSeconds} seconds`, firstAtOnce: true }, look)
    })
  )
