/** Limits the size of a map: when it is full, the entry that was added first is removed. */
export const setBounded = <K, V>(map: Map<K, V>, entriesMax: number, key: K, value: V): void => {
  const oldest = map.size >= entriesMax && !map.has(key) ? map.keys().next() : undefined
  if (oldest?.done === false) map.delete(oldest.value)
  map.set(key, value)
}
