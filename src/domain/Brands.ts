/**
 * `make` of a brand, for values that are made all the time: a paid run makes some thirty ids and amounts. Schema's own
 * check takes a microsecond and leaves half a kilobyte behind for each of them. Here a plain test comes first, and only
 * a value that fails it goes to the Schema, which refuses it and says why. So both must accept the same values.
 */
import type { Schema } from "effect"

interface Brand<Value, Branded> {
  make(value: Value, options?: Schema.MakeOptions): Branded
}

export const madeQuickly = <Value, Branded, S extends Brand<Value, Branded>>(
  brand: S & Brand<Value, Branded>,
  holds: (value: Value) => boolean
): S => {
  const make = brand.make
  return Object.assign(brand, { make: (value: Value): Branded => make(value, holds(value)) })
}
