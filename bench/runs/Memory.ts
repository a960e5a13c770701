// What a gateway keeps in memory under full load: after its start, at the end, and whether it still grows.
import { load } from "./Load.js"
import { gatewayIn, newFolder, payingTokens, asOperator, remove, type Settings } from "./Gateways.js"
import { paidRunsWith, settled } from "./PaidRun.js"
import { residentMegabytes } from "./Usage.js"

interface Resident {
  readonly startMegabytes: number
  readonly endMegabytes: number
  /** Megabytes a minute over the last three fifths of the time, by least squares. */
  readonly slope: number
  readonly requests: number
}

const everyMillis = 2_000

const slopeOf = (points: ReadonlyArray<readonly [minute: number, megabytes: number]>): number => {
  const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([minute]) => minute)), mean(points.map(([, megabytes]) => megabytes))]
  const spread = points.reduce((sum, [minute]) => sum + (minute - x) ** 2, 0)
  return points.reduce((sum, [minute, megabytes]) => sum + (minute - x) * (megabytes - y), 0) / spread
}

export const residentUnderLoad = async (
  { connections, minutes, workspaces }: { [name in "minutes" | "connections" | "workspaces"]: number },
  settings: Settings
): Promise<Resident> => {
  const folder = newFolder()
  const gateway = await gatewayIn(folder, settings)
  const startMegabytes = residentMegabytes(gateway.process.pid ?? 0)
  const tokens = await asOperator(gateway.settings)(payingTokens(workspaces))
  const points: Array<readonly [number, number]> = []
  const begin = performance.now()
  const sampling = setInterval(() => {
    points.push([(performance.now() - begin) / 60_000, residentMegabytes(gateway.process.pid ?? 0)])
  }, everyMillis)
  try {
    const { requests } = await load(gateway.url, connections, minutes * 60, paidRunsWith(tokens), settled)
    const endMegabytes = residentMegabytes(gateway.process.pid ?? 0)
    const late = points.filter(([minute]) => minute > minutes * 0.4)
    return { startMegabytes, endMegabytes, slope: slopeOf(late), requests }
  } finally {
    clearInterval(sampling)
    await gateway.stop()
    await remove(folder)
  }
}
