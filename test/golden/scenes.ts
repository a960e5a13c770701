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
}

export const scene = (title: string, options: TestGatewayOptions, play: Scene["play"]): Scene => ({
  title,
  options,
  play
})

const played = ({ options, play }: Scene) => {
  const gateway = testGateway(options)
  return Effect.scoped(
    Effect.gen(function* () {
      const services = yield* Layer.build(gateway.http)
      const { principal, token } = Context.get(services, Caller)
      const { exchanges, ...asks } = recording(Context.get(services, Address).url, token)
      yield* play({
        ...asks,
        script: gateway.script,
        services,
        workspaceId: principal.workspaceId
      })
      return exchanges
    })
  )
}

/**
 * Plays the scenes one after the other, each on a gateway of its own, and holds all of them against one golden file.
 */
export const playAll = (name: string, scenes: ReadonlyArray<Scene>) =>
  Effect.gen(function* () {
    const told = yield* Effect.forEach(scenes, (each) =>
      Effect.map(played(each), (exchanges): unknown => ({
        scene: each.title,
        exchanges: JSON.parse(placeholders()(JSON.stringify(exchanges, null, 1)))
      }))
    )
    yield* Effect.promise(() => goldenJson(name, told))
  })
