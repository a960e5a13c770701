/** Rules and expressions of a manifest that cost as much as they can, on an answer of 1 MB. */
import type { Case } from "./Case.js"

const rows = JSON.stringify(
  Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: `name ${at}`, tags: ["a", "b"] }))
)
const longText = JSON.stringify({ text: "ab ".repeat(330_000) })

const onRows: ReadonlyArray<string> = [
  "length(sort_by(body, &name)) > `0`",
  "length(sort(body[].name)) > `0`",
  "length(group_by(body, &name)) > `0`",
  "max_by(body, &id).id > `0`",
  "length(map(&to_string(@), body)) > `0`",
  "length(body[?contains(to_string(@), 'name 19999')]) > `0`",
  "length(body[*].tags[]) > `0`",
  "length(body[].tags[?@ == 'a'][]) > `0`",
  "length(join(', ', body[].name)) > `0`",
  "length(to_string(body)) > `0`",
  "length(zip(body, body)) > `0`",
  "length(from_items(zip(body[].name, body[].id))) > `0`",
  "length(keys(merge(body[0], body[1]))) > `0`",
  "length(reverse(body)) > `0`",
  "body == body && length(body[?@ == $.body[19999]]) > `0`",
  "length(body[].[id, name, tags, id, name, tags, @]) > `0`",
  "length(body[].body[].body[].name) > `-1`",
  "length(pad_left('x', `10000000`)) > `0`"
]
const onText: ReadonlyArray<string> = [
  "length(split(body.text, ' ')) > `0`",
  "length(replace(body.text, 'a', 'bbbbbbbbbb')) > `0`",
  "length(reverse(body.text)) > `0`",
  "length(upper(body.text)) > `0`",
  "length(trim(body.text, ' ab')) > `-1`",
  "find_last(body.text, 'ba') != `1`",
  "contains(body.text, 'abababababababababababab')",
  "length(body.text[::-1]) > `0`"
]

const ruled = (what: string, success: string, body: string): Case => ({
  name: `rule: ${success} on ${what}`,
  answer: () => ({ headers: { "content-type": "application/json" }, body }),
  operation: { response: { success } }
})

export const rules: ReadonlyArray<Case> = [
  ...onRows.map((success) => ruled("20,000 rows", success, rows)),
  ...onText.map((success) => ruled("a text of 1 MB", success, longText))
]
