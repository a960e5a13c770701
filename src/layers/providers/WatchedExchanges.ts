/** Shows each exchange with a provider to whoever tries an operation by hand (`gateway catalog try`). */
import { Clock, Effect } from "effect"
import type { CallFailure } from "../../domain/ProviderCall.js"
import { withBlottedHeaders } from "./BlottedAnswers.js"
import { type Blot, blotFor, blotForShort } from "./Blotting.js"
import type { ClientCredentials } from "./KeyPlacement.js"
import type { TokenRefused } from "./OAuthTokens.js"
import type { RequestParts } from "./RequestPlan.js"
import type { Written } from "./RequestWriting.js"
import type { WireAnswer, WireFailure } from "./Transport.js"

/** One exchange as it went, for a person to look at. The keys are blotted out of both its sides. */
export interface SeenExchange {
  /** `token`: an access token was not given. What was sent for it holds the client's secret, and is not shown. */
  readonly step: "call" | "token"
  readonly method: RequestParts["method"]
  /** The whole address that was asked. */
  readonly address: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | null
  readonly startedMillis: number
  readonly endedMillis: number
  /** Null when none came; `failure` then says why. */
  readonly answer: WireAnswer | null
  readonly failure: string | null
}

export type Watch = (seen: SeenExchange) => void

/** What was sent, and what takes the keys out of it. */
interface Sent {
  readonly method: RequestParts["method"]
  readonly written: Written
  readonly blot: Blot | null
  readonly secrets: ReadonlyArray<string>
}

/** Shows the exchange to `watch` when it ends. The bytes that were sent stay as they are: copies are blotted. */
export const watched = (
  watch: Watch,
  origin: string,
  { blot, method, secrets, written }: Sent,
  exchange: Effect.Effect<WireAnswer, CallFailure>
): Effect.Effect<WireAnswer, CallFailure> => {
  const short = blotForShort(secrets)
  const blotted = (bytes: Buffer): Buffer =>
    [blot, short].reduce<Buffer>((done, each) => (each === null ? done : each(done)), bytes)
  const shown = (text: string): string => blotted(Buffer.from(text, "utf8")).toString("utf8")
  const shownAnswer = (answer: WireAnswer): WireAnswer => {
    const whole =
      short === null ? answer : { ...withBlottedHeaders(answer, short), bytes: short(Buffer.from(answer.bytes)) }
    const headers = Object.entries(whole.headers).map(([name, value]) => [shown(name), value] as const)
    return { ...whole, headers: Object.fromEntries(headers) }
  }
  return Effect.flatMap(Clock.currentTimeMillis, (startedMillis) => {
    const tell = (answer: WireAnswer | null, failure: string | null) =>
      Effect.map(Clock.currentTimeMillis, (endedMillis) =>
        watch({
          step: "call",
          method,
          address: shown(`${origin}${written.path}`),
          headers: Object.fromEntries(Object.entries(written.headers).map(([name, value]) => [name, shown(value)])),
          body: written.body === null ? null : blotted(Buffer.from(written.body)),
          startedMillis,
          endedMillis,
          answer,
          failure
        })
      )
    return Effect.tapBoth(exchange, {
      onSuccess: (answer) => tell(shownAnswer(answer), null),
      onFailure: ({ failure }) => tell(null, `${failure.code}: ${failure.message}`)
    })
  })
}

/** Shows that no access token was given, and what the token address said. */
export const watchedToken =
  (watch: Watch, address: string, { secret }: ClientCredentials, startedMillis: number) =>
  (problem: TokenRefused | WireFailure): Effect.Effect<void> => {
    const said =
      problem._tag === "WireFailure" || problem.error === null ? "" : JSON.stringify({ error: problem.error })
    const blots = [blotFor([secret]), blotForShort([secret])]
    const bytes = blots.reduce<Buffer>((done, each) => (each === null ? done : each(done)), Buffer.from(said))
    return Effect.map(Clock.currentTimeMillis, (endedMillis) =>
      watch({
        step: "token",
        method: "POST",
        address,
        headers: {},
        body: null,
        startedMillis,
        endedMillis,
        answer: problem._tag === "WireFailure" ? null : { status: problem.status, headers: {}, bytes },
        failure: problem._tag === "WireFailure" ? `${problem.reason} (${problem.word})` : null
      })
    )
  }
