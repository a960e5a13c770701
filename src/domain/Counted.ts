/** `1 problem`, `2 problems`: a count in a sentence. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
