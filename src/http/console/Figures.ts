/** How values look on a page: money, times, ids, statuses. Nothing is computed here. */
import { nounFor } from "../../domain/Counted.js"
import { daySeconds, hourSeconds } from "../../domain/Days.js"
import { dollars } from "../../domain/Micros.js"
import { time } from "../Fields.js"
import { attributes, html, type Html, type Link } from "./Html.js"

/** Dollars with two to six decimals, and commas between thousands: for people on pages only, not for files. */
export const moneyText = (micros: number): string => dollars(micros).replace(/\d(?=(?:\d{3})+\.)/g, "$&,")
export const money = (micros: number): Html => html`<span class="money">${moneyText(micros)}</span>`
export const moneyOrDash = (micros: number | null): Html => (micros === null ? dash : money(micros))
/** With its sign, for entries of the ledger. */
export const signedMoney = (micros: number): Html =>
  html`<span${attributes({ class: micros < 0 ? "money out" : "money in" })}>${micros > 0 && "+"}${moneyText(micros)}</span>`

/** What a reader hears, and what stands where there is nothing. */
export const dash: Html = html`<span class="none" aria-label="none">–</span>`

const instantOf = (millis: number, end: number): Html => {
  const iso = time(millis)
  return html`<time datetime=${iso}>${iso.slice(0, 10)} ${iso.slice(11, end)}</time>`
}
/** To the second, in UTC. */
export const instant = (millis: number): Html => instantOf(millis, 19)
/** To the millisecond, where the order of what happened within a second matters. */
export const exactInstant = (millis: number): Html => instantOf(millis, 23)
export const instantOrDash = (millis: number | null): Html => (millis === null ? dash : instant(millis))

/** 850 ms, 1.25 s, 3 min 5 s, 2 h 10 min, 3 d 4 h. */
export const durationText = (millis: number): string => {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  const seconds = millis / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1).replace(/\.?0+$/, "")} s`
  const whole = Math.round(seconds)
  const parts: ReadonlyArray<readonly [number, string]> =
    whole < hourSeconds
      ? [
          [Math.floor(whole / 60), "min"],
          [whole % 60, "s"]
        ]
      : whole < daySeconds
        ? [
            [Math.floor(whole / hourSeconds), "h"],
            [Math.floor((whole % hourSeconds) / 60), "min"]
          ]
        : [
            [Math.floor(whole / daySeconds), "d"],
            [Math.floor((whole % daySeconds) / hourSeconds), "h"]
          ]
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(" ")
}
export const duration = (millis: number): Html => html`<span class="figure">${durationText(millis)}</span>`

export const countText = (value: number): string => value.toLocaleString("en-US")
export const count = (value: number): Html => html`<span class="figure">${countText(value)}</span>`

/** `1 run`, `2 runs`. */
export const counted = (value: number, one: string): Html => html`${count(value)} ${nounFor(value, one)}`

/** The end of an id, which tells rows apart, as a link to what it names or to its rows; the script copies all of it. */
export const shortId = (id: string, link: Link | null = null): Html => {
  const end = html`<code title=${id}>${id.length > 8 && "…"}${id.slice(-6)}</code>`
  return html`<span class="id">${link === null ? end : linkTo(link, end)}${copyButton(id)}</span>`
}
/** Shown only where the script runs, which copies the text. */
export const copyButton = (text: string): Html =>
  html`<button type="button" class="copy" data-copy=${text} aria-label=${`Copy ${text}`} title="Copy"></button>`

/** The same as a button with a word, for what is shown once and has to be copied. */
export const copyOnceButton = (text: string): Html =>
  html`<button type="button" class="plain copy-once" data-copy=${text}>Copy</button>`

/** An id, in one piece that can be copied. */
export const code = (text: string): Html => html`<code>${text}</code>`
export const linkTo = (link: Link, text: Html | string): Html => html`<a href=${link}>${text}</a>`

type Tone = "good" | "bad" | "wait" | "warn" | "off" | "plain"
/** The tone has a sign of its own in the stylesheet, so that it is not told by colour alone. */
export const badge = (text: string, tone: Tone): Html => html`<span class=${`badge ${tone}`}>${text}</span>`

const tones: ReadonlyMap<string, Tone> = new Map([
  ["queued", "wait"],
  ["running", "wait"],
  ["completed", "good"],
  ["failed", "bad"],
  ["blocked", "warn"],
  ["reconciliation_pending", "warn"],
  ["pending", "wait"],
  ["paid", "good"],
  ["expired", "off"],
  ["refused", "bad"],
  ["active", "good"],
  ["revoked", "off"],
  ["hit", "good"],
  ["weak", "warn"],
  ["miss", "off"],
  ["error", "bad"],
  ["rejected", "bad"]
])
const words: ReadonlyMap<string, string> = new Map([["reconciliation_pending", "waits for the operator"]])

/** The status or the outcome of a run, an attempt, a top-up or a token. */
export const statusText = (status: string): string => words.get(status) ?? status.replaceAll("_", " ")
export const statusBadge = (status: string): Html => badge(statusText(status), tones.get(status) ?? "off")
