/** Goes to an address as a browser with cookies, redirect by redirect, until it would leave for `end`. */
export const walkTo = async (address: string, end: string): Promise<string> => {
  const jar = new Map<string, string>()
  let at = address
  for (let n = 0; n < 10 && !at.startsWith(end); n++) {
    const response = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const to = response.headers.get("location")
    if (to === null) throw new Error(`${response.status} at ${at}: ${await response.text()}`)
    at = new URL(to, at).href
  }
  return at
}
