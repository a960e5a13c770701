/**
 * A gateway that a collector of OpenTelemetry hears of, where one is configured. Without one the module that speaks to
 * it is not even loaded, and nothing of the gateway is different.
 */
import { Effect, Layer, Logger, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Tracing } from "../../services/Tracing.js"
import type { GatewayConfig } from "../node/Config.js"

/** The telemetry is there before the gateway and after it, so that it hears of the start and of the stop. */
export const observed =
  ({ telemetry }: Pick<GatewayConfig, "telemetry">) =>
  <A, E, R>(gateway: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Option.match(telemetry, {
      onNone: () => gateway,
      onSome: (settings) =>
        Layer.provide(
          gateway,
          Layer.unwrapScoped(
            Effect.gen(function* () {
              const { startTelemetry } = yield* Effect.promise(() => import("../node/otlp/Telemetry.js"))
              const { logger, tracer } = yield* startTelemetry(settings, randomUUID())
              const tracing = Layer.succeed(Tracing, tracer)
              return logger === null ? tracing : Layer.merge(tracing, Logger.add(logger))
            })
          )
        )
    })
