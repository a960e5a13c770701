/** Whether a client already has the answer that it asks for (RFC 9110, section 13.1.2). */

/** Whether one of the tags of `If-None-Match` is this one; a weak tag is as good here. */
export const isUnchanged = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(",").some((tag) => {
    const text = tag.trim()
    return text === "*" || text.replace(/^W\//, "") === etag
  })
