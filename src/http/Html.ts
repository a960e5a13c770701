/**
 * What every page of ours needs: text that stays text, and the policy that lets the page load nothing and run nothing.
 */
import { createHash } from "node:crypto"

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

/**
 * Allows only this style: no script, nothing from other sites, and no frame of another page. `more` allows what one
 * page needs besides.
 */
export const pageHeaders = (style: string, more: ReadonlyArray<string> = []): { readonly [name: string]: string } => ({
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...more
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
})
