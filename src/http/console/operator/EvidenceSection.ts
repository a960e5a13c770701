/** The evidence of one attempt whose answer was lost, for the person who decides about its money. */
import type { Evidence } from "../../../domain/Evidence.js"
import { code, dash, duration, instant, instantOrDash } from "../Figures.js"
import { html, type Html, Link } from "../Html.js"
import { facts, jsonText, longText, section } from "../Parts.js"

export const evidenceSection = (evidence: Evidence): Html => {
  const { attempt, docs, homepage, lookUp, providerName, receipt, reference, request, sent } = evidence
  return section(
    html`Attempt ${attempt.n} at ${providerName}`,
    html`${facts([
      ["Sent", instant(attempt.startedAt)],
      ["Given up", instantOrDash(attempt.completedAt)],
      ["Waited", attempt.latencyMs === null ? dash : duration(attempt.latencyMs)],
      ["To", request === null ? dash : code(request)],
      ["Operation", attempt.endpointId],
      ["What happened", attempt.reason],
      ["Error", attempt.errorCode === null ? null : code(attempt.errorCode)],
      ["HTTP status", attempt.providerStatus],
      ["Provider's request id", receipt?.providerRequestId == null ? null : code(receipt.providerRequestId)],
      [
        "Reference that the provider knows",
        reference === null ? null : html`${code(reference.header)}: ${code(reference.value)}`
      ],
      ["Digest of the request", receipt?.requestDigest == null ? null : code(receipt.requestDigest)],
      ["Bytes sent and received", receipt === null ? null : `${receipt.requestBytes} and ${receipt.responseBytes}`],
      ["Digest of the answer", receipt?.responseDigest == null ? null : code(receipt.responseDigest)]
    ])}
      <h3>What was sent</h3>
      ${sent === null ? html`<p class="hint">The plan of this run does not name it.</p>` : longText(jsonText(sent))}
      <h3>How to look it up at ${providerName}</h3>
      <ol>${lookUp.map((each) => html`<li>${each}</li>`)}</ol>
      ${(docs !== null || homepage !== null) && html`<p>${docs !== null && html`<a href=${Link.elsewhere(docs)} rel="noreferrer">Documentation</a> `}${homepage !== null && html`<a href=${Link.elsewhere(homepage)} rel="noreferrer">Site of the provider</a>`}</p>`}`
  )
}
