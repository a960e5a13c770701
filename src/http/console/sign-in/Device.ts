/**
 * The page on which a person types the code that a device shows, `/console/device` (RFC 8628, section 3.3). It decides
 * nothing: a code that is right leads to the page of its login (`Approve.ts`). The code stands in the address, so that
 * a device can show a link or a QR code with it.
 */
import { Effect } from "effect"
import { loginMillis } from "../../../domain/limits/Access.js"
import { readUserCode } from "../../../domain/LoginApproval.js"
import { LoginApprovals } from "../../../services/LoginApprovals.js"
import { askForm, button, type Filled, filledWith, textField, unfilled } from "../Forms.js"
import { html, Link, to } from "../Html.js"
import { type Page, redirect, type Screen, screen, signedInPage } from "../Page.js"

const name = "user_code"

const asking = (form: Filled, status: number): Screen =>
  screen({
    title: "Log in a device",
    status,
    content: html`<p>Type the code that your device or program shows. The next page asks whether you approve its login.</p>
      ${askForm({
        action: to(["device"]),
        label: "The code of a device",
        content: html`${textField({
          form,
          name,
          label: "Code",
          hint: "Eight letters, such as BCDF-GHJK",
          required: true,
          autocomplete: "off",
          code: true
        })}
          <div class="buttons">${button("Go on")}</div>`
      })}`
  })

const loginOf = (typed: string) => {
  const userCode = readUserCode(typed)
  return userCode === null
    ? Effect.succeed(null)
    : Effect.flatMap(LoginApprovals, (logins) =>
        Effect.catchTag(logins.byUserCode(userCode), "not_found", () => Effect.succeed(null))
      )
}

const unknownCode = `No device shows this code now. Compare each letter with your device; a code that is older than ${loginMillis / 60_000} minutes has to be asked for again there.`

export const devicePage: Page<LoginApprovals> = signedInPage({
  path: "device",
  show: ({ query }) =>
    Effect.gen(function* () {
      const typed = query.get(name)
      if (typed === undefined) return asking(unfilled, 200)
      const login = yield* loginOf(typed)
      return login === null
        ? asking({ ...filledWith({ [name]: typed }), problems: new Map([[name, unknownCode]]) }, 404)
        : redirect(Link.page(["approve", login.approvalId]))
    })
})
