/** A count in a sentence: `1 problem`, `2 problems`, `2 entries`. */
export const nounFor = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many)
export const counted = (count: number, one: string, many?: string): string => `${count} ${nounFor(count, one, many)}`
