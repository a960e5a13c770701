/** Plays requests against whole gateways with scripted providers, and keeps each with its answer for a golden file. */
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import {
  Address,
  Caller,
  testGateway,
  type TestGateway,
  type TestGatewayOptions,
  type TestServices
} from "../../src/testing.js"
import { type CallerOptions, newCaller, scripted } from "../support/newCaller.js"
import { type Recording, recording } from "./exchanges.js"
import { goldenJson, placeholders } from "./golden.js"

export interface Stage extends Pick<TestGateway, "script">, Pick<Recording, "get" | "post" | "run" | "until"> {
  readonly services: Context.Context<TestServices>
  readonly workspaceId: WorkspaceId
}

export interface Scene {
  readonly title: string
  readonly options: TestGatewayOptions
  readonly play: (stage: Stage) => Effect.Effect<void>
  readonly isGuest: boolean
}

/** A scene on a gateway of its own. */
export const scene = (title: string, options: TestGatewayOptions, play: Scene["play"]): Scene => ({
  title,
  options,
  play,
  isGuest: false
})

/**
 * A scene on the gateway that all guests of a golden file share, in a workspace of its own. For scenes that leave the
 * gateway as it was, and in which nothing depends on how the calls of the others went, as the order of providers does.
 */
export const guest = (
  title: string,
  options: CallerOptions & Pick<TestGatewayOptions, "providers">,
  play: Scene["play"]
): Scene => ({ title, options, play, isGuest: true })

const exchangesOf = (
  { play }: Scene,
  { script }: TestGateway,
  services: Context.Context<TestServices | Address>,
  { token, workspaceId }: { readonly token: string; readonly workspaceId: WorkspaceId }
) => {
  const { exchanges, ...asks } = recording(Context.get(services, Address).url, token)
  return Effect.as(play({ ...asks, script, services, workspaceId }), exchanges)
}

const alone = (one: Scene) => {
  const gateway = testGateway(one.options)
  return Effect.scoped(
    Effect.gen(function* () {
      const services = yield* Layer.build(gateway.http)
      const { principal, token } = Context.get(services, Caller)
      return yield* exchangesOf(one, gateway, services, { token, workspaceId: principal.workspaceId })
    })
  )
}

const asGuest = (one: Scene, host: TestGateway, services: Context.Context<TestServices | Address>) =>
  Effect.gen(function* () {
    const caller = yield* Effect.provide(newCaller(one.options), services)
    const unscript = scripted(host, one.options.providers)
    return yield* Effect.ensuring(exchangesOf(one, host, services, caller), Effect.sync(unscript))
  })

/** Plays the scenes one after the other, and holds all of them against one golden file. */
export const playAll = (name: string, scenes: ReadonlyArray<Scene>) =>
  Effect.gen(function* () {
    const host = testGateway()
    const services = scenes.some(({ isGuest }) => isGuest) ? yield* Layer.build(host.http) : null
    const told = yield* Effect.forEach(scenes, (each) =>
      Effect.map(
        each.isGuest && services !== null ? asGuest(each, host, services) : alone(each),
        (exchanges): unknown => ({
          scene: each.title,
          exchanges: JSON.parse(placeholders()(JSON.stringify(exchanges, null, 1)))
        })
      )
    )
    yield* Effect.promise(() => goldenJson(name, told))
  }).pipe(Effect.scoped)
