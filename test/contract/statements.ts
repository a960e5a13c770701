/**
 * The statements of the contract with the tests that show them (`statements.yaml`), the names of the tests there are,
 * and the page made of both.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { Schema } from "effect"
import ts from "typescript"
import { parse } from "yaml"

export const root = fileURLToPath(new URL("../..", import.meta.url))

const Statement = Schema.Struct({
  says: Schema.NonEmptyTrimmedString,
  tests: Schema.Array(Schema.String.pipe(Schema.pattern(/^[\w/.-]+\.(test|suite)\.ts: .+$/)))
})
const Section = Schema.Struct({ title: Schema.NonEmptyTrimmedString, statements: Schema.NonEmptyArray(Statement) })
const Statements = Schema.Struct({
  documents: Schema.NonEmptyArray(
    Schema.Struct({ name: Schema.NonEmptyTrimmedString, sections: Schema.NonEmptyArray(Section) })
  )
})
export type Statements = typeof Statements.Type

export const readStatements = (): Statements =>
  Schema.decodeUnknownSync(Statements, { onExcessProperty: "error" })(
    parse(readFileSync(join(root, "test/contract/statements.yaml"), "utf8"))
  )

export interface Shown {
  readonly section: string
  readonly says: string
  readonly file: string
  readonly name: string
}

/** Every statement with each of its tests. */
export const shownBy = ({ documents }: Statements): ReadonlyArray<Shown> =>
  documents.flatMap(({ sections }) =>
    sections.flatMap(({ statements, title }) =>
      statements.flatMap(({ says, tests }) =>
        tests.map((test) => {
          const at = test.indexOf(": ")
          return { section: title, says, file: `test/${test.slice(0, at)}`, name: test.slice(at + 2) }
        })
      )
    )
  )

/** `it`, `it.live`, `it.effect.each([…])`, `test` and such. */
const makesTest = (node: ts.Expression): boolean =>
  ts.isIdentifier(node)
    ? node.text === "it" || node.text === "test"
    : ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)
      ? makesTest(node.expression)
      : false

/** The names of the tests in a source, each as it stands there: of a template, all that is between its backticks. */
export const testNames = (source: string): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    const [first] = ts.isCallExpression(node) && makesTest(node.expression) ? node.arguments : []
    if (first !== undefined && ts.isStringLiteralLike(first)) names.add(first.text)
    if (first !== undefined && ts.isTemplateExpression(first)) names.add(first.getText().slice(1, -1))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile("test.ts", source, ts.ScriptTarget.Latest, true))
  return names
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("${", "$\\{")

/** `docs/contract.md`. */
export const contractPage = (statements: Statements): string => {
  const count = statements.documents.reduce(
    (sum, { sections }) => sections.reduce((inner, each) => inner + each.statements.length, sum),
    0
  )
  const lines = [
    "# Statements of the contract, and the tests that show them",
    "",
    `${count} statements, in short words, each with at least one test. This page is made of \`test/contract/statements.yaml\` by \`npm run docs:contract\`; a test fails when a`,
    "statement has no test, when a test that is named does not exist, and when this page is not what the file makes.",
    "",
    "To add a statement or a test: write it into the file, then `npm run docs:contract`. Tests over HTTP hold every answer against the OpenAPI document",
    "(`test/contract/checked.ts`)."
  ]
  for (const { name, sections } of statements.documents) {
    lines.push("", `## ${name}`)
    for (const { statements: said, title } of sections) {
      lines.push("", `### ${title}`, "", "| Statement | Tests |", "| --- | --- |")
      for (const { says, tests } of said)
        lines.push(`| ${cell(says)} | ${tests.map((test) => cell(test)).join("<br>")} |`)
    }
  }
  return `${lines.join("\n")}\n`
}
