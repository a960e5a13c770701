/** Reads the tables of Markdown pages. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../support/program.js"

type Row = ReadonlyArray<string>

/** The cells of every row in a text, without the heads. A bar inside of a cell is written `\\|`. */
const rowsIn = (text: string): Array<Row> =>
  text
    .split("\n")
    .filter(
      (line, index, lines) =>
        line.startsWith("|") && !line.startsWith("| ---") && !(lines[index + 1] ?? "").startsWith("| ---")
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"))
    )

/** Those of the tables under one heading. */
export const rowsOf = (page: string, heading: string): Array<Row> =>
  rowsIn(page.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? "")

const pageOf = (page: string): string => readFileSync(join(root, page), "utf8")

/** A setting of docs/configuration.md, which has them in several tables: name, default, values, meaning. */
export const settingRows = (): ReadonlyArray<Row> =>
  rowsIn(pageOf("docs/configuration.md"))
    .filter((row) => row.length === 4)
    .map(([name = "", ...others]) => [name.replaceAll("`", ""), ...others])
export const settingsListed = (): ReadonlyArray<string> => settingRows().map(([name = ""]) => name)

/** A command of docs/cli.md, which has them in several tables: the line that is typed, and what it does. */
export const commandRows = (): ReadonlyArray<Row> =>
  rowsIn(pageOf("docs/cli.md")).map(([line = "", ...others]) => [line.replaceAll("`", ""), ...others])
/** `runs list --limit N` is the command `runs list`. */
export const commandOf = (line: string): string => /^[a-z-]+(?: [a-z-]+)?(?= |$)/.exec(line)?.[0] ?? line
