/** Lists of the gateway: `for await` goes through every item, and asks for the next page when it gets there. */

export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** Page by page, with what a page says beside its items, such as `nextCursor` to go on from another day. */
  readonly pages: () => AsyncIterable<Page>
}

interface WithCursor {
  readonly nextCursor: string | null
}

export const pagesOf = <Item, Page extends WithCursor>(
  /** Undefined for the first page. */
  load: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => ReadonlyArray<Item>
): Pages<Item, Page> => {
  async function* pages() {
    let cursor: string | undefined
    do {
      const page = await load(cursor)
      yield page
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page)
    }
  }
}
