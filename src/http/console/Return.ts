/**
 * The page to which a sign-in leads back. It comes from outside, so it is taken only when it is a page of this gateway:
 * a path below `/console` or `/approve`, in plain characters. Anything else leads to the console's first page.
 */
import { Option, Schema } from "effect"
import { returnCharsMax } from "../../domain/limits/Access.js"
import { pathOf } from "../serving/Routes.js"

/** A path of our own, as `Html.ts` makes links of it. */
export const OwnPath = Schema.String.pipe(
  Schema.maxLength(returnCharsMax),
  // No backslash, no control character, no blank, and no dots that lead out of the path.
  Schema.pattern(/^\/(?:console|approve)(?:[/?][A-Za-z0-9\-._~%!$&'()*+,;=:@/?]*)?$/),
  Schema.filter((path) => !/(?:^|\/)\.{1,2}(?:[/?]|$)|%2e|%2f|%5c|\/\//i.test(pathOf(path))),
  Schema.brand("OwnPath")
)
export type OwnPath = typeof OwnPath.Type

const decode = Schema.decodeOption(OwnPath)
export const ownPath = (text: string | null | undefined): OwnPath | null =>
  text === null || text === undefined ? null : Option.getOrNull(decode(text))
