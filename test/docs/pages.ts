/** The Markdown pages of this repository: their blocks, links and headings. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { root } from "../support/program.js"

export interface Block {
  /** The page's path from the root. */
  readonly page: string
  readonly line: number
  /** What stands after the backticks, such as `bash`; empty for a block without a language. */
  readonly language: string
  readonly text: string
  /** What stands between the block before (or the start of the page) and this one. */
  readonly before: string
}

export interface Link {
  readonly page: string
  /** The page or file that it leads to, from the root; null for another site. */
  readonly file: string | null
  readonly anchor: string | null
  readonly isPicture: boolean
  readonly written: string
}

const read = (page: string): string => readFileSync(join(root, page), "utf8")

/** Every page that readers are sent to. */
export const pages: ReadonlyArray<string> = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .sort()
]

const fence = /^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm

export const blocksOf = (page: string): ReadonlyArray<Block> => {
  const whole = read(page)
  let end = 0
  return [...whole.matchAll(fence)].map(({ 0: fenced, 1: indent = "", 2: language = "", 3: text = "", index }) => {
    const before = whole.slice(end, index)
    end = index + fenced.length
    return {
      page,
      language,
      before,
      line: whole.slice(0, index).split("\n").length,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "")
    }
  })
}

/** The page without its blocks and without code inside of lines, where nothing is a link or a heading. */
const proseOf = (page: string): string => read(page).replaceAll(fence, "")
export const withoutCode = (page: string): string => proseOf(page).replaceAll(/(`+)[^`][\s\S]*?\1/g, "")

export const linksOf = (page: string): ReadonlyArray<Link> =>
  [...withoutCode(page).matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)].map(({ 0: written, 1: sign, 2: target = "" }) => {
    const [path = "", anchor = null] = target.split("#")
    const isElsewhere = /^[a-z]+:/.test(target)
    return {
      page,
      written,
      anchor: isElsewhere ? null : anchor,
      isPicture: sign === "!",
      file: isElsewhere ? null : path === "" ? page : normalize(join(dirname(page), path))
    }
  })

/** The anchors of a page's headings, made as GitHub makes them. */
export const anchorsOf = (page: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const plain = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-")
    let anchor = plain
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${plain}-${again}`
    anchors.add(anchor)
  }
  return anchors
}
