/**
 * One run: what was asked, what happened and when, what it cost before and after, with the evidence of every attempt
 * and its ledger entries. While it is under way, the page follows it.
 */
import { Effect, Schema } from "effect"
import { pageRowsMax } from "../../../domain/limits/Lists.js"
import type { LedgerEntry } from "../../../domain/Ledger.js"
import { type Attempt, mediaPath, type Run } from "../../../domain/Run.js"
import { wasRefused } from "../../../domain/RefusedRun.js"
import { isInflight, isSettledForWaiters } from "../../../domain/RunMachine.js"
import type { RoutePlan } from "../../../domain/RoutePlan.js"
import { Runs } from "../../../services/Runs.js"
import type { RunDetail } from "../../../services/RunStore.js"
import { Wallet } from "../../../services/Wallet.js"
import { mediaIdOf, runIdOf } from "../../GivenId.js"
import { mediaResponse } from "../../runs/MediaResponse.js"
import { skippedOf } from "../../runs/ShownRun.js"
import {
  code,
  copyButton,
  counted,
  dash,
  duration,
  exactInstant,
  instantOrDash,
  linkTo,
  money,
  moneyOrDash,
  statusBadge
} from "../Figures.js"
import { actForm } from "../Forms.js"
import { hintForPeople } from "../Hints.js"
import { attributes, html, type Html, nothing, to } from "../Html.js"
import { redirect, screen, workspaceForm, workspacePage } from "../Page.js"
import { facts, longJson, longText, notice, section, tiles } from "../Parts.js"
import { type Column, table } from "../Tables.js"
import { entryColumns } from "./LedgerColumns.js"
import { operationLink, outcomeOf } from "./Runs.js"

const attemptColumns = (workspaceId: string): ReadonlyArray<Column<Attempt>> => [
  { label: "#", cell: ({ n }) => n },
  { label: "Operation", cell: ({ endpointId }) => operationLink(workspaceId, endpointId) },
  { label: "Provider", cell: ({ providerId }) => providerId },
  { label: "Status", cell: ({ status }) => statusBadge(status) },
  {
    label: "Outcome",
    cell: ({ outcome, reason }) =>
      html`${outcome === null ? dash : statusBadge(outcome)}${reason !== null && html`<br /><small>${reason}</small>`}`
  },
  { label: "HTTP", numeric: true, cell: ({ providerStatus }) => providerStatus ?? dash },
  { label: "Time", numeric: true, cell: ({ latencyMs }) => (latencyMs === null ? dash : duration(latencyMs)) },
  { label: "Cost", numeric: true, cell: ({ costMicros }) => moneyOrDash(costMicros) }
]

type Step = readonly [millis: number, what: Html]

const stepsOf = (run: Run, attempts: ReadonlyArray<Attempt>): ReadonlyArray<Step> => {
  if (wasRefused(run)) return [[run.createdAt, html`Refused before anything was sent; nothing was held or charged`]]
  return [
    [run.createdAt, html`Started; ${money(run.holdMicros)} held`],
    ...attempts.flatMap((attempt): ReadonlyArray<Step> => [
      [attempt.startedAt, html`Attempt ${attempt.n}: ${attempt.providerId} called`],
      ...(attempt.completedAt === null
        ? []
        : [
            [
              attempt.completedAt,
              html`Attempt ${attempt.n} ended: ${attempt.outcome ?? attempt.status.replaceAll("_", " ")}`
            ] as const
          ])
    ]),
    ...(run.completedAt === null
      ? []
      : [[run.completedAt, html`Settled; ${moneyOrDash(run.chargeMicros)} charged`] as const])
  ]
}

const timeline = (run: Run, attempts: ReadonlyArray<Attempt>): Html =>
  html`<ol class="timeline">${stepsOf(run, attempts).map(([millis, what]) => html`<li>${exactInstant(millis)} ${what}</li>`)}</ol>`

