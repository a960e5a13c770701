/** The headers of every page for people: what the page may load, and what other sites are told. */

/** Styles, scripts, pictures and forms of this gateway only; nothing inline, no frame around the page. */
export const pageHeaders: { readonly [name: string]: string } = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin"
}
