/** Reads the tables of Markdown pages: the cells of every row of the tables under one heading, without the head. */
export const rowsOf = (page: string, heading: string): Array<ReadonlyArray<string>> => {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ""
  return section
    .split("\n")
    .filter(
      (line, index, lines) =>
        line.startsWith("|") && !line.startsWith("| ---") && !(lines[index + 1] ?? "").startsWith("| ---")
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
}
