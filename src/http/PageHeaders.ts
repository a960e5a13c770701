/** The headers of every page for people: what the page may load, and what other sites are told. */

/**
 * Styles, scripts, pictures and forms of this gateway only; nothing inline, no frame around the page. `pictures` allows
 * pictures from elsewhere that one page needs besides, such as `data:`.
 */
export const pageHeaders = (pictures: ReadonlyArray<string> = []): { readonly [name: string]: string } => ({
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    ["img-src 'self'", ...pictures].join(" "),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin"
})
