/**
 * What is wrong with the settings, all of it at once: one plain line for each, with the name, what would be right, and
 * the value that it has. The value of a secret, and one that may hold a password or a token, is never shown.
 */
import { Config, type ConfigError, Data, Effect, Option } from "effect"
import { cutText } from "../../domain/Characters.js"
import { isSecret } from "./ConfigValues.js"

export class SettingsWrong extends Data.TaggedError("SettingsWrong")<{ readonly lines: ReadonlyArray<string> }> {
  override get message() {
    return this.lines.join("\n")
  }
}

interface Wrong {
  readonly name: string
  readonly says: string
  /** Where nothing is set, there is no value to show. */
  readonly isSet: boolean
}

const each = (error: ConfigError.ConfigError): ReadonlyArray<Wrong> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...each(error.left), ...each(error.right)]
    default:
      return [{ name: error.path.at(-1) ?? "", says: error.message, isSet: error._op === "InvalidData" }]
  }
}

const shownCharsMax = 100

const lineOf = ({ isSet, name, says }: Wrong): Effect.Effect<string> =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.string(name)), () => Option.none()),
    (given) => {
      const value = Option.getOrNull(given)
      if (!isSet || value === null || isSecret(name) || /[?@]/.test(value)) return `${name} ${says}`
      const shown = value.length > shownCharsMax ? `${cutText(value, shownCharsMax)}…` : value
      return `${name} ${says} (it is ${value === "" ? "empty" : JSON.stringify(shown)})`
    }
  )

const linesOf = (errors: ReadonlyArray<ConfigError.ConfigError>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.forEach(errors.flatMap(each), lineOf), (lines) => [...new Set(lines)])

/** The same work, with what is wrong in plain lines. */
export const inPlainLines = <A, R>(work: Effect.Effect<A, ConfigError.ConfigError, R>) =>
  Effect.catchAll(work, (error) => Effect.flatMap(linesOf([error]), (lines) => new SettingsWrong({ lines })))
