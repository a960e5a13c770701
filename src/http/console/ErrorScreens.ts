/** The pages of what did not work. */
import { wireErrors } from "../Envelope.js"
import { html, type Link, to } from "./Html.js"
import { type PageError, Refusal, type Screen, screen, type SignInFirst } from "./Page.js"
import { type Words, wordsOf } from "./Words.js"

const wordsScreen = (
  { hint, message, title }: Words,
  answer: Pick<Screen, "headers" | "status">,
  onward: Refusal["onward"] = null
): Screen =>
  screen({
    ...answer,
    title,
    content: html`<div class="told" role="alert">
        <p>${message}</p>
        <p class="hint">${hint}</p>
      </div>
      ${onward !== null && html`<p><a href=${onward.link}>${onward.label}</a></p>`}
      <p><a href=${to([])}>Back to the console</a></p>`
  })

export const errorScreen = (error: Exclude<PageError, SignInFirst>): Screen => {
  if (error._tag === "Refusal") return wordsScreen(error, { status: error.status, headers: {} }, error.onward)
  const row = wireErrors.get(error._tag)
  return wordsScreen(wordsOf(error), { status: row?.status ?? 500, headers: row?.headers(error) ?? {} })
}

export const noPage = new Refusal(
  404,
  "Not found",
  "There is no page at this address.",
  "Check the address, or go back to the console."
)

/** Of a list whose address has no place in it. Nobody can mend such an address by hand. */
export const pageGone = (firstPage: Link) =>
  new Refusal(
    400,
    "This page is gone",
    "This page of the list is no longer there. Its address was changed, is too old, or belongs to another list.",
    "Go on from the first page. Filters stay as they are.",
    { label: "Show the first page", link: firstPage }
  )

export const wrongForm = new Refusal(
  403,
  "This form is too old",
  "It was made for another session. Nothing was changed.",
  "Go back, load the page again and send the form once more."
)

export const foreignForm = new Refusal(
  403,
  "This form did not come from this console",
  "The browser did not say that a page of this gateway sent it. Nothing was changed.",
  "Open the console at its own address and send the form from there. A proxy in between has to leave the headers Origin, Host and Sec-Fetch-Site as they are."
)

export const signedOutForm = new Refusal(
  401,
  "You are signed out",
  "Your session is over. Nothing was changed.",
  "Sign in in another tab, then go back, fill in what is empty, and send the form again: a browser may not keep what you typed."
)
