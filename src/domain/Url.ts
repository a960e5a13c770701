/**
 * Reads an address. It does not ask `URL.canParse`, and nothing else in these sources does: Node 20 answers false for
 * `http://münchen.de/` from the moment when the caller is optimised, which is after some thousand calls.
 */
export const readUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** The same of an address that may be relative to `base`. */
export const readUrlFrom = (base: string, text: string): URL | null => {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** The port that an address has, or that its scheme stands for. */
export const portOf = ({ port, protocol }: URL): number =>
  port !== "" ? Number(port) : protocol === "https:" ? 443 : 80

const portMax = 65_535

/**
 * A `host:port` pair as an address has it: in lower case, IPv6 in brackets and short, IPv4 in four numbers. Null for
 * any other text, such as a whole address, or a host without a port.
 */
export const readHostAndPort = (text: string): string | null => {
  const [, host = "", digits = ""] = /^([^\s/\\?#@*]+):(\d{1,5})$/.exec(text) ?? []
  const hostname = readUrl(`http://${host}:${digits}`)?.hostname ?? ""
  const port = Number(digits)
  return hostname !== "" && port >= 1 && port <= portMax ? `${hostname}:${port}` : null
}
