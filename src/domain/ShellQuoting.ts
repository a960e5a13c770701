/** A text as one word of any POSIX shell, in quotation marks whatever it holds. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
