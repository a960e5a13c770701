/**
 * Golden files: what can be seen from outside, kept as text under `files/`, so that every change of it stands in a diff.
 * `npx vitest run test/golden -u` writes them anew; with `CI=1` a file that is missing or different fails.
 */
import { expect } from "vitest"

/** Holds a text against `files/<name>`. */
export const golden = (name: string, text: string): Promise<void> => expect(text.endsWith("\n") ? text : `${text}\n`).toMatchFileSnapshot(`files/${name}`)

/** JSON with two spaces, members in the order in which they were served. */
export const goldenJson = (name: string, value: unknown): Promise<void> => golden(`${name}.json`, JSON.stringify(value, null, 2))
