/**
 * Charts as SVG, made here: bars over days, and bars side by side for parts of a whole. Each stands with a table of the
 * same values, for readers and for copying. Values are only scaled here, never computed.
 */
import { attributes, html, type Html, type Link } from "./Html.js"

export interface Bar {
  readonly label: string
  readonly value: number
  /** To what the value is made of. */
  readonly link?: Link
}

interface ChartOptions {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  /** How a value is written. */
  readonly show: (value: number) => string
  /** The head of the column of values. */
  readonly unit: string
}

const round = (value: number): string => String(Math.round(value * 100) / 100)

/** The next 1, 2 or 5 times a power of ten, so that the axis has a plain number. */
const niceTop = (highest: number): number => {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 2, 5, 10].find((each) => each * power >= highest) ?? 10
  return step * power
}

const valuesTable = ({ bars, show, title, unit }: ChartOptions, head: string): Html =>
  html`<details class="values">
    <summary>Show as table</summary>
    <div class="scroll">
      <table>
        <caption class="unseen">
          ${title}
        </caption>
        <thead>
          <tr>
            <th scope="col">${head}</th>
            <th scope="col" class="figure">${unit}</th>
          </tr>
        </thead>
        <tbody>
          ${bars.map(
            ({ label, link, value }) =>
              html`<tr>
                <th scope="row">${link === undefined ? label : html`<a href=${link}>${label}</a>`}</th>
                <td class="figure">${show(value)}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </details>`

interface Size {
  /** Where it is shown: the stylesheet shows one of them. */
  readonly class: "broad" | "slim"
  readonly width: number
  readonly height: number
  readonly labels: number
}
/** A phone gets a drawing of its own: a broad one would be scaled down until nobody can read it. */
const sizes: ReadonlyArray<Size> = [
  { class: "broad", width: 720, height: 170, labels: 8 },
  { class: "slim", width: 340, height: 170, labels: 4 }
]
const leftMin = 56
/** Of a digit in the size that the stylesheet gives to the labels. */
const digitWidth = 7
const labelGap = 8
const bottom = 24
const above = 12

const drawing = ({ bars, show }: ChartOptions, { class: name, height, labels, width }: Size): Html => {
  const highest = Math.max(0, ...bars.map(({ value }) => value))
  const top = niceTop(highest)
  // Without a value there is no scale. Half of an odd top is no whole value, and would be written as another one.
  const lines = highest > 0 ? [0, top / 2, top].filter(Number.isInteger) : [0]
  const longest = Math.max(...lines.map((line) => show(line).length))
  const left = Math.max(leftMin, labelGap + longest * digitWidth)
  const inner = height - bottom - above
  const step = (width - left) / Math.max(1, bars.length)
  const y = (value: number) => above + inner * (1 - value / top)
  const every = Math.max(1, Math.ceil(bars.length / labels))
  const grid = lines.map(
    (line) => html`<g class="grid">
      <line${attributes({ x1: left, x2: width, y1: round(y(line)), y2: round(y(line)) })}/>
      <text${attributes({ x: left - labelGap, y: round(y(line) + 4), "text-anchor": "end" })}>${show(line)}</text>
    </g>`
  )
  const columns = bars.map(({ label, link, value }, index) => {
    const bar = html`<rect class="bar"${attributes({
      x: round(left + index * step + step * 0.15),
      y: round(y(value)),
      width: round(step * 0.7),
      height: round(Math.max(value > 0 ? 1.5 : 0, above + inner - y(value))),
      rx: 2
    })}><title>${label}: ${show(value)}</title></rect>`
    return link === undefined || value === 0 ? bar : html`<a href=${link} tabindex="-1">${bar}</a>`
  })
  // The newest day always has its label.
  const names = bars.map(
    ({ label }, index) =>
      (bars.length - 1 - index) % every === 0 &&
      html`<text${attributes({
        x: round(Math.min(left + (index + 0.5) * step, width - 16)),
        y: height - 6,
        "text-anchor": "middle"
      })}>${label}</text>`
  )
  return html`<svg class=${name} viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">${grid}${columns}${names}</svg>`
}

/** One bar for each day, oldest left. */
export const dayChart = (options: ChartOptions): Html =>
  html`<figure class="chart">
    <figcaption>${options.title}</figcaption>
    ${sizes.map((size) => drawing(options, size))}${valuesTable(options, "Day")}
  </figure>`

/** One line for each part, the largest first, as a table whose bars are drawn beside the values. */
export const partsChart = (options: ChartOptions & { readonly head: string; readonly empty: string }): Html => {
  const { bars, empty, head, show, title, unit } = options
  const top = Math.max(1, ...bars.map(({ value }) => value))
  return html`<figure class="chart parts">
    <figcaption>${title}</figcaption>
    ${
      bars.length === 0
        ? html`<p class="hint">${empty}</p>`
        : html`<div class="scroll">
            <table>
              <caption class="unseen">
                ${title}
              </caption>
              <thead class="unseen">
                <tr>
                  <th scope="col">${head}</th>
                  <th scope="col">Share</th>
                  <th scope="col">${unit}</th>
                </tr>
              </thead>
              <tbody>
                ${bars.map(
                  ({ label, link, value }) =>
                    html`<tr>
                      <th scope="row">${link === undefined ? label : html`<a href=${link}>${label}</a>`}</th>
                      <td class="share">
                        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                          <rect class="track" width="100" height="8" rx="1" />
                          <rect class="bar" ${attributes({ width: round((100 * value) / top), height: 8, rx: 1 })} />
                        </svg>
                      </td>
                      <td class="figure">${show(value)}</td>
                    </tr>`
                )}
              </tbody>
            </table>
          </div>`
    }
  </figure>`
}
