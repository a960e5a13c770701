/** The gauges of the disk, also where the data folder is not made yet: with DATABASE_URL nothing makes it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, MetricState } from "effect"
import { dataDisk } from "../../../src/layers/node/DataDisk.js"
import { ProcessGauges } from "../../../src/layers/node/ProcessGauges.js"
import { eventually } from "../../support/eventually.js"

const gauge = (name: string): number | null => {
  const found = Metric.unsafeSnapshot().find(({ metricKey }) => metricKey.name === name)
  return found !== undefined && MetricState.isGaugeState(found.metricState) ? Number(found.metricState.value) : null
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-disk-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("the disk of the data folder", () => {
  it.scopedLive("has its gauges when the folder is not there yet", () =>
    Effect.gen(function* () {
      const place = join(yield* folder, "not", "made")
      yield* Layer.build(ProcessGauges({ dataDir: place }))
      yield* eventually(
        Effect.sync(() => [gauge("gateway_data_disk_free_bytes") ?? 0, gauge("gateway_data_disk_size_bytes") ?? 0]),
        ([free = 0, size = 0]) => free > 0 && size >= free
      )
    })
  )

  it.scopedLive("is that of the nearest folder above it", () =>
    Effect.gen(function* () {
      const there = yield* folder
      assert.strictEqual((yield* dataDisk(join(there, "not", "made"))).place, there)
      assert.strictEqual((yield* dataDisk(there)).place, there)
    })
  )
})
