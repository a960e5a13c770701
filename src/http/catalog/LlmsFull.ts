/**
 * `/llms-full.txt`: all that a language model needs to work with this gateway without reading anything else: how to
 * run, every route, every job with its input and output, its operations with their prices, every error. The same until
 * the next revision: nothing in it is of the moment.
 */
import { waitSecondsMax, waitSecondsWhenTrue } from "../../domain/limits/Runs.js"
import { toUsd } from "../../domain/Micros.js"
import type { JobManifest, Operation } from "../../domain/Manifest.js"
import { listedMicros } from "../../domain/ContractMaking.js"
import { runFailures } from "../../domain/RunFailures.js"
import type { JobSupply } from "../../services/Catalog.js"
import type { Route } from "../Access.js"
import type { WireError } from "../WireError.js"

/** A job of an imported catalog may have hundreds; the listing has them all. */
const operationsShown = 20

const access: { readonly [required: string]: string } = {
  "any-token": "any token",
  "optional-token": "token optional",
  public: "no token",
  probe: "no token",
  signed: "a signature, no token"
}

const routeLine = ({ access: required, method, path, summary }: Route): string =>
  `- \`${method} ${path.replace(/:(\w+)/g, "{$1}")}\`: ${summary} (${required === null ? "" : (access[required] ?? `scope ${required}`)})`

const priceOf = ({ price }: Operation): string =>
  price.basis === "free"
    ? "free"
    : `$${toUsd(listedMicros(price))} a ${price.basis === "per_result" ? "result" : "call"}${price.byInput === undefined || price.maxMicros === undefined ? "" : `, by input up to $${toUsd(price.maxMicros)}`}`

const jobLines = ({ endpoints, job }: JobSupply): ReadonlyArray<string> => {
  const sorted = endpoints.map(({ endpoint }) => endpoint).sort((a, b) => (a.operation.id < b.operation.id ? -1 : 1))
  const rest = sorted.length - operationsShown
  return [
    "",
    `### job:${job.id}`,
    "",
    `${job.title}. ${job.description}`,
    "",
    `- Input: ${needsOf(job)}`,
    `- Example: \`{"endpointId": "job:${job.id}", "input": ${JSON.stringify(job.exampleInput)}}\``,
    ...(Object.keys(job.fields).length === 0
      ? []
      : [
          `- Answer, in \`normalized.fields\`: ${Object.entries(job.fields)
            .map(([name, meaning]) => `\`${name}\` (${meaning.replace(/\.$/, "")})`)
            .join(", ")}`
        ]),
    `- Operations: ${sorted.length === 0 ? "none yet" : ""}${sorted
      .slice(0, operationsShown)
      .map(({ operation }) => `\`${operation.id}\` (${priceOf(operation)})`)
      .join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
  ]
}

const needsOf = ({ needs }: JobManifest): string =>
  needs.length === 0
    ? "see the example"
    : `one of ${needs.map((set) => set.map((field) => `\`${field}\``).join(" + ")).join(", or ")}`

interface FullParts {
  /** What `/llms.txt` says before its jobs. */
  readonly opening: ReadonlyArray<string>
  readonly routes: ReadonlyArray<Route>
  readonly jobs: ReadonlyArray<JobSupply>
  readonly errors: Iterable<WireError>
}

export const llmsFullText = ({ errors, jobs, opening, routes }: FullParts): string => {
  const lines = [
    ...opening,
    "",
    "## What a run is",
    "",
    "- `POST /v1/runs` takes `endpointId` (`job:<id>`, or the id of one operation), `input`, and for jobs `fallback: true`: a miss moves on to the next provider.",
    "- `Idempotency-Key` (or `idempotencyKey` in the body) is mandatory. The same key with the same request answers the same run and charges once; a new try needs a new key.",
    `- \`wait=true\` waits up to ${waitSecondsWhenTrue} seconds, a number up to ${waitSecondsMax}. A run that is \`queued\` or \`running\` after that is asked for with \`GET /v1/runs/{runId}\`.`,
    "- `status` is `queued`, `running`, `completed`, `failed`, `blocked` or `reconciliation_pending`; `outcome` is `hit`, `weak`, `miss`, `error` or `rejected`.",
    "- `result` is the provider's answer; text has `result.text`, a file `result.media.downloadPath`. `normalized.fields` has the job's fields under fixed names.",
    "- Money: the highest price is held first, the real cost is charged at the end, the rest is released. Failures cost nothing, misses usually nothing. Names that end in `Micros` are integers, millionths of a dollar; all others are dollars.",
    "",
    "## Routes",
    "",
    ...routes.map(routeLine),
    "",
    "## Jobs",
    ...jobs.flatMap(jobLines),
    "",
    "## Errors of requests",
    "",
    'The body is `{"error": {"code", "message", "requestId", "retryable", "retryHint"}}`.',
    "",
    ...Array.from(errors, ({ code, retryHint, status, title }) => `- ${status} \`${code}\`: ${title}. ${retryHint}`),
    "",
    "## Errors of failed runs",
    "",
    "In `error.code` of a run, with `whoseError`, `retryable` and `retryHint`. A new try needs a new key.",
    "",
    ...Array.from(
      new Map(runFailures.map((failure) => [failure.code, failure])).values(),
      ({ code, facts }) => `- \`${code}\`: ${facts.summary} Whose: ${facts.whoseError}. ${facts.retryHint}`
    )
  ]
  return `${lines.join("\n")}\n`
}
