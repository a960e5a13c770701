/**
 * What ought to happen to money, limits and keys, in plain numbers: the promises of the contract once more, written
 * apart from `src/domain`, so that one mistake cannot be on both sides. Pure: a command and a world in, the answer and
 * the next world out.
 */
export interface ModelWorkspace {
  readonly available: number
  readonly reserved: number
  readonly inflight: number
  readonly inflightLimit: number
  readonly runCap: number | null
  readonly runsPerMinute: number | null
  readonly minuteStartedAt: number
  readonly minuteCount: number
}

export interface ModelToken {
  readonly workspace: number
  readonly limit: number | null
  readonly month: string
  readonly spent: number
  readonly revoked: boolean
}

export type ModelStatus = "running" | "completed" | "failed" | "blocked" | "reconciliation_pending"

/** What a run asks for, and what its provider will answer. */
export interface Order {
  /** Unlike any other's. */
  readonly name: string
  readonly workspace: number
  readonly token: number
  readonly key: string
  readonly tool: Tool
  readonly volume: number
  readonly answer: Answer
  /** The provider does not answer before it is told to. */
  readonly slow: boolean
}

export interface ModelRun {
  readonly order: Order
  readonly status: ModelStatus
  readonly hold: number
  readonly charge: number | null
  readonly month: string
}

export interface World {
  readonly now: number
  readonly workspaces: ReadonlyArray<ModelWorkspace>
  readonly tokens: ReadonlyArray<ModelToken>
  /** In the order in which they were made. */
  readonly runs: ReadonlyArray<ModelRun>
}

export type Tool = "find" | "send" | "search" | "geocode" | "unknown"
export const effectful = (tool: Tool): boolean => tool === "send"

/** What the gateway tells a client, as far as it is determined. */
export type Told = ReadonlyArray<string | number | null>

const maxPrice = (tool: Tool, volume: number): number =>
  ({ find: 5_000, send: 10_000, search: 500 * volume, geocode: 0, unknown: 0 })[tool]
const cannotRun = (tool: Tool, volume: number): boolean =>
  tool === "unknown" || (tool === "search" && (volume < 1 || volume > 100))

/** Each answer of a provider: the cost that may be passed on, at most the hold, and how the run ends. */
export const answers = {
  "hit for 0": [0, "completed"],
  "hit for 1": [1, "completed"],
  "hit for 1,234": [1_234, "completed"],
  "hit above the hold": [1e12, "completed"],
  "hit for less than nothing": [0, "completed"],
  "hit for no number": [0, "completed"],
  miss: [0, "completed"],
  failure: [0, "failed"],
  "failure for 300": [300, "failed"],
  lost: [0, "failed"]
} as const satisfies { readonly [answer: string]: readonly [number, ModelStatus] }
export type Answer = keyof typeof answers

export const monthAt = (millis: number): string => new Date(millis).toISOString().slice(0, 7)

const replaced = <A>(all: ReadonlyArray<A>, index: number, changes: Partial<A>): ReadonlyArray<A> =>
  all.map((one, at) => (at === index ? { ...one, ...changes } : one))
const withWorkspace = (world: World, index: number, changes: Partial<ModelWorkspace>): World => ({
  ...world,
  workspaces: replaced(world.workspaces, index, changes)
})
const withToken = (world: World, index: number, changes: Partial<ModelToken>): World => ({
  ...world,
  tokens: replaced(world.tokens, index, changes)
})
const withRun = (world: World, index: number, changes: Partial<ModelRun>): World => ({
  ...world,
  runs: replaced(world.runs, index, changes)
})

export const tell = ({ charge, hold, status }: ModelRun): Told => [status, hold, charge]

/** Which limits speak against a run of this price now, in the order in which they are asked, each with what it says. */
export const against = (world: World, workspace: number, token: number, hold: number): ReadonlyArray<Told> => {
  const { available, inflight, inflightLimit, runCap, runsPerMinute } = world.workspaces[workspace]!
  const { limit } = world.tokens[token]!
  const told: Array<Told> = []
  if (runCap !== null && hold > runCap) told.push(["run_cap"])
  if (runsPerMinute !== null && minuteAt(world, workspace).minuteCount >= runsPerMinute)
    told.push(["run_rate_limited", runsPerMinute])
  if (inflight >= inflightLimit) told.push(["too_many_inflight_runs", inflight, inflightLimit])
  if (limit !== null && spendAt(world, token).spent + hold > limit) told.push(["key_spend_limit_reached"])
  if (available < hold) told.push(["insufficient_balance", available, hold])
  return told
}

const minuteAt = ({ now, workspaces }: World, workspace: number) => {
  const { minuteCount, minuteStartedAt } = workspaces[workspace]!
  const over = now - minuteStartedAt >= 60_000 || minuteStartedAt - now > 10_000
  return over ? { minuteStartedAt: now, minuteCount: 0 } : { minuteStartedAt, minuteCount }
}

/** A month that is over is forgotten; one that the clock went back from is not. */
export const spendAt = ({ now, tokens }: World, token: number) => {
  const { month, spent } = tokens[token]!
  return monthAt(now) > month ? { month: monthAt(now), spent: 0 } : { month, spent }
}

