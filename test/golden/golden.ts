/**
 * Golden files: what can be seen from outside, kept as text under `files/`, so that every change of it stands in a
 * diff.
 * `npx vitest run test/golden -u` writes them anew; with `CI=1` a file that is missing or different fails.
 */
import { expect } from "vitest"

/** Holds a text against `files/<name>`. */
export const golden = (name: string, text: string): Promise<void> =>
  expect(text.endsWith("\n") ? text : `${text}\n`).toMatchFileSnapshot(`files/${name}`)

const columns = 140

const inOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${inOneLine(inner)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** Indented by two spaces; what fits into one line stands on one. */
const printed = (value: unknown, before = 0, indent = ""): string => {
  const short = inOneLine(value)
  if (typeof value !== "object" || value === null || before + short.length <= columns) return short
  const deeper = `${indent}  `
  const item = (name: string, inner: unknown) =>
    `${deeper}${name}${printed(inner, deeper.length + name.length, deeper)}`
  return Array.isArray(value)
    ? `[\n${value.map((inner) => item("", inner)).join(",\n")}\n${indent}]`
    : `{\n${Object.entries(value)
        .map(([name, inner]) => item(`${JSON.stringify(name)}: `, inner))
        .join(",\n")}\n${indent}}`
}

/** JSON, members in the order in which they were served. */
export const goldenJson = (name: string, value: unknown): Promise<void> =>
  golden(`${name}.json`, printed(JSON.parse(JSON.stringify(value))))

const names: { readonly [prefix: string]: string } = {
  run: "runId",
  att: "attemptId",
  rcp: "receiptId",
  led: "entryId",
  top: "topUpId",
  cap: "capabilityRequestId",
  tok: "tokenId",
  ws: "workspaceId",
  con: "connectionId",
  apr: "approvalId",
  med: "mediaId",
  req: "requestId"
}

/** Times further away were named by the test or stand in a message. */
const hourMillis = 3_600_000

/**
 * Replaces what differs from one test run to the next by names: ids and digests numbered by their first appearance, so
 * that it can be seen which of them are the same; times, ports, and how long something took. One function for one
 * golden file or one part of it.
 */
export const placeholders = () => {
  const seen = new Map<string, string>()
  const counts = new Map<string, number>()
  const numbered = (name: string, text: string): string => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const shown = `<${name} ${count}>`
    seen.set(text, shown)
    return shown
  }
  return (text: string): string =>
    text
      .replace(/\bpgw_[0-9a-z]{40,}/g, (token) => numbered("token", token))
      .replace(/\b(run|att|rcp|led|top|cap|tok|ws|con|apr|med|req)_(?!0{26})[0-9a-z]{26}\b/g, (id, prefix: string) =>
        numbered(names[prefix] ?? prefix, id)
      )
      .replace(/\b[0-9a-f]{64}\b/g, (digest) => numbered("digest", digest))
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) =>
        Math.abs(Date.parse(time) - Date.now()) < hourMillis ? "<time>" : time
      )
      .replace(/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
      .replace(/("(?:ms|latencyMs)": ?)\d+/g, '$1"<ms>"')
      // The rest of a minute that has just begun.
      .replace(/("retryAfterSeconds": ?)(?:5\d|60)\b/g, '$1"<minute>"')
      .replace(/("retry-after": ?"|[Ww]ait |for )(?:5\d|60)\b/g, "$1<minute>")
      .replace(/("nextCursor": ?)"[^"]+"/g, '$1"<cursor>"')
}
