/** How an operation whose provider gives its results in pages is read page by page, as a manifest says it. */
import { Schema } from "effect"
import { pagesMax, pagesMillisMax, callMillisMin } from "../limits/Calls.js"
import { Expression, optional, Text, withDefault } from "./Fields.js"

const into = {
  /** The field of the operation's input, or of `bindings`, that takes it. */
  field: Text
}

/**
 * What names the next page:
 *
 * - `cursor`: a value out of the page before. None (null, false or empty) means that there is no further page.
 * - `page`: a number that grows by one.
 * - `offset`: a number that grows by the results of the page.
 * - `url`: an address out of the page before, asked by GET.
 * - `link`: the address of `rel="next"` in the `Link` header (RFC 8288), asked by GET.
 *
 * An address goes through the egress policy, and gets the key only at the manifest's own origin and at `origins`.
 */
const NextPage = Schema.Union(
  Schema.Struct({ by: Schema.Literal("cursor"), cursor: Expression, ...into }),
  Schema.Struct({ by: Schema.Literal("page"), first: withDefault(Schema.NonNegativeInt, () => 1), ...into }),
  Schema.Struct({ by: Schema.Literal("offset"), first: withDefault(Schema.NonNegativeInt, () => 0), ...into }),
  Schema.Struct({ by: Schema.Literal("url"), url: Expression }),
  Schema.Struct({ by: Schema.Literal("link") })
)
type NextPage = typeof NextPage.Type

/**
 * A read-only operation that is asked for page after page, up to the volume of its input, and answers as if the
 * provider had answered once. An input that one page can serve is sent as one request, and its answer stays as it came.
 */
export const PageRules = Schema.Struct({
  /** Where the list of results is: `body`, or names of members such as `body.data.items`. */
  items: Schema.String.pipe(
    Schema.pattern(/^body(\.[^.\s[\]"'`|*&?]+)*$/, {
      message: () => "must be body, or names of members such as body.data.items"
    })
  ),
  /** The most results that one page can bring. It is sent in the volume field when more are wanted. */
  size: Schema.Int.pipe(Schema.positive()),
  /** False: the provider takes no number of results, and the volume field stays in the gateway. */
  sendSize: withDefault(Schema.Boolean, () => true),
  next: NextPage,
  /**
   * When given, there is a further page only where it holds. Without it, a short page by number or offset is the last.
   */
  more: optional(Expression),
  /** Whether the price of a call, and `maxMicros`, are those of each page or of all pages together. */
  billed: withDefault(Schema.Literal("page", "call"), () => "page" as const),
  /** The most pages that are read for one run. */
  max: withDefault(Schema.Int.pipe(Schema.between(2, pagesMax)), () => pagesMax),
  /** Origins beside the manifest's own that get the key, for `url` and `link`. */
  origins: optional(Schema.NonEmptyArray(Text)),
  /** From the first request to the last page; each page has the operation's own time limit. */
  totalMs: withDefault(Schema.Int.pipe(Schema.between(callMillisMin, pagesMillisMax)), () => pagesMillisMax)
})
export type PageRules = typeof PageRules.Type
