/**
 * `/metrics` of a gateway in several processes: whichever is asked answers for all of them, with the label `process` on
 * each sample. The asked process asks the one that started it, which asks each and passes on what they say. One that
 * does not answer in time is left out.
 */
import { Deferred, Effect, FiberSet, Layer, Runtime, Schema } from "effect"
import cluster from "node:cluster"
import { exposition, joined, MetricsText } from "../../http/system/Exposition.js"

const answerMillisMax = 1_000

/** What processes say to one another. A question has a number that its answer brings back. */
const Message = Schema.Union(
  Schema.TaggedStruct("MetricsAsked", { question: Schema.Number }),
  Schema.TaggedStruct("MetricsSaid", { question: Schema.Number, text: Schema.String }),
  Schema.TaggedStruct("MetricsOfAll", {
    question: Schema.Number,
    texts: Schema.Array(Schema.Struct({ process: Schema.String, text: Schema.String }))
  })
)
type Message = typeof Message.Type
const isMessage = Schema.is(Message)

interface Process {
  readonly id: number
  isConnected(): boolean
  send(message: Message): boolean
}

/** What each process says, as far as it does in time. */
const textsOf = (question: number, processes: ReadonlyArray<Process>, asked: Map<number, OnText>) =>
  Effect.gen(function* () {
    const texts: Array<{ readonly process: string; readonly text: string }> = []
    const all = yield* Deferred.make<void>()
    asked.set(question, (id, text) => {
      texts.push({ process: String(id), text })
      if (texts.length === processes.length) Deferred.unsafeDone(all, Effect.void)
    })
    for (const each of processes) each.send({ _tag: "MetricsAsked", question })
    yield* Effect.timeoutOption(Deferred.await(all), answerMillisMax)
    return texts
  }).pipe(Effect.ensuring(Effect.sync(() => void asked.delete(question))))

type OnText = (process: number, text: string) => void

/** In the process that started the others: answers their questions until the scope closes. */
export const passMetricsOn = Effect.gen(function* () {
  const fork = yield* FiberSet.makeRuntime<never>()
  const asked = new Map<number, OnText>()
  let questions = 0
  const connected = (): ReadonlyArray<Process> =>
    Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() === true ? [worker] : []))
  const onMessage = (asker: Process, message: unknown): void => {
    if (!isMessage(message)) return
    if (message._tag === "MetricsSaid") asked.get(message.question)?.(asker.id, message.text)
    if (message._tag !== "MetricsAsked") return
    fork(
      Effect.map(textsOf((questions += 1), connected(), asked), (texts) => {
        if (asker.isConnected()) asker.send({ _tag: "MetricsOfAll", question: message.question, texts })
      })
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => cluster.on("message", onMessage)),
    () => Effect.sync(() => cluster.off("message", onMessage))
  )
})

/** In one of several processes: the metrics of all of them. */
export const MetricsOfAll: Layer.Layer<never> = Layer.scoped(
  MetricsText,
  Effect.gen(function* () {
    const run = Runtime.runSync(yield* Effect.runtime<never>())
    const waiting = new Map<number, (texts: (Message & { _tag: "MetricsOfAll" })["texts"]) => void>()
    let questions = 0
    const send = (message: Message): void => void process.send?.(message)
    const onMessage = (message: unknown): void => {
      if (!isMessage(message)) return
      if (message._tag === "MetricsAsked")
        send({ _tag: "MetricsSaid", question: message.question, text: run(exposition) })
      if (message._tag === "MetricsOfAll") waiting.get(message.question)?.(message.texts)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on("message", onMessage)),
      () => Effect.sync(() => process.off("message", onMessage))
    )
    return Effect.async<string>((resume) => {
      const question = (questions += 1)
      waiting.set(question, (texts) => {
        waiting.delete(question)
        resume(Effect.succeed(joined(texts)))
      })
      send({ _tag: "MetricsAsked", question })
      return Effect.sync(() => void waiting.delete(question))
    }).pipe(
      // The process that started this one is gone, and this one ends as well.
      Effect.timeoutTo({
        duration: 2 * answerMillisMax,
        onSuccess: (text) => Effect.succeed(text),
        onTimeout: () => exposition
      }),
      Effect.flatten
    )
  })
)
