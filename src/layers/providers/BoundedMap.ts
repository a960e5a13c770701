/** Keeps a map at a bound: when it is full, the entry that came first goes. */
export const setBounded = <K, V>(map: Map<K, V>, entriesMax: number, key: K, value: V): void => {
  const oldest = map.size >= entriesMax && !map.has(key) ? map.keys().next() : undefined
  if (oldest?.done === false) map.delete(oldest.value)
  map.set(key, value)
}
