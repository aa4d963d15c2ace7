// What was read from the text of queries, kept for the whole process: parsing the queries of all models takes a third of a second.
type Reading = 'tables' | 'columns' | 'times';

const readings = new Map<string, object>();

/** The result of `read`, from an earlier call with the same text where there was one. An error is not kept. */
export async function readOnce<T extends object>(
  what: Reading,
  sql: string,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${what} ${sql}`;
  const known = readings.get(key);
  if (known !== undefined) return known as T;
  const found = await read();
  readings.set(key, found);
  return found;
}
