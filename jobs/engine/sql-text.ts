// Literals and names in SQL text, written the same for every engine.

export const literal = (value: string | number | boolean | null): string => {
  if (value === null) return 'null';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
};

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** First meaningful line of a statement, for messages: skips comments and a `describe` before the query. */
export function firstLineOf(sql: string): string {
  const line = sql.split('\n').find((text) => !/^\s*(--.*|describe)?$/.test(text)) ?? '';
  return line.trim().slice(0, 200);
}