const routeSection = ({ attempts, run }: RunDetail, plan: RoutePlan, workspaceId: string): Html => {
  const skipped = skippedOf(run, plan, attempts)
  return section(
    "Route",
    html`<p>${plan.reason}</p>
      ${table({
        caption: "Providers that may be tried, in this order",
        columns: [
          { label: "Operation", cell: ({ endpointId }) => operationLink(workspaceId, endpointId) },
          { label: "Provider", cell: ({ providerId }) => providerId },
          { label: "Most that one attempt costs", numeric: true, cell: ({ maxMicros }) => money(maxMicros) }
        ],
        rows: plan.candidates,
        empty: html`<p>No provider could be called.</p>`
      })}
      ${
        skipped.length > 0 &&
        html`<h3>Left out</h3>
        <ul>${skipped.map(({ endpointId, reason }) => html`<li>${code(endpointId)}: ${reason}</li>`)}</ul>`
      }`
  )
}

const evidence = ({ attempts }: RunDetail, workspaceId: string): Html =>
  html`${attempts.map(({ attemptId, n, receipt, receiptId }) =>
    receipt === null
      ? html`<h3>Attempt ${n}</h3><p class="hint">No receipt: nothing is known of an answer.</p>`
      : html`<h3>Attempt ${n}</h3>${facts([
          ["Attempt", code(attemptId)],
          ["Receipt", receiptId === null ? null : code(receiptId)],
          [
            "Request",
            receipt.requestDigest === null
              ? null
              : html`${counted(receipt.requestBytes, "byte")}, SHA-256 ${code(receipt.requestDigest)}`
          ],
          [
            "Answer",
            receipt.responseDigest === null
              ? null
              : html`${counted(receipt.responseBytes, "byte")}, SHA-256 ${code(receipt.responseDigest)}`
          ],
          ["Provider's request id", receipt.providerRequestId === null ? null : code(receipt.providerRequestId)],
          ["Cost that the provider named", receipt.costAnomaly],
          [
            "Shared the call of",
            receipt.sharedWithRunId === null
              ? null
              : linkTo(to([workspaceId, "runs", receipt.sharedWithRunId]), code(receipt.sharedWithRunId))
          ]
        ])}`
  )}`

const resultOf = (run: Run): Html => {
  if (run.result === null) return html`<p class="hint">This run has no result.</p>`
  switch (run.result._tag) {
    case "Json":
    case "Refusal":
      return longJson(run.result.value, html`GET /v1/runs/${run.runId} has all of it.`)
    case "Text":
      return longText(run.result.text, html`GET /v1/runs/${run.runId} has all of it.`)
    case "Media": {
      const { bytes, contentType, filename, mediaId, sha256 } = run.result.media
      return html`${facts([
        ["File", filename],
        ["Type", code(contentType)],
        ["Size", counted(bytes, "byte")],
        ["SHA-256", code(sha256)],
        ["Download path", code(mediaPath(run.runId, mediaId))]
      ])}<p><a class="button plain" href=${to([run.workspaceId, "runs", run.runId, "media", mediaId])} download>Download</a></p>`
    }
  }
}

const stateNotice = (run: Run): Html => {
  if (run.status === "queued") return notice("Waiting for a free place. This page follows the run.", "wait")
  if (run.status === "running") return notice("Under way. This page follows the run.", "wait")
  if (run.status === "reconciliation_pending")
    return notice(
      html`Whether the provider did it is not known, so nothing is sent again. ${money(run.holdMicros)} stays held until an
        operator has looked at it.`,
      "warn"
    )
  return run.error === null
    ? nothing
    : html`<div class="told"><p><strong>${run.error.code}</strong>: ${run.error.message}</p>
        <p class="hint">Whose error: ${run.error.whoseError}. ${hintForPeople(run.error.retryHint)}</p></div>`
}