export const quote = (world: World, workspace: number, token: number, tool: Tool, volume: number): Told => {
  const hold = cannotRun(tool, volume) ? 0 : maxPrice(tool, volume)
  return [hold, ...against(world, workspace, token, hold).map(([limit]) => limit!)]
}

export const run = (world: World, order: Order): readonly [Told, World] => {
  if (world.tokens[order.token]!.revoked) return [["refused", "token_revoked"], world]
  const owner = world.runs.find((known) => known.order.workspace === order.workspace && known.order.key === order.key)
  if (owner !== undefined)
    return [owner.order.name === order.name ? ["replayed", ...tell(owner)] : ["refused", "idempotency_conflict"], world]
  const month = spendAt(world, order.token).month
  const stored = (status: ModelStatus, hold: number, charge: number | null): World => ({
    ...world,
    runs: [...world.runs, { order, status, hold, charge, month }]
  })
  const minuteNow = minuteAt(world, order.workspace)
  const { runsPerMinute } = world.workspaces[order.workspace]!
  const refusedBeforeCall = (status: "failed" | "blocked"): readonly [Told, World] =>
    runsPerMinute !== null && minuteNow.minuteCount >= runsPerMinute
      ? [["refused", "run_rate_limited", runsPerMinute], world]
      : [
          ["created", status, 0, 0],
          withWorkspace(stored(status, 0, 0), order.workspace, { ...minuteNow, minuteCount: minuteNow.minuteCount + 1 })
        ]

  if (cannotRun(order.tool, order.volume)) return refusedBeforeCall("failed")
  const hold = maxPrice(order.tool, order.volume)
  const [refusal] = against(world, order.workspace, order.token, hold)
  if (refusal?.[0] === "run_cap") return refusedBeforeCall("blocked")
  if (refusal !== undefined) return [["refused", ...refusal], world]

  const { available, inflight, reserved } = world.workspaces[order.workspace]!
  const { minuteCount, minuteStartedAt } = minuteNow
  const { spent } = spendAt(world, order.token)
  const held = withToken(
    withWorkspace(stored("running", hold, null), order.workspace, {
      available: available - hold,
      reserved: reserved + hold,
      inflight: inflight + 1,
      minuteStartedAt,
      minuteCount: minuteCount + 1
    }),
    order.token,
    { month, spent: spent + hold }
  )
  const after = order.slow ? held : answer(held, held.runs.length - 1)
  return [["created", ...tell(after.runs.at(-1)!)], after]
}

/** The provider of a running run answers. */
export const answer = (world: World, index: number): World => {
  const { order } = world.runs[index]!
  const [cost, status] = answers[order.answer]
  if (order.answer !== "lost" || !effectful(order.tool)) return end(world, index, status, cost)
  const { inflight } = world.workspaces[order.workspace]!
  return withRun(withWorkspace(world, order.workspace, { inflight: inflight - 1 }), index, {
    status: "reconciliation_pending"
  })
}

const end = (world: World, index: number, status: ModelStatus, cost: number): World => {
  const { hold, month, order, status: before } = world.runs[index]!
  const charge = Math.min(cost, hold)
  const { available, inflight, reserved } = world.workspaces[order.workspace]!
  const token = world.tokens[order.token]!
  const settled = withWorkspace(withRun(world, index, { status, charge }), order.workspace, {
    available: available + hold - charge,
    reserved: reserved - hold,
    inflight: before === "running" ? inflight - 1 : inflight
  })
  return token.month === month ? withToken(settled, order.token, { spent: token.spent - (hold - charge) }) : settled
}

export const cancel = (world: World, index: number): World => {
  const { order, status } = world.runs[index]!
  return status === "running" && !effectful(order.tool) ? end(world, index, "failed", 0) : world
}

export type Verdict = "charged" | "released" | "partly_charged"

export const resolve = (world: World, index: number, verdict: Verdict, part: number): readonly [Told, World] => {
  const { hold, status } = world.runs[index]!
  if (status !== "reconciliation_pending" || (verdict === "partly_charged" && (part <= 0 || part >= hold)))
    return [["refused", "validation_error"], world]
  const cost = { charged: hold, released: 0, partly_charged: part }[verdict]
  const after = end(world, index, verdict === "released" ? "failed" : "completed", cost)
  return [tell(after.runs[index]!), after]
}

/** Money that comes in, or is taken back. */
export const credit = (world: World, workspace: number, micros: number): readonly [Told, World] => {
  const { available } = world.workspaces[workspace]!
  if (micros === 0 || available + micros < 0) return [["refused", "validation_error"], world]
  return [[available + micros], withWorkspace(world, workspace, { available: available + micros })]
}

export const limits = (
  world: World,
  workspace: number,
  changes: Partial<Pick<ModelWorkspace, "inflightLimit" | "runCap" | "runsPerMinute">>
): World => withWorkspace(world, workspace, changes)
export const revoke = (world: World, token: number): World => withToken(world, token, { revoked: true })
export const clock = (world: World, now: number): World => ({ ...world, now })
