/** A command that lists shows every row, page by page. */
import { Effect } from "effect"
import { pageRowsMax } from "../domain/Limits.js"
import type { Page, PageRequest } from "../domain/Page.js"

export const everyRow = <A, E, R>(read: (page: PageRequest) => Effect.Effect<Page<A>, E, R>) =>
  Effect.gen(function* () {
    const found: Array<A> = []
    let after: string | null = null
    do {
      const page: Page<A> = yield* read({ limit: pageRowsMax, after })
      found.push(...page.items)
      after = page.next
    } while (after !== null)
    return found
  })