const body = (detail: RunDetail, entries: ReadonlyArray<LedgerEntry>): Html => {
  const { attempts, run } = detail
  const { workspaceId } = run
  const settled = isSettledForWaiters(run.status)
  const outcome = outcomeOf(run)
  return html`<div${attributes({ "data-live": run.runId, "data-moving": isInflight(run.status) })}>
    ${stateNotice(run)}
    ${tiles([
      { label: "Status", value: statusBadge(run.status) },
      {
        label: "Outcome",
        value: outcome === null ? dash : statusBadge(outcome),
        ...(run.outcomeReason === null || !settled ? {} : { note: run.outcomeReason })
      },
      { label: "Before: held", value: money(run.holdMicros), note: "The most that it could cost" },
      {
        label: "After: charged",
        value: moneyOrDash(run.chargeMicros),
        note:
          run.chargeMicros === null
            ? "Not settled yet"
            : wasRefused(run)
              ? "It was refused before anything was held"
              : "Taken from what was held; the rest is free again"
      },
      {
        label: "Time",
        value: run.completedAt === null ? dash : duration(Math.max(0, run.completedAt - run.createdAt))
      }
    ])}
    ${section("Result", settled ? resultOf(run) : html`<p class="hint">The result stands here when the run has ended.</p>`)}
    ${run.normalized !== null && settled && section("Normalized", longJson(run.normalized))}
    <div class="grid2">
      ${section("Timeline", timeline(run, attempts))}
      ${section(
        "Request",
        facts([
          ["Asked for", operationLink(workspaceId, run.requestedEndpointId)],
          ["Job", run.job],
          ["Token", linkTo(to([workspaceId, "runs"], { token: run.tokenId }), code(run.tokenId))],
          ["Idempotency key", code(run.idempotencyKey)],
          ["Request", code(run.requestId)],
          ["Connection", run.connectionId === null ? null : code(run.connectionId)],
          ["Contract version", run.contractVersion === null ? null : code(run.contractVersion)],
          ["Started", instantOrDash(run.startedAt)],
          ["Ended", instantOrDash(run.completedAt)],
          ["Input", typeof run.input === "string" ? longText(run.input) : longJson(run.input)]
        ])
      )}
    </div>
    ${section(
      "Attempts",
      table({
        caption: "Attempts",
        columns: attemptColumns(workspaceId),
        rows: attempts,
        empty: html`<p>${settled ? "No provider was called." : "No provider was called yet."}</p>`
      })
    )}
    ${run.plan !== null && routeSection(detail, run.plan, workspaceId)}
    ${attempts.length > 0 && section("Evidence", evidence(detail, workspaceId))}
    ${section(
      "Ledger entries",
      table({
        caption: "Ledger entries of this run",
        columns: entryColumns(workspaceId, { withRun: false }),
        rows: entries,
        empty: html`<p>This run moved no money.</p>`
      })
    )}
  </div>`
}

export const runPage = workspacePage({
  path: "runs/:runId",
  show: ({ path, workspaceId }) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const wallet = yield* Wallet
      const runId = yield* runIdOf(path.get("runId"))
      const detail = yield* runs.get(workspaceId, runId)
      const entries = yield* wallet.entries(workspaceId, { runId }, { limit: pageRowsMax, after: null })
      const { requestedEndpointId, status } = detail.run
      return screen({
        title: `Run of ${requestedEndpointId}`,
        actions: html`${
          isInflight(status) &&
          actForm({
            action: to([workspaceId, "runs", runId, "cancel"]),
            label: "Cancel",
            confirm: "Cancel this run? What the provider has done already may still be charged."
          })
        }
          <a class="button plain" href=${to([workspaceId, "catalog", requestedEndpointId], { from: runId })}>Run again</a>`,
        content: html`<p class="hint">Run ${code(runId)}${copyButton(runId)}</p>${body(detail, entries.items)}`
      })
    })
})

export const cancelRun = workspaceForm({
  path: "runs/:runId/cancel",
  fields: Schema.Struct({}),
  act: ({ path, workspaceId }) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const runId = yield* runIdOf(path.get("runId"))
      yield* runs.cancel(workspaceId, runId)
      return redirect(to([workspaceId, "runs", runId]))
    }),
  again: ({ path, workspaceId }, form) =>
    Effect.succeed(
      screen({
        title: "The run was not cancelled",
        content: html`<div class="told" role="alert"><p>${form.told?.message}</p><p class="hint">${form.told?.hint}</p></div>
          <p><a href=${to([workspaceId, "runs", path.get("runId") ?? ""])}>Back to the run</a></p>`
      })
    )
})

export const runMedia = workspacePage({
  path: "runs/:runId/media/:mediaId",
  show: ({ path, request, workspaceId }) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const runId = yield* runIdOf(path.get("runId"))
      const media = yield* runs.media(workspaceId, runId, yield* mediaIdOf(path.get("mediaId")))
      const response = yield* mediaResponse(media, request, "browser")
      return { _tag: "Download", response }
    })
})
