/** What a command of the benchmarks was given as `--name value`. */
export const textOption = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

export const numberOption = (name: string, otherwise: number): number => Number(textOption(name) ?? otherwise)
