/** `a, b or c`: names of which one is meant, in a sentence. */
export const oneOf = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`
