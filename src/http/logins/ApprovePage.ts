/**
 * The page on which a person decides about a command-line login: plain HTML with one form, no script, nothing from
 * elsewhere. The form carries the person's own token and there is no cookie, so that no other page can decide in their
 * name. Never shows a token.
 */
import type { Scope } from "../../domain/Scope.js"
import type { LoginApproval } from "../../services/LoginApprovals.js"
import { time } from "../Fields.js"
import { escapeHtml as escape, pageHeaders } from "../Html.js"

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1b1b1f;background:#f5f5f8}
main{background:#fff;border:1px solid #dcdce2;border-radius:12px;padding:1.5rem 2rem 2rem}
h1{font-size:1.4rem;margin:0 0 1rem}p{margin:.75rem 0}
.code{font:600 2rem/1.2 ui-monospace,monospace;letter-spacing:.08em;text-align:center;background:#f2f2f5;border-radius:8px;padding:1rem;margin:1rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.25rem;margin:1.25rem 0}dt{color:#66666f}dd{margin:0;overflow-wrap:anywhere}
ul{margin:0;padding:0;list-style:none}li+li{margin-top:.25rem}code{font:14px ui-monospace,monospace}small{color:#66666f;font-size:.875rem}
label{display:block;font-weight:600;margin:1.5rem 0 .25rem}
input{box-sizing:border-box;width:100%;font:15px ui-monospace,monospace;padding:.6rem .75rem;border:1px solid #9a9aa5;border-radius:8px;background:#fff;color:inherit}
.buttons{display:flex;gap:.75rem;margin-top:1.25rem}
button{flex:1;font:600 1rem system-ui,sans-serif;padding:.7rem 1rem;border-radius:8px;border:1px solid #9a9aa5;background:#fff;color:inherit;cursor:pointer}
button.yes{background:#1a5fd0;border-color:#1a5fd0;color:#fff}
:focus-visible{outline:3px solid #7fb0ff;outline-offset:2px}
.told{border-left:4px solid #c3362b;padding:.25rem 0 .25rem 1rem}
@media(prefers-color-scheme:dark){body{color:#e4e4e9;background:#111114}main{background:#1b1b20;border-color:#33333b}.code{background:#2a2a31}
dt,small{color:#a0a0ab}input,button{background:#111114;border-color:#5a5a66}button.yes{background:#2f6fe0;border-color:#2f6fe0}}`

/** What the page may do besides showing itself: send its form back to where it came from. */
export const approvePageHeaders = { ...pageHeaders(style, ["form-action 'self'"]), "cache-control": "no-store" }

const meaning: { readonly [scope in Scope]: string } = {
  "catalog:read": "search the catalog",
  "runs:read": "see runs and their results",
  "runs:execute": "run operations and spend the balance",
  "usage:read": "see the balance and the ledger",
  "billing:write": "request top-ups",
  "capabilities:write": "request new capabilities",
  "account:manage": "manage connections and approve logins"
}

const frame = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<title>${escape(title)}</title><style>${style}</style></head><body><main><h1>${escape(title)}</h1>
${content}</main></body></html>`

/** To the minute, in the one time zone that server and reader can agree on. */
const minute = (millis: number): string => `${time(millis).slice(0, 16).replace("T", " ")} UTC`

const details = ({ expiresAt, label, scopes, status, tokenExpiresAt }: LoginApproval): string => `<dl>
<dt>Name</dt><dd><bdi>${escape(label)}</bdi></dd>
<dt>It may</dt><dd><ul>${scopes.map((scope) => `<li>${meaning[scope]} <small><code>${scope}</code></small></li>`).join("")}</ul></dd>
<dt>Token works</dt><dd>${tokenExpiresAt === null ? "until it is revoked" : `until ${minute(tokenExpiresAt)}`}</dd>${
  status === "pending" ? `\n<dt>Decide</dt><dd>before ${minute(expiresAt)}</dd>` : ""
}</dl>`

const form = `<form method="post"><label for="token">Your token, with the scope <code>account:manage</code></label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" placeholder="pgw_…" required>
<p><small>The login works in the workspace of your token, under its monthly limit. Your token is checked and not stored.</small></p>
<div class="buttons"><button class="yes" name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></div></form>`

/** `problem`: why what was sent was not taken. */
export const approvePage = (login: LoginApproval, problem: string | null): string => {
  const told = problem === null ? "" : `<p class="told" role="alert">${escape(problem)}</p>`
  switch (login.status) {
    case "pending":
      return frame(
        "A command line wants to log in",
        `${told}<p>Approve only if you started this login yourself and your command line shows this code:</p>
<p class="code">${escape(login.userCode)}</p>${details(login)}${form}`
      )
    case "approved":
      return frame(
        "Login approved",
        `${told}<p>The command line is logged in. You can close this page.</p>${details(login)}`
      )
    case "denied":
      return frame(
        "Login denied",
        `${told}<p>The command line was turned away, and its token will never work. You can close this page.</p>${details(login)}`
      )
    case "expired":
      return frame(
        "This login has expired",
        `${told}<p>Nobody decided in time. Start the login again on the command line.</p>`
      )
  }
}

export const noLoginPage = frame(
  "No such login",
  "<p>This link is not complete, or the login is over. Start the login again on the command line.</p>"
)
/** For what went wrong before a login could be looked at. */
export const troublePage = (problem: string): string =>
  frame("That did not work", `<p class="told" role="alert">${escape(problem)}</p><p>Go back and try again.</p>`)
